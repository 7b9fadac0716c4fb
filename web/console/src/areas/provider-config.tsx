import { Button, Fieldset, Group, PasswordInput, Stack, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { isStored, labelOf } from "../kit/schema.ts";
import type { Control } from "../kit/schema-form.tsx";

/** The members that people fill in first, by protocol; others can be added by name. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  oidc: ["issuer", "clientId", "clientSecret", "scopes"],
  oauth2: ["authorizationUrl", "tokenUrl", "userinfoUrl", "clientId", "clientSecret", "scopes", "subjectClaim"],
  saml: [
    "metadataUrl",
    "idpEntityId",
    "ssoUrl",
    "idpSigningCertificate",
    "singleLogoutServiceUrl",
    "emailAttribute",
    "firstNameAttribute",
    "lastNameAttribute",
  ],
  ldap: [
    "url",
    "bindDn",
    "bindPassword",
    "userSearchBase",
    "userSearchFilter",
    "uidAttribute",
    "emailAttribute",
    "firstNameAttribute",
    "lastNameAttribute",
  ],
  ad: ["url", "bindDn", "bindPassword", "userSearchBase", "userSearchFilter"],
  eherkenning: [
    "ssoUrl",
    "idpEntityId",
    "spEntityId",
    "idpSigningCertificate",
    "spSigningPrivateKey",
    "spSigningCertificate",
    "spDecryptionPrivateKey",
    "minimumLoa",
    "subjectAttribute",
  ],
  eidas: [
    "ssoUrl",
    "idpEntityId",
    "spEntityId",
    "idpSigningCertificate",
    "spSigningPrivateKey",
    "spSigningCertificate",
    "spDecryptionPrivateKey",
    "minimumLoa",
    "subjectAttribute",
  ],
  apple: ["clientId", "teamId", "keyId", "privateKey"],
};
const SOCIAL = ["clientId", "clientSecret"];

const SECRETS = /^(clientSecret|privateKey|bindPassword|clientKey|sp\w+PrivateKey)$/;
const LONG = /(Certificate|Key|Xml)$/;

/** The connection of a provider: a map whose keys depend on its protocol. */
export const ProviderConfig: Control = (props) => <ConfigEditor {...props} />;

function ConfigEditor({ value, draft, error, readOnly, bare, onChange }: Parameters<Control>[0]) {
  const t = useText();
  const [name, setName] = useState("");
  const config = (value ?? {}) as Readonly<Record<string, unknown>>;
  const first = MEMBERS[String(draft.protocol)] ?? SOCIAL;
  // The server alone says which secrets are stored.
  const isSaid = (member: string) => member.endsWith("Set") && typeof config[member] === "boolean";
  const names = [...first, ...Object.keys(config).filter((one) => !first.includes(one) && !isSaid(one))];
  const set = (member: string, text: string) => {
    const rest = Object.fromEntries(Object.entries(config).filter(([key]) => key !== member));
    onChange(text === "" ? rest : { ...rest, [member]: parsed(config[member], text) });
  };
  return (
    <Fieldset {...(bare ? { variant: "unstyled", "aria-label": t("Connection") } : { legend: t("Connection") })} disabled={readOnly}>
      <Stack gap="sm">
        {error && (
          <span role="alert" className="field-error">
            {error}
          </span>
        )}
        {names.map((member) => {
          const stored = config[member];
          const shared = {
            label: t(labelOf(member)),
            value: stored === undefined || stored === null ? "" : typeof stored === "string" ? stored : JSON.stringify(stored),
          };
          const replace = (next: unknown) => onChange({ ...config, [member]: next });
          if (typeof stored === "boolean")
            return <Switch key={member} label={shared.label} checked={stored} onChange={(event) => replace(event.currentTarget.checked)} />;
          if (Array.isArray(stored) && stored.every((one) => typeof one === "string"))
            return <TagsInput key={member} label={shared.label} value={stored} acceptValueOnBlur onChange={replace} />;
          if (SECRETS.test(member) && !LONG.test(member))
            return (
              <PasswordInput
                key={member}
                {...shared}
                autoComplete="new-password"
                {...(isStored(config, member) && { placeholder: t("Leave empty to keep the present one") })}
                onChange={(event) => set(member, event.currentTarget.value)}
              />
            );
          if (LONG.test(member))
            return (
              <Textarea
                key={member}
                {...shared}
                autosize
                minRows={2}
                maxRows={10}
                onChange={(event) => set(member, event.currentTarget.value)}
              />
            );
          return <TextInput key={member} {...shared} onChange={(event) => set(member, event.currentTarget.value)} />;
        })}
        <Group align="flex-end">
          <TextInput label={t("Another setting")} value={name} onChange={(event) => setName(event.currentTarget.value)} />
          <Button
            variant="default"
            disabled={!/^\w+$/.test(name) || name in config}
            onClick={() => {
              onChange({ ...config, [name]: "" });
              setName("");
            }}
          >
            {t("Add")}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}

/** Keeps the type of a stored value; new ones that read as JSON lists, numbers or booleans become such. */
function parsed(stored: unknown, text: string): unknown {
  if (typeof stored === "string") return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" || typeof value === "boolean" || typeof value === "number" ? value : text;
  } catch {
    return text;
  }
}
