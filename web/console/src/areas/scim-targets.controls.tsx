import type { components } from "@gatehouse/api";
import { Fieldset, Stack, TextInput } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import { Choice } from "../kit/choice.tsx";
import { groupPicker, ManyPicker, organizationPicker } from "../kit/picker.tsx";
import type { Control } from "../kit/schema-form.tsx";

type Target = components["schemas"]["ScimTarget"];
type Props = Parameters<Control>[0];

/** Edits the credentials of the realm at the target. It shows only the members of the chosen method. */
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
        <Choice
          label="Authentication"
          options={[
            { value: "bearer", label: "Token: the secret below" },
            { value: "basic", label: "Username and password: the secret below" },
            { value: "oauth2", label: "OAuth 2.0 client credentials: the secret below" },
          ]}
          value={auth.type}
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

/** Edits the users that the target gets, by name. */
export const TargetUsers: Control = (props) => <Users {...props} />;

function Users({ value, error, readOnly, onChange }: Props) {
  const t = useText();
  const users = (value ?? {}) as Partial<Target["users"]>;
  const change = (part: Partial<Target["users"]>) => onChange({ ...users, ...part });
  return (
    <Fieldset legend={t("Users")} disabled={readOnly}>
      <Stack gap="sm">
        <Choice
          label="Which users"
          options={[
            { value: "all", label: "All users of the realm" },
            { value: "groups", label: "Members of groups, and of the groups below them" },
            { value: "organizations", label: "Members of organizations" },
          ]}
          value={users.scope ?? "all"}
          error={error}
          onChange={(scope) => change({ scope })}
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
        <Choice
          label="Their name there"
          description="By the address. A user without a confirmed address is not sent."
          options={[
            { value: "username", label: "Username" },
            { value: "email", label: "Confirmed email address" },
          ]}
          value={users.userName ?? "username"}
          onChange={(userName) => change({ userName })}
        />
        <Choice
          label="Email addresses"
          options={[
            { value: "all", label: "All" },
            { value: "confirmed", label: "Confirmed ones only" },
          ]}
          value={users.emails ?? "all"}
          onChange={(emails) => change({ emails })}
        />
      </Stack>
    </Fieldset>
  );
}

/** Edits the groups that the target gets. */
export const TargetGroups: Control = (props) => <Groups {...props} />;

function Groups({ value, error, readOnly, onChange }: Props) {
  const t = useText();
  const groups = (value ?? {}) as Partial<Target["groups"]>;
  const change = (part: Partial<Target["groups"]>) => onChange({ ...groups, ...part });
  return (
    <Fieldset legend={t("Groups")} disabled={readOnly}>
      <Stack gap="sm">
        <Choice
          label="Which groups"
          options={[
            { value: "none", label: "None" },
            { value: "all", label: "Those at the top of the tree" },
            { value: "listed", label: "The ones chosen here" },
          ]}
          value={groups.mode ?? "none"}
          error={error}
          onChange={(mode) => change({ mode })}
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
          <Choice
            label="A group that is deleted here"
            options={[
              { value: "delete", label: "is deleted there" },
              { value: "none", label: "stays there" },
            ]}
            value={groups.removed ?? "delete"}
            onChange={(removed) => change({ removed })}
          />
        )}
      </Stack>
    </Fieldset>
  );
}
