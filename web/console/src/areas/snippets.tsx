import { Code, CopyButton, Stack, Tabs, Text } from "@mantine/core";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { type SnippetClient, snippetsOf } from "./snippets.texts.ts";

/** Shows the code to copy into an application, for libraries that are tested with this server. */
export function Snippets({ client }: { client: SnippetClient }) {
  const t = useText();
  const { realm } = useRealm();
  const issuer = `${location.origin}/realms/${realm}`;
  const snippets = snippetsOf(client, issuer);
  return (
    <Stack>
      <Text size="sm">
        {t("Every OpenID Connect library needs the issuer and the client ID:")} <Code className="secret">{issuer}</Code>{" "}
        <Code className="secret">{client.clientId}</Code>
      </Text>
      <Tabs defaultValue={snippets[0]!.title}>
        <Tabs.List className="tab-row">
          {snippets.map(({ title }) => (
            <Tabs.Tab key={title} value={title}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ title, text }) => (
          <Tabs.Panel key={title} value={title} pt="sm">
            <Stack gap="xs">
              <Code block tabIndex={0}>
                {text}
              </Code>
              <CopyButton value={text}>
                {({ copied, copy }) => (
                  <button type="button" className="link-button" onClick={copy}>
                    {copied ? t("Copied") : t("Copy")}
                  </button>
                )}
              </CopyButton>
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
