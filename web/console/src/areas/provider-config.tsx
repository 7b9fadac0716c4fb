import { Accordion, Fieldset, Stack } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import { wordsFor } from "../kit/choice-labels.ts";
import { schemaFor } from "../kit/conditions.ts";
import { Field, shownDescription } from "../kit/fields.tsx";
import { manyPicked } from "../kit/picked.tsx";
import { groupPicker } from "../kit/picker.tsx";
import { type Draft, isStored, labelOf, type Schema } from "../kit/schema.ts";
import type { Control } from "../kit/schema-form.tsx";
import { RoleNames } from "./role-names.tsx";

const EID = [
  "metadataUrl",
  "idpEntityId",
  "ssoUrl",
  "idpSigningCertificate",
  "spEntityId",
  "spSigningPrivateKey",
  "spSigningCertificate",
  "spDecryptionPrivateKey",
  "minimumLoa",
  "subjectAttribute",
];
/** The members that people fill in first, by protocol. The others come after them. */
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
  eherkenning: EID,
  eidas: EID,
  apple: ["clientId", "teamId", "keyId", "privateKey"],
};
const SOCIAL = ["clientId", "clientSecret"];
/** The protocols that are one well-known provider, whose name is the best alias. */
const SOCIAL_NAMES = ["google", "github", "microsoft", "apple", "gitlab", "linkedin", "facebook", "discord"];
/** Decisions that every provider needs. */
const DECISIONS = ["provisioning", "sync", "trustEmail"];

/** Members that name records of the realm, which are chosen by searching. */
const RECORDS: Readonly<Record<string, Control>> = {
  defaultRoles: RoleNames,
  defaultGroups: manyPicked({ ...groupPicker, label: "Default groups" }),
};

type Config = Readonly<Record<string, unknown>>;

/** Tells whether the member says that a secret is stored, which only the server knows. */
const isSaid = (name: string, properties: Readonly<Record<string, Schema>>) => name.endsWith("Set") && name.slice(0, -3) in properties;

/** Edits the connection of a provider. Its members depend on its protocol, and most may be left out. */
export const ProviderConfig: Control = (props) => <ConfigEditor {...props} />;

function ConfigEditor({ value, draft, schema, error, errorOf, readOnly, bare, onChange }: Parameters<Control>[0]) {
  const t = useText();
  const config = (value ?? {}) as Config;
  const properties = schema.properties ?? {};
  const all = Object.keys(properties).filter((name) => !isSaid(name, properties));
  const wanted = [...(MEMBERS[String(draft.protocol)] ?? SOCIAL), ...DECISIONS];
  const first = [...new Set(wanted)].filter((name) => all.includes(name));
  const rest = all.filter((name) => !first.includes(name));
  const set = (name: string, next: unknown) => {
    const others = Object.fromEntries(Object.entries(config).filter(([key]) => key !== name));
    onChange(next === undefined || next === null || next === "" ? others : { ...others, [name]: next });
  };
  const field = (name: string) => {
    const inner = properties[name]!;
    const required = schema.required?.includes(name) ?? false;
    const own = RECORDS[name];
    if (own) {
      const shown = { label: t(labelOf(name)), description: shownDescription(t, inner), schema: inner, bare: false, draft, readOnly };
      const change = (next: unknown) => set(name, (next as readonly string[]).length > 0 ? next : undefined);
      return (
        <div key={name}>{own({ ...shown, value: config[name] ?? [], error: errorOf(`config.${name}`), errorOf, onChange: change })}</div>
      );
    }
    return (
      <Field
        key={name}
        name={name}
        path={`config.${name}`}
        schema={required ? editable(name, inner) : optional(editable(name, inner))}
        required={required}
        value={written(name, inner, config[name])}
        unset="By default"
        readOnly={readOnly}
        stored={isStored(config, name)}
        onChange={(next) => set(name, next)}
        errorOf={errorOf}
      />
    );
  };
  const hasFault = rest.some((name) => errorOf(`config.${name}`) !== undefined);
  const atNoField = error !== undefined && !all.some((name) => errorOf(`config.${name}`) !== undefined);
  return (
    <Fieldset {...(bare ? { variant: "unstyled", m: 0, "aria-label": t("Connection") } : { legend: t("Connection") })} disabled={readOnly}>
      <Stack gap="sm">
        {atNoField && (
          <span role="alert" className="field-error">
            {error}
          </span>
        )}
        {first.map(field)}
        {rest.length > 0 && (
          <Accordion variant="separated" key={String(hasFault)} {...(hasFault && { defaultValue: "more" })}>
            <Accordion.Item value="more">
              <Accordion.Control>{t("More about the connection")}</Accordion.Control>
              <Accordion.Panel>
                <Stack gap="sm">{rest.map(field)}</Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
      </Stack>
    </Fieldset>
  );
}

const LONG = /Certificate$/;
const textIn = ({ anyOf = [] }: Schema) => anyOf.find(({ type }) => type === "string");
const listIn = ({ anyOf = [] }: Schema) => anyOf.find(({ type }) => type === "array");

/** Returns the schema for editing. A member that may be a text or a list is edited as one of them: certificates as a text, others as a list. */
function editable(name: string, schema: Schema): Schema {
  const chosen = LONG.test(name) ? textIn(schema) : listIn(schema);
  return chosen ? { ...chosen, ...(schema.description !== undefined && { description: schema.description }) } : schema;
}

/** Returns the stored value in the form in which it is edited. */
function written(name: string, schema: Schema, value: unknown): unknown {
  if (!textIn(schema) || !listIn(schema)) return value;
  if (LONG.test(name)) return Array.isArray(value) ? value.join("\n") : value;
  return typeof value === "string" ? value.split(" ").filter((word) => word !== "") : value;
}

/** Adds an empty option to an optional choice, so that an open decision does not look made. */
function optional(schema: Schema): Schema {
  if (schema.type !== "boolean") return schema;
  return { anyOf: [schema, { type: "null" }], ...(schema.description !== undefined && { description: schema.description }) };
}

/** Adapts a draft to another protocol: it drops the members that the protocol does not have. */
export const settledConfig = (schema: Schema) => (next: Draft, before: Draft) => {
  if (next.protocol === before.protocol) return next;
  const social = SOCIAL_NAMES.includes(String(next.protocol)) ? String(next.protocol) : "";
  // A name that was proposed for the former protocol goes with it.
  const proposed = (member: string, of: (protocol: string) => string) =>
    (next[member] ?? "") === "" || next[member] === of(String(before.protocol)) ? (social ? of(social) : undefined) : next[member];
  const members = schemaFor(schema, next).properties?.config?.properties ?? {};
  const names = {
    alias: proposed("alias", (protocol) => protocol),
    displayName: proposed("displayName", (protocol) => wordsFor("protocol", protocol)),
  };
  return {
    ...next,
    ...names,
    config: Object.fromEntries(Object.entries((next.config ?? {}) as Config).filter(([name]) => name in members)),
  };
};
