import { Alert, Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { Icon } from "../kit/icon.tsx";

/** Warns that the realm cannot send mail, so that steps which need a mail are not offered. */
export function NoMail() {
  const t = useText();
  const { realm, me, may } = useRealm();
  if (me.sendsMail) return null;
  return (
    <Alert color="orange" icon={<Icon name="alert" />} p="xs">
      <Text size="sm">
        {t("Not offered yet: this realm has no mail provider.")}{" "}
        {may("manage-realm") && (
          <Anchor component={Link} to={`/realms/${realm}/messages` as never} size="sm">
            {t("Configure mail")}
          </Anchor>
        )}
      </Text>
    </Alert>
  );
}
