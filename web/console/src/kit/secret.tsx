import { Alert, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { useText } from "../i18n/index.ts";

/** Shows a secret once. */
export function Secret({ title, value, text }: { title: string; value: string; text?: string }) {
  const t = useText();
  return (
    <Alert color="orange" title={t(title)}>
      <Stack gap="xs">
        <Text size="sm">{t(text ?? "Copy it now: it is not shown again.")}</Text>
        <Group gap="xs">
          <Code fz="sm" tabIndex={0} className="secret">
            {value}
          </Code>
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <button type="button" className="link-button" onClick={copy}>
                {copied ? t("Copied") : t("Copy")}
              </button>
            )}
          </CopyButton>
        </Group>
      </Stack>
    </Alert>
  );
}
