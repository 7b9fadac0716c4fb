import type { components } from "@gatehouse/api";
import { Code, CopyButton, Stack, Tabs, Text } from "@mantine/core";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";

type Client = Pick<components["schemas"]["Client"], "clientId" | "publicClient" | "grantTypes" | "redirectUris">;

interface Snippet {
  readonly title: string;
  readonly text: string;
}

/** What to copy into an application, for libraries that are tested against this server. */
export function Snippets({ client }: { client: Client }) {
  const t = useText();
  const { realm } = useRealm();
  const issuer = `${location.origin}/realms/${realm}`;
  const snippets = snippetsOf(client, issuer);
  return (
    <Stack>
      <Text size="sm">
        {t("Every OpenID Connect library needs the issuer and the client ID:")} <Code>{issuer}</Code> <Code>{client.clientId}</Code>
      </Text>
      <Tabs defaultValue={snippets[0]!.title}>
        <Tabs.List>
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

function snippetsOf({ clientId, publicClient, grantTypes, redirectUris }: Client, issuer: string): readonly Snippet[] {
  const callback = redirectUris[0] ?? "https://app.example.com/callback";
  const machine = [
    {
      title: "curl",
      text: `curl -u '${clientId}:SECRET' ${issuer}/token \\\n  -d grant_type=client_credentials`,
    },
    {
      title: "Node.js",
      text: `import * as oidc from "openid-client";\n\nconst config = await oidc.discovery(new URL("${issuer}"), "${clientId}", process.env.CLIENT_SECRET);\nconst { access_token } = await oidc.clientCredentialsGrant(config);`,
    },
  ];
  if (!grantTypes.includes("authorization_code")) return machine;
  const spa = {
    title: "oidc-client-ts",
    text: `import { UserManager } from "oidc-client-ts";\n\nconst users = new UserManager({\n  authority: "${issuer}",\n  client_id: "${clientId}",\n  redirect_uri: "${callback}",\n  scope: "openid profile email",\n});\n\n// On the callback page:\nif (location.search.includes("code=")) await users.signinCallback();\nconst user = await users.getUser();\nif (!user) await users.signinRedirect();`,
  };
  const node = {
    title: "openid-client",
    text: `import * as oidc from "openid-client";\n\nconst config = await oidc.discovery(new URL("${issuer}"), "${clientId}"${publicClient ? "" : ", process.env.CLIENT_SECRET"});\nconst verifier = oidc.randomPKCECodeVerifier();\nconst url = oidc.buildAuthorizationUrl(config, {\n  redirect_uri: "${callback}",\n  scope: "openid profile email",\n  code_challenge: await oidc.calculatePKCECodeChallenge(verifier),\n  code_challenge_method: "S256",\n});\n// Redirect the browser to url.href. On the callback:\n// const tokens = await oidc.authorizationCodeGrant(config, new URL(request.url), { pkceCodeVerifier: verifier });`,
  };
  const auth = {
    title: "Auth.js",
    text: `import { Auth } from "@auth/core";\n\nexport const options = {\n  providers: [{\n    id: "gatehouse",\n    name: "Gatehouse",\n    type: "oidc",\n    issuer: "${issuer}",\n    clientId: "${clientId}",\n    clientSecret: process.env.CLIENT_SECRET,\n  }],\n};`,
  };
  return publicClient ? [spa, node] : [node, auth];
}
