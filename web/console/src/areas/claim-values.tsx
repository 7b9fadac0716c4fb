import { Autocomplete, TextInput } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import type { Control } from "../kit/schema-form.tsx";

interface Source {
  readonly title: string;
  readonly text: string;
  /** The values that are offered. Others may be typed. */
  readonly values?: readonly string[];
}

/** The value of a claim mapper, by its source. */
const SOURCES: Readonly<Record<string, Source>> = {
  attribute: { title: "Attribute", text: "The name of the user's attribute, such as department." },
  property: {
    title: "Property",
    text: "A member of the user.",
    values: ["userId", "username", "email", "emailVerified", "name", "createdAt", "updatedAt"],
  },
  roles: {
    title: "Roles",
    text: "realm: those of the realm. client: those of the application that the token is for. clients: those of all applications. Or client: and a client ID.",
    values: ["realm", "client", "clients"],
  },
  groups: { title: "Groups", text: "path, as in /Sales/Europe, or name.", values: ["path", "name"] },
  organizations: { title: "Organizations", text: "The form in which each is written.", values: ["alias", "id", "name", "details"] },
  constant: { title: "Value", text: "The same for everybody." },
  session: { title: "Session", text: "A fact of the sign-in.", values: ["authTime", "acr", "amr", "sid", "impersonator"] },
};

/** Edits the value of a claim mapper: what it means depends on the source. */
export const ClaimValue: Control = (props) => <ValueOf {...props} />;

function ValueOf({ value, draft, label, error, readOnly, onChange }: Parameters<Control>[0]) {
  const t = useText();
  const source = SOURCES[String(draft.source)];
  const shared = {
    label: source ? t(source.title) : label,
    description: source ? t(source.text) : t("Choose the source first."),
    error,
    disabled: readOnly,
    value: (value as string | null | undefined) ?? "",
  };
  const change = (next: string) => onChange(next === "" ? null : next);
  if (!source?.values) return <TextInput {...shared} onChange={(event) => change(event.currentTarget.value)} />;
  return (
    <Autocomplete
      {...shared}
      data={[...source.values]}
      placeholder={source.values[0] ?? ""}
      onChange={change}
      filter={({ options }) => options}
    />
  );
}
