import invitationSchema from "virtual:schema/CreateInvitation";
import createSchema from "virtual:schema/CreateOrganization";
import memberSchema from "virtual:schema/SetOrganizationMember";
import updateSchema from "virtual:schema/UpdateOrganization";
import type { components } from "@gatehouse/api";
import { Autocomplete, Badge, Button, Code, Group, Stack, TagsInput, Text } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import { failed, succeeded } from "../kit/notify.ts";
import { useOnce } from "../kit/once.ts";
import { onePicked } from "../kit/picked.tsx";
import { AddByPicker, identityProviderPicker, userPicker } from "../kit/picker.tsx";
import type { FormSpec, Resource, TabProps } from "../kit/resource.ts";
import type { Control } from "../kit/schema-form.tsx";
import { SubForm } from "../kit/sub-form.tsx";
import { SubList } from "../kit/sub-list.tsx";
import { When } from "../kit/when.tsx";
import { Word } from "../kit/word.tsx";
import { Attributes } from "./attributes.tsx";
import { OnOff } from "./users.tsx";

type Schemas = components["schemas"];
type Organization = Schemas["Organization"];

const MANAGE = ["manage-organizations"] as const;

const RoleInIt: Control = ({ value, label, description, error, readOnly, onChange }) => (
  <Autocomplete
    label={label}
    description={description}
    data={["member", "admin", "owner"]}
    filter={({ options }) => options}
    value={(value as string | undefined) ?? ""}
    error={error}
    disabled={readOnly}
    onChange={(next) => onChange(next === "" ? undefined : next)}
  />
);

const memberForm = {
  schema: memberSchema.anyOf![0]!,
  sections: [{ fields: ["role", "managed"] }],
  controls: { role: RoleInIt },
  only: true,
} satisfies FormSpec<Schemas["OrganizationMember"]>;

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
    form={{ path: ({ userId }) => `${path}/members/${userId}`, spec: memberForm }}
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

const Invitations = ({ path }: TabProps<Organization>) => (
  <SubList<Schemas["Invitation"]>
    path={`${path}/invitations`}
    manage={MANAGE}
    id={({ invitationId }) => invitationId}
    empty="No invitations"
    columns={[
      { title: "Email", render: ({ email }) => email },
      { title: "Role", render: ({ role }) => role },
      { title: "Status", render: ({ status }) => <Word of="status" value={status} /> },
      { title: "Expires", render: ({ expiresAt }) => <When time={expiresAt} /> },
    ]}
    name={({ email }) => email}
    removeTitle="Withdraw"
    remove={({ invitationId }) => `${path}/invitations/${invitationId}`}
    add={(reload) => (
      <SubForm
        title="Invite"
        path={`${path}/invitations`}
        form={{ schema: invitationSchema, sections: [{ fields: ["email", "role", "expiresInHours"] }], controls: { role: RoleInIt } }}
        defaults={{ role: "member" }}
        reload={reload}
      />
    )}
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
    controls: { attributes: Attributes, domains: DomainNames, identityProvider: onePicked(identityProviderPicker) },
    hidden: ["realmId", "organizationId", "alias", "memberCount", "createdAt"],
  },
  tabs: [
    { id: "members", title: "Members", Component: Members },
    { id: "invitations", title: "Invitations", Component: Invitations },
    { id: "domains", title: "Domains", Component: Domains },
  ],
  canDelete: true,
};
