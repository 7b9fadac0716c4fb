import { Alert, Anchor, Button, Card, Checkbox, Code, CopyButton, Group, Stack, Table, TagsInput, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { PageHead } from "../kit/page-head.tsx";
import { WriteError } from "../kit/states.tsx";
import { Claims } from "./token-preview.tsx";
import { type Attempt, answerOf, decoded, prepare, redeem, type Tokens, tryItClient, userinfo } from "./try-it.flow.ts";

interface Outcome {
  readonly tokens: Tokens;
  readonly userinfo: unknown;
}

/** Signs a person in by code and PKCE, in another window, and shows every part of it. It is offered in development mode only. */
export function TryIt() {
  const t = useText();
  const { api, realm, me } = useRealm();
  const [scopes, setScopes] = useState(["openid", "profile", "email"]);
  const [prompt, setPrompt] = useState(true);
  const [attempt, setAttempt] = useState<Attempt | null>(null);
  const [clientKey, setClientKey] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [error, setError] = useState<unknown>(null);
  const waiting = useRef<AbortController | null>(null);
  const [isWaiting, setWaiting] = useState(false);

  const run = async () => {
    waiting.current?.abort();
    const control = new AbortController();
    waiting.current = control;
    // The click itself opens the window, because the browser would block it later.
    const other = window.open("about:blank", "gatehouse-try-it", "popup,width=520,height=760");
    setError(null);
    setOutcome(null);
    setWaiting(true);
    try {
      setClientKey((await tryItClient(api)).id);
      const next = await prepare(realm, scopes.join(" "), prompt);
      setAttempt(next);
      const answered = answerOf(next, control.signal);
      if (other) other.location.href = next.url;
      const answer = await answered;
      const refusal = answer.get("error_description") ?? answer.get("error");
      if (refusal !== null) throw new Error(refusal);
      const tokens = await redeem(realm, answer.get("code") ?? "", next.verifier);
      setOutcome({ tokens, userinfo: scopes.includes("openid") ? await userinfo(realm, tokens.access_token) : null });
    } catch (reason) {
      if (!control.signal.aborted) setError(reason);
    } finally {
      if (waiting.current === control) setWaiting(false);
    }
  };

  if (!me.developmentMode) return <Alert>{t("This page exists only in development mode.")}</Alert>;
  return (
    <Stack maw={1100}>
      <PageHead
        title="Try it"
        description="Sign in as a user of this realm, as an application would, by the code flow with PKCE. You see the request, the tokens and userinfo."
        call={{ path: `/realms/${realm}/.well-known/openid-configuration` }}
      />
      <Card withBorder>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void run();
          }}
        >
          <Stack gap="sm">
            <TagsInput label={t("Scopes")} value={scopes} onChange={setScopes} splitChars={[" ", ","]} acceptValueOnBlur />
            <Checkbox
              label={t("Ask for the password even if someone is signed in")}
              checked={prompt}
              onChange={(event) => setPrompt(event.currentTarget.checked)}
            />
            <Group>
              <Button type="submit">{t("Sign in")}</Button>
              {isWaiting && (
                <Text size="sm" role="status">
                  {t("Waiting for the sign-in in the other window …")}
                </Text>
              )}
            </Group>
          </Stack>
        </form>
      </Card>
      <WriteError error={error} />
      {attempt && <Request attempt={attempt} />}
      {outcome && <Result outcome={outcome} />}
      {outcome && clientKey && (
        <Text size="sm">
          {t("Now connect an application of your own:")}{" "}
          <Anchor component={Link} to={`/realms/${realm}/clients/new` as never}>
            {t("Create application")}
          </Anchor>
          {" · "}
          <Anchor component={Link} to={`/realms/${realm}/clients/${clientKey}?tab=quickstart` as never}>
            {t("Quickstart")}
          </Anchor>
        </Text>
      )}
    </Stack>
  );
}

function Request({ attempt }: { attempt: Attempt }) {
  const t = useText();
  const { origin, pathname, searchParams } = new URL(attempt.url);
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t("The request")}
          </Title>
          <CopyButton value={attempt.url}>
            {({ copied, copy }) => (
              <button type="button" className="link-button" onClick={copy}>
                {copied ? t("Copied") : t("Copy")}
              </button>
            )}
          </CopyButton>
        </Group>
        <Code className="secret">
          GET {origin}
          {pathname}
        </Code>
        <Table>
          <Table.Tbody>
            {[...searchParams].map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th>{name}</Table.Th>
                <Table.Td>
                  <Code className="secret">{value}</Code>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Card>
  );
}

function Result({ outcome: { tokens, userinfo: info } }: { outcome: Outcome }) {
  const t = useText();
  const { access_token: access, id_token: id, ...rest } = tokens;
  return (
    <Card withBorder role="status">
      <Stack>
        <Title order={2} size="h4">
          {t("It works: these are the tokens")}
        </Title>
        {id && <Claims title={t("ID token")} claims={decoded(id)} />}
        <Claims title={t("Access token")} claims={decoded(access)} />
        <Claims title={t("Rest of the answer")} claims={rest} />
        <Claims title={t("Userinfo")} claims={info} />
      </Stack>
    </Card>
  );
}
