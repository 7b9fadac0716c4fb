import type { components } from "@gatehouse/api";
import { Button, Card, Group, List, Stack, TagsInput, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { served, useText } from "../i18n/index.ts";
import { wordsFor } from "../kit/choice-labels.ts";
import { CopyAsCurl } from "../kit/curl.tsx";
import { Picker, userPicker } from "../kit/picker.tsx";
import type { TabProps } from "../kit/resource.ts";
import { WriteError } from "../kit/states.tsx";
import { Word } from "../kit/word.tsx";

type Schemas = components["schemas"];
type Evaluation = Schemas["AuthzEvaluateResponse"];

const COLORS = { PERMIT: "teal", DENY: "red", UNKNOWN: "orange" } as const;
const Verdict = ({ status }: { status: keyof typeof COLORS }) => <Word of="verdict" value={status} color={COLORS[status]} />;

/** Asks what would be decided for a person, and shows the reasons: permission by permission, policy by policy. */
export function Evaluate({ path, session }: TabProps<Schemas["Client"]>) {
  const t = useText();
  const target = `${path}/authz/evaluate`;
  const [userId, setUserId] = useState<string | null>(null);
  const [resource, setResource] = useState<string | null>(null);
  const [scopes, setScopes] = useState<string[]>([]);
  const [evaluation, setEvaluation] = useState<Evaluation | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const scopesOf = useQuery({
    queryKey: [session.realm, "names", `${path}/authz/scopes`],
    queryFn: async ({ signal }) =>
      (await session.api.list<Schemas["AuthzScope"]>(`${path}/authz/scopes`, { query: { size: 1000 }, signal })).items,
  });
  const body = { ...(userId && { userId }), ...(resource && { resources: [{ name: resource }] }), ...(scopes.length > 0 && { scopes }) };
  const ask = async () => {
    setBusy(true);
    setError(null);
    try {
      setEvaluation((await session.api.send<Evaluation>("POST", target, { body })).data);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <Group align="flex-end">
          <Picker {...userPicker} chosen={userId} onChoose={setUserId} required />
          <Picker
            label="Resource"
            path={`${path}/authz/resources`}
            value={({ name }: Schemas["AuthzResource"]) => name}
            text={({ displayName, name }: Schemas["AuthzResource"]) => displayName ?? name}
            chosen={resource}
            onChoose={setResource}
          />
          <TagsInput
            label={t("Scopes")}
            placeholder={resource === null ? t("or of every resource") : t("All of them")}
            data={(scopesOf.data ?? []).map(({ name }) => name)}
            value={scopes}
            onChange={setScopes}
            acceptValueOnBlur
          />
          <Button type="submit" disabled={userId === null || (resource === null && scopes.length === 0)} loading={busy}>
            {t("Evaluate")}
          </Button>
          <CopyAsCurl method="POST" path={session.api.url(target)} body={body} />
        </Group>
      </form>
      <WriteError error={error} />
      {evaluation && (
        <Stack role="status">
          <Group gap="xs">
            <Text fw={600}>{t("Decision")}</Text>
            <Verdict status={evaluation.status} />
          </Group>
          {evaluation.results.map((result) => (
            <Card key={result.resource?.resourceId ?? result.scopes.join(" ")} withBorder>
              <Stack gap="xs">
                <Group gap="xs">
                  <Title order={3} size="h5">
                    {result.resource?.name ?? result.scopes.join(", ")}
                  </Title>
                  <Verdict status={result.status} />
                </Group>
                <Text size="sm">{served(result.reason)}</Text>
                {result.allowedScopes.length > 0 && (
                  <Text size="sm">{t("Allowed: {scopes}", { scopes: result.allowedScopes.join(", ") })}</Text>
                )}
                {result.deniedScopes.length > 0 && (
                  <Text size="sm">{t("Denied: {scopes}", { scopes: result.deniedScopes.join(", ") })}</Text>
                )}
                <List size="sm" spacing={6}>
                  {result.permissions.map((permission) => (
                    <List.Item key={permission.name}>
                      <Group gap="xs">
                        <Text size="sm" fw={600}>
                          {permission.name}
                        </Text>
                        <Verdict status={permission.status} />
                        <Text size="xs" c="dimmed">
                          {t(wordsFor("decisionStrategy", permission.decisionStrategy))}
                        </Text>
                      </Group>
                      <List size="sm" withPadding>
                        {permission.policies.map((policy) => (
                          <List.Item key={policy.name}>
                            {policy.name} <Verdict status={policy.status} /> {served(policy.reason)}
                          </List.Item>
                        ))}
                      </List>
                    </List.Item>
                  ))}
                </List>
              </Stack>
            </Card>
          ))}
        </Stack>
      )}
    </Stack>
  );
}
