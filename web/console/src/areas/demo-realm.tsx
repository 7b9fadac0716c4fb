import { ApiProblem, type components } from "@gatehouse/api";
import { Button, Group, Modal, Progress, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { realmApi, serverApi } from "../app/api.ts";
import { useText } from "../i18n/index.ts";
import { Secret } from "../kit/secret.tsx";
import { WriteError } from "../kit/states.tsx";

type Schemas = components["schemas"];

const REALM = "demo";
const PEOPLE = [
  ["ada", "Ada", "Lovelace"],
  ["grace", "Grace", "Hopper"],
  ["alan", "Alan", "Turing"],
  ["katherine", "Katherine", "Johnson"],
  ["edsger", "Edsger", "Dijkstra"],
  ["radia", "Radia", "Perlman"],
] as const;

/** Returns a password of 20 random letters and digits. */
function randomPassword(): string {
  const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join("");
}

/** Makes a call that creates a record. A record that exists already stays unchanged, and the result is null. */
async function unlessThere<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 409) return null;
    throw error;
  }
}

/** Fills the realm `demo` with people, groups, roles, an organization and an application. */
async function fillDemo(password: string, step: (done: number) => void): Promise<void> {
  await unlessThere(() => serverApi.send("POST", "/admin/realms", { body: { realm: REALM, displayName: "Demo" } }));
  const api = realmApi(REALM);
  const create = <T,>(path: string, body: unknown) => unlessThere(async () => (await api.send<T>("POST", path, { body })).data);
  const role = { name: "support" };
  await create("/roles", role);
  const group = await create<Schemas["Group"]>("/groups", { name: "Engineering" });
  if (group) await create("/groups", { name: "Platform", parentId: group.groupId });
  const organization = await create<Schemas["Organization"]>("/organizations", {
    name: "Initech",
    domains: [{ domain: "initech.example" }],
  });
  step(1);
  for (const [place, [username, firstName, lastName]] of PEOPLE.entries()) {
    const body = {
      username,
      email: `${username}@initech.example`,
      emailVerified: true,
      enabled: true,
      password,
      roles: place === 0 ? ["user", role.name] : ["user"],
      attributes: { firstName, lastName },
    };
    const user = await create<Schemas["User"]>("/users", body);
    if (user && group && place < 3) await api.send("PUT", `/groups/${group.groupId}/members/${user.userId}`);
    if (user && organization)
      await api.send("PUT", `/organizations/${organization.organizationId}/members/${user.userId}`, { body: { role: "member" } });
    step(2 + place);
  }
  await create("/clients", {
    clientId: "demo-app",
    name: "Demo application",
    publicClient: true,
    redirectUris: ["http://localhost:3000/callback"],
    webOrigins: ["+"],
  });
  step(STEPS);
}

const STEPS = PEOPLE.length + 2;

export function DemoRealm({ close }: { close(): void }) {
  const t = useText();
  const client = useQueryClient();
  const [password] = useState(randomPassword);
  const [done, setDone] = useState(0);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    fillDemo(password, setDone).then(() => client.invalidateQueries({ queryKey: ["realms"] }), setError);
  }, [password, client]);
  return (
    <Modal opened onClose={close} title={t("Demo realm")}>
      <Stack>
        <WriteError error={error} />
        <Progress value={(done / STEPS) * 100} aria-label={t("Progress")} />
        {done === STEPS && (
          <>
            <Text size="sm">{t("The realm demo has users, a group, a role, an organization and an application.")}</Text>
            <Secret title="Password of ada and the other new users" value={password} />
            <Group justify="flex-end">
              <Button component={Link} to={`/realms/${REALM}/overview` as never}>
                {t("Open the realm")}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  );
}
