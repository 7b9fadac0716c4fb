import type { components } from "@gatehouse/api";
import {
  Alert,
  Badge,
  Button,
  Checkbox,
  Code,
  Group,
  MultiSelect,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { Activity } from "../kit/activity.tsx";
import { optionsOf, wordsFor } from "../kit/choice-labels.ts";
import { save } from "../kit/download.ts";
import { failed, succeeded } from "../kit/notify.ts";
import { useOnce } from "../kit/once.ts";
import { AddByPicker, groupPicker } from "../kit/picker.tsx";
import type { Tab, TabProps } from "../kit/resource.ts";
import { WriteError } from "../kit/states.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";
import { Word } from "../kit/word.tsx";
import { AddRole } from "./role-names.tsx";

type Schemas = components["schemas"];
type User = Schemas["User"];
type Props = TabProps<User>;

const MANAGE = ["manage-users"] as const;
const ACTIONS: readonly Schemas["RequiredActions"][number][] = [
  "UPDATE_PASSWORD",
  "VERIFY_EMAIL",
  "CONFIGURE_TOTP",
  "CONFIGURE_PASSKEY",
  "UPDATE_PROFILE",
  "ACCEPT_TERMS",
];

function Credentials({ path, session, reload }: Props) {
  const t = useText();
  return (
    <Stack>
      {session.may(...MANAGE) && <SetPassword path={path} session={session} reload={reload} />}
      <Title order={2} size="h4">
        {t("Credentials")}
      </Title>
      <SubList<Schemas["Credential"]>
        path={`${path}/credentials`}
        manage={MANAGE}
        id={({ id }) => id}
        empty="No credentials yet"
        emptyText="Set a password, or let the user set one up at the next sign-in."
        columns={[
          { title: "Type", render: ({ type }) => <Word of="credential" value={type} /> },
          {
            title: "Label",
            render: ({ label, turnedOffAt }) => (
              <>
                {label ?? "–"} {turnedOffAt !== undefined && <Badge color="red">{t("Turned off")}</Badge>}
              </>
            ),
          },
          { title: "Added", render: ({ createdAt }) => <When time={createdAt} /> },
          { title: "Last used", wide: true, render: ({ lastUsedAt }) => <When time={lastUsedAt} /> },
        ]}
        name={({ type, label }) => label ?? t(wordsFor("credential", type))}
        remove={({ type, id }) => `${path}/credentials/${type}/${id}`}
      />
    </Stack>
  );
}

function SetPassword({ path, session, reload }: Pick<Props, "path" | "session" | "reload">) {
  const t = useText();
  const [password, setPassword] = useState("");
  const [temporary, setTemporary] = useState(true);
  const { busy, once } = useOnce();
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    setError(null);
    try {
      await session.api.send("PUT", `${path}/password`, { body: { newPassword: password, temporary } });
      setPassword("");
      succeeded(t("The password is set"));
      await reload();
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void once(save);
      }}
    >
      <Stack maw={420}>
        <Title order={2} size="h4">
          {t("Set a password")}
        </Title>
        <WriteError error={error} />
        <PasswordInput
          label={t("New password")}
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          required
        />
        <Checkbox
          label={t("Ask for a new one at the next sign-in")}
          checked={temporary}
          onChange={(event) => setTemporary(event.currentTarget.checked)}
        />
        <Group>
          <Button type="submit" disabled={password === ""} loading={busy}>
            {t("Set password")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RequiredActions({ item, path, session, reload }: Props) {
  const t = useText();
  const { api, realm, may } = session;
  const { busy, once } = useOnce();
  const actions = useQuery({
    queryKey: [realm, "sub", path, "required-actions"],
    queryFn: async () => (await api.get<string[]>(`${path}/required-actions`)).data,
  });
  const save = async (next: string[]) => {
    try {
      await api.send("PUT", `${path}/required-actions`, { body: next });
      await reload();
    } catch (error) {
      failed(error);
    }
  };
  const mail = async () => {
    try {
      await api.send("POST", `${path}/send-actions-email`, { body: { actions: actions.data } });
      succeeded(t("The mail is on its way"));
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Stack maw={520}>
      <Text size="sm">{t("The user completes these at the next sign-in, in this order.")}</Text>
      <MultiSelect
        label={t("Required actions")}
        data={optionsOf("requiredActions", ACTIONS, t)}
        value={actions.data ?? []}
        disabled={!may(...MANAGE) || actions.isPending}
        onChange={(next) => void save(next)}
      />
      {may(...MANAGE) && (
        <Group>
          <Button
            variant="default"
            disabled={!item.email || (actions.data ?? []).length === 0}
            loading={busy}
            onClick={() => void once(mail)}
          >
            {t("Send a mail with a link to them")}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const Roles = ({ path, session }: Props) => (
  <SubList<Schemas["RoleMapping"]>
    path={`${path}/roles`}
    manage={["manage-users", "manage-roles"]}
    id={({ roleId }) => roleId}
    empty="No roles"
    columns={[
      { title: "Role", render: ({ name }) => name },
      { title: "Client", render: ({ clientId }) => clientId ?? "–" },
      {
        title: "From",
        render: ({ direct, origins }) =>
          direct ? "direct" : origins.map(({ type, name }) => (name ? `${type} ${name}` : type)).join(", "),
      },
    ]}
    name={({ name }) => name}
    remove={({ roleId, direct }) => (direct ? `${path}/roles/${roleId}` : null)}
    restore={({ name, clientId }) => session.api.send("POST", `${path}/roles`, { body: { name, clientId } })}
    add={(reload) => (
      <AddRole
        action="Assign"
        add={({ name, clientId }) => session.api.send("POST", `${path}/roles`, { body: { name, clientId } })}
        reload={reload}
      />
    )}
  />
);

type UserGroup = Schemas["UserGroup"];
const Groups = ({ item, path, session }: Props) => {
  const t = useText();
  return (
    <SubList<UserGroup>
      path={`${path}/groups`}
      manage={["manage-organizations"]}
      id={({ groupId }) => groupId}
      empty="In no group"
      columns={[
        { title: "Group", render: ({ path: names }) => names },
        { title: "From", render: ({ direct }) => t(direct ? "direct" : "a group below it") },
        { title: "Joined", render: ({ joinedAt }) => <When time={joinedAt} /> },
      ]}
      name={({ path: names }) => names}
      remove={({ groupId, direct }) => (direct ? `/groups/${groupId}/members/${item.userId}` : null)}
      restore={({ groupId }) => session.api.send("PUT", `/groups/${groupId}/members/${item.userId}`)}
      add={(reload) => (
        <AddByPicker
          {...groupPicker}
          action="Add to group"
          add={(groupId) => session.api.send("PUT", `/groups/${groupId}/members/${item.userId}`)}
          reload={reload}
        />
      )}
    />
  );
};

const Sessions = ({ path }: Props) => (
  <SubList<Schemas["Session"]>
    path={`${path}/sessions`}
    manage={["manage-events"]}
    id={({ id }) => id}
    empty="Not signed in anywhere"
    columns={[
      {
        title: "Browser",
        render: ({ userAgent }) => (
          <Text size="sm" lineClamp={1}>
            {userAgent ?? "–"}
          </Text>
        ),
      },
      { title: "Address", render: ({ sourceIp }) => sourceIp ?? "–" },
      { title: "Signed in", render: ({ authTime }) => <When time={authTime} /> },
      { title: "Seen", wide: true, render: ({ lastSeenAt }) => <When time={lastSeenAt} /> },
      { title: "Proven by", wide: true, render: ({ amr }) => amr.join(", ") },
    ]}
    name={({ sourceIp }) => sourceIp ?? "session"}
    removeTitle="End session"
    remove={({ id }) => `/sessions/${id}`}
  />
);

const Links = ({ path }: Props) => (
  <SubList<Schemas["LinkedAccount"]>
    path={`${path}/linked-accounts`}
    manage={MANAGE}
    id={({ alias }) => alias}
    empty="No linked accounts"
    columns={[
      { title: "Provider", render: ({ displayName }) => displayName },
      { title: "Account", render: ({ username, subject }) => username ?? subject },
      { title: "Linked", render: ({ linkedAt }) => <When time={linkedAt} /> },
      { title: "Last used", wide: true, render: ({ lastUsedAt }) => <When time={lastUsedAt} /> },
    ]}
    name={({ displayName }) => displayName}
    removeTitle="Unlink"
    remove={({ alias }) => `${path}/linked-accounts/${encodeURIComponent(alias)}`}
  />
);

function Privacy({ item, path, session }: Props) {
  const t = useText();
  const download = async () => {
    try {
      const { data } = await session.api.get(`${path}/gdpr/export`);
      save(`${item.username}.json`, JSON.stringify(data, null, 2));
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Stack>
      <Group>
        <Button variant="default" onClick={() => void download()}>
          {t("Download this person's data")}
        </Button>
      </Group>
      <Title order={2} size="h4">
        {t("Consents")}
      </Title>
      <SubList<Schemas["Consent"]>
        path={`${path}/gdpr/consents`}
        manage={MANAGE}
        id={({ clientId }) => clientId}
        empty="No consents"
        columns={[
          { title: "Application", render: ({ clientId }) => <Code>{clientId}</Code> },
          { title: "Scopes", render: ({ scopes }) => scopes.join(", ") },
          { title: "Granted", render: ({ grantedAt }) => <When time={grantedAt} /> },
        ]}
        name={({ clientId }) => clientId}
        removeTitle="Revoke"
        remove={({ clientId }) => `${path}/gdpr/consents/${encodeURIComponent(clientId)}`}
      />
      {session.may(...MANAGE) && <Alert color="gray">{t("You can erase a user by the actions above.")}</Alert>}
    </Stack>
  );
}

/** Shows the events about this user, and the events of this user's own actions. */
function UserActivity({ item }: Props) {
  const t = useText();
  const [by, setBy] = useState("about");
  return (
    <Stack>
      <Group>
        <SegmentedControl
          aria-label={t("Events")}
          data={[
            { value: "about", label: t("About this person") },
            { value: "by", label: t("By this person") },
          ]}
          value={by}
          onChange={setBy}
        />
      </Group>
      {by === "by" ? <Activity actor={item.userId} /> : <Activity resourceType="users" resourceId={item.userId} />}
    </Stack>
  );
}

export const userTabs: readonly Tab<User>[] = [
  { id: "credentials", title: "Credentials", Component: Credentials },
  { id: "required-actions", title: "Required actions", Component: RequiredActions },
  { id: "roles", title: "Role mappings", Component: Roles },
  { id: "groups", title: "Groups", Component: Groups },
  { id: "sessions", title: "Sessions", Component: Sessions },
  { id: "links", title: "Linked accounts", Component: Links },
  { id: "privacy", title: "Privacy", Component: Privacy },
  { id: "activity", title: "Activity", permission: ["view-events"], Component: UserActivity },
];
