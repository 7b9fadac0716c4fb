import type { components } from "@gatehouse/api";
import { Fieldset, Select, Stack, TextInput } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import { groupPicker, ManyPicker, organizationPicker } from "../kit/picker.tsx";
import type { Control } from "../kit/schema-form.tsx";

type Target = components["schemas"]["ScimTarget"];
type Props = Parameters<Control>[0];

/** The credentials of the realm at the target: only the members of the chosen way. */
export const TargetAuth: Control = (props) => <Auth {...props} />;

const MEMBERS = {
  bearer: [],
  basic: [["username", "Username"]],
  oauth2: [
    ["tokenUrl", "Token endpoint"],
    ["clientId", "Client ID"],
    ["scope", "Scope, if the service needs one"],
  ],
} as const;

function Auth({ value, error, readOnly, onChange }: Props) {
  const t = useText();
  const auth = (value ?? { type: "bearer" }) as Record<string, string> & { type: keyof typeof MEMBERS };
  return (
    <Fieldset legend={t("How it is asked")} disabled={readOnly}>
      <Stack gap="sm">
        <Select
          label={t("Authentication")}
          data={[
            { value: "bearer", label: t("Token: the secret below") },
            { value: "basic", label: t("Username and password: the secret below") },
            { value: "oauth2", label: t("OAuth 2.0 client credentials: the secret below") },
          ]}
          value={auth.type}
          allowDeselect={false}
          error={error}
          onChange={(type) => onChange({ type })}
        />
        {MEMBERS[auth.type].map(([member, label]) => (
          <TextInput
            key={member}
            label={t(label)}
            value={auth[member] ?? ""}
            onChange={(event) => onChange({ ...auth, [member]: event.currentTarget.value || undefined })}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}

/** The users that the target has, chosen by name. */
export const TargetUsers: Control = (props) => <Users {...props} />;

function Users({ value, error, readOnly, onChange }: Props) {
  const t = useText();
  const users = (value ?? {}) as Partial<Target["users"]>;
  const change = (part: Partial<Target["users"]>) => onChange({ ...users, ...part });
  return (
    <Fieldset legend={t("Users")} disabled={readOnly}>
      <Stack gap="sm">
        <Select
          label={t("Which users")}
          data={[
            { value: "all", label: t("All users of the realm") },
            { value: "groups", label: t("Members of groups, and of the groups below them") },
            { value: "organizations", label: t("Members of organizations") },
          ]}
          value={users.scope ?? "all"}
          allowDeselect={false}
          error={error}
          onChange={(scope) => change({ scope: (scope ?? "all") as NonNullable<Target["users"]["scope"]> })}
        />
        {users.scope === "groups" && (
          <ManyPicker
            {...groupPicker}
            label="Groups"
            chosen={users.groupIds ?? []}
            disabled={readOnly}
            onChoose={(groupIds) => change({ groupIds: [...groupIds] })}
          />
        )}
        {users.scope === "organizations" && (
          <ManyPicker
            {...organizationPicker}
            label="Organizations"
            chosen={users.organizationIds ?? []}
            disabled={readOnly}
            onChoose={(organizationIds) => change({ organizationIds: [...organizationIds] })}
          />
        )}
        <Select
          label={t("Their name there")}
          description={t("By the address: a user without a confirmed one is not sent.")}
          data={[
            { value: "username", label: t("Username") },
            { value: "email", label: t("Confirmed email address") },
          ]}
          value={users.userName ?? "username"}
          allowDeselect={false}
          onChange={(userName) => change({ userName: (userName ?? "username") as NonNullable<Target["users"]["userName"]> })}
        />
        <Select
          label={t("Email addresses")}
          data={[
            { value: "all", label: t("All") },
            { value: "confirmed", label: t("Confirmed ones only") },
          ]}
          value={users.emails ?? "all"}
          allowDeselect={false}
          onChange={(emails) => change({ emails: (emails ?? "all") as NonNullable<Target["users"]["emails"]> })}
        />
      </Stack>
    </Fieldset>
  );
}

/** The groups that the target has. */
export const TargetGroups: Control = (props) => <Groups {...props} />;

function Groups({ value, error, readOnly, onChange }: Props) {
  const t = useText();
  const groups = (value ?? {}) as Partial<Target["groups"]>;
  const change = (part: Partial<Target["groups"]>) => onChange({ ...groups, ...part });
  return (
    <Fieldset legend={t("Groups")} disabled={readOnly}>
      <Stack gap="sm">
        <Select
          label={t("Which groups")}
          data={[
            { value: "none", label: t("None") },
            { value: "all", label: t("Those at the top of the tree") },
            { value: "listed", label: t("The ones chosen here") },
          ]}
          value={groups.mode ?? "none"}
          allowDeselect={false}
          error={error}
          onChange={(mode) => change({ mode: (mode ?? "none") as NonNullable<Target["groups"]["mode"]> })}
        />
        {groups.mode === "listed" && (
          <ManyPicker
            {...groupPicker}
            label="Groups"
            chosen={groups.groupIds ?? []}
            disabled={readOnly}
            onChoose={(groupIds) => change({ groupIds: [...groupIds] })}
          />
        )}
        {(groups.mode ?? "none") !== "none" && (
          <Select
            label={t("A group that is deleted here")}
            data={[
              { value: "delete", label: t("is deleted there") },
              { value: "none", label: t("stays there") },
            ]}
            value={groups.removed ?? "delete"}
            allowDeselect={false}
            onChange={(removed) => change({ removed: (removed ?? "delete") as NonNullable<Target["groups"]["removed"]> })}
          />
        )}
      </Stack>
    </Fieldset>
  );
}
