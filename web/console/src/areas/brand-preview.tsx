import { Paper, Stack, Text, Title } from "@mantine/core";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";

/** A link to the sign-in page as people see it: the page may not be framed, which protects it. */
export function BrandPreview() {
  const t = useText();
  const { realm } = useRealm();
  return (
    <Paper withBorder p="md" maw={760}>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {t("See it")}
        </Title>
        <Text size="sm">
          {t("Save, then open the")}{" "}
          <a href={`/realms/${realm}/login`} target="_blank" rel="noreferrer">
            {t("sign-in page")}
          </a>
          .
        </Text>
      </Stack>
    </Paper>
  );
}
