import { Title } from "@mantine/core";
import { useText } from "../i18n/index.ts";

export function Overview() {
  const t = useText();
  return (
    <Title order={1} size="h2">
      {t("Overview")}
    </Title>
  );
}
