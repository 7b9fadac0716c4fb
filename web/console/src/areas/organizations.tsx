import createSchema from "virtual:schema/CreateOrganization";
import updateSchema from "virtual:schema/UpdateOrganization";
import type { components } from "@gatehouse/api";
import { Badge, Button, Code, Group, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { failed, succeeded } from "../kit/notify.ts";
import { useOnce } from "../kit/once.ts";
import { AddByPicker, userPicker } from "../kit/picker.tsx";
import type { Resource, TabProps } from "../kit/resource.ts";
import type { Control } from "../kit/schema-form.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";
import { Attributes } from "./attributes.tsx";
import { OnOff } from "./users.tsx";

type Schemas = components["schemas"];
type Organization = Schemas["Organization"];

const MANAGE = ["manage-organizations"] as const;

const Members = ({ path, session }: TabProps<Organization>) => (
  <SubList<Schemas["OrganizationMember"]>
    path={`${path}/members`}
    manage={MANAGE}
    id={({ userId }) => userId}
    empty="No members yet"
    columns={[
      { title: "User", render: ({ username }) => username },
      { title: "Email", wide: true, render: ({ email }) => email ?? "–" },
      { title: "Role", render: ({ role }) => role },
      { title: "Joined", render: ({ joinedAt }) => <When time={joinedAt} /> },
    ]}
    name={({ username }) => username}
    remove={({ userId }) => `${path}/members/${userId}`}
    restore={({ userId, role }) => session.api.send("PUT", `${path}/members/${userId}`, { body: { role } })}
    add={(reload) => (
      <AddByPicker
        {...userPicker}
        action="Add member"
        add={(userId) => session.api.send("PUT", `${path}/members/${userId}`, { body: {} })}
        reload={reload}
      />
    )}
  />
);

function Invite({ path, session, reload }: Pick<TabProps<Organization>, "path" | "session"> & { reload(): Promise<void> }) {
  const t = useText();
  const [email, setEmail] = useState("");
  const { busy, once } = useOnce();
  const send = async () => {
    try {
      await session.api.send("POST", `${path}/invitations`, { body: { email } });
      succeeded(t("The invitation is on its way to {email}", { email }));
      setEmail("");
      await reload();
    } catch (error) {
      failed(error);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void once(send);
      }}
    >
      <Group align="flex-end">
        <TextInput
          type="email"
          label={t("Email")}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          required
          w={320}
        />
        <Button type="submit" loading={busy}>
          {t("Invite")}
        </Button>
      </Group>
    </form>
  );
}

const Invitations = ({ path, session }: TabProps<Organization>) => (
  <SubList<Schemas["Invitation"]>
    path={`${path}/invitations`}
    manage={MANAGE}
    id={({ invitationId }) => invitationId}
    empty="No invitations"
    columns={[
      { title: "Email", render: ({ email }) => email },
      { title: "Role", render: ({ role }) => role },
      { title: "Status", render: ({ status }) => <Badge variant="light">{status}</Badge> },
      { title: "Expires", render: ({ expiresAt }) => <When time={expiresAt} /> },
    ]}
    name={({ email }) => email}
    removeTitle="Withdraw"
    remove={({ invitationId }) => `${path}/invitations/${invitationId}`}
    add={(reload) => <Invite path={path} session={session} reload={reload} />}
  />
);

function Domains({ item, path, session, reload }: TabProps<Organization>) {
  const t = useText();
  const { busy, once } = useOnce();
  const verify = async (domain: string) => {
    try {
      await session.api.send("POST", `${path}/domains/${encodeURIComponent(domain)}/verify`);
      succeeded(t("{domain} is verified", { domain }));
    } catch (error) {
      failed(error);
    }
    await reload();
  };
  if (item.domains.length === 0)
    return <Text>{t("Add domains in the settings. A verified domain leads its users to the organization's identity provider.")}</Text>;
  return (
    <Stack>
      {item.domains.map(({ domain, verified, verification }) => (
        <Group key={domain} justify="space-between">
          <Stack gap={2}>
            <Group>
              <Text fw={600}>{domain}</Text>
              <Badge variant="light" color={verified ? "teal" : "orange"}>
                {verified ? t("Verified") : t("Not verified")}
              </Badge>
            </Group>
            {!verified && (
              <Text size="sm">
                {t("Publish this TXT record, then verify:")} <Code>{verification.recordName}</Code> <Code>{verification.recordValue}</Code>
              </Text>
            )}
          </Stack>
          {!verified && session.may(...MANAGE) && (
            <Button variant="default" loading={busy} onClick={() => void once(() => verify(domain))}>
              {t("Verify")}
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  );
}

type Domain = Schemas["Organization"]["domains"][number];

/** Edits domains by name. A domain that stays keeps its verification. */
const DomainNames: Control = (props) => <DomainTags {...props} />;

function DomainTags({ value, error, readOnly, onChange }: Parameters<Control>[0]) {
  const t = useText();
  const domains = (value ?? []) as readonly Domain[];
  return (
    <TagsInput
      label={t("Domains")}
      description={t("Mail domains of its users. The tab Domains says how each is verified.")}
      placeholder="initech.example"
      value={domains.map(({ domain }) => domain)}
      onChange={(names) => onChange(names.map((name) => domains.find(({ domain }) => domain === name) ?? { domain: name }))}
      acceptValueOnBlur
      disabled={readOnly}
      error={error}
    />
  );
}

export const organizations: Resource<Organization, Schemas["CreateOrganization"], Schemas["UpdateOrganization"]> = {
  title: "Organizations",
  singular: "organization",
  description: "Companies and teams inside this realm, with their domains, members and invitations.",
  path: "/organizations",
  search: "Search by name",
  key: ({ organizationId }) => organizationId,
  name: ({ name }) => name,
  permission: { view: ["view-users"], manage: MANAGE },
  columns: [
    { title: "Organization", sort: "name", render: ({ name }) => name },
    { title: "Alias", wide: true, render: ({ alias }) => <Code>{alias}</Code> },
    { title: "Domains", wide: true, render: ({ domains }) => domains.map(({ domain }) => domain).join(", ") || "–" },
    { title: "Members", render: ({ memberCount }) => memberCount.toLocaleString() },
    { title: "Enabled", render: ({ enabled }) => <OnOff on={enabled} /> },
  ],
  create: {
    schema: createSchema,
    sections: [{ fields: ["name", "displayName", "alias", "enabled"] }],
    controls: { attributes: Attributes, domains: DomainNames },
    defaults: { enabled: true },
  },
  edit: {
    schema: updateSchema,
    sections: [
      { fields: ["name", "displayName", "enabled"] },
      { title: "Sign-in", fields: ["domains", "identityProvider"] },
      { title: "Attributes", fields: ["attributes"] },
      { title: "Branding", fields: ["branding"] },
    ],
    controls: { attributes: Attributes, domains: DomainNames },
    hidden: ["realmId", "organizationId", "alias", "memberCount", "createdAt"],
  },
  tabs: [
    { id: "members", title: "Members", Component: Members },
    { id: "invitations", title: "Invitations", Component: Invitations },
    { id: "domains", title: "Domains", Component: Domains },
  ],
  canDelete: true,
};
