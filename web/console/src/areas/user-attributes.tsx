import type { components } from "@gatehouse/api";
import { Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRealm } from "../app/session.tsx";
import { type Language, useLanguage, useText } from "../i18n/index.ts";
import { labelOf } from "../kit/schema.ts";
import type { Control } from "../kit/schema-form.tsx";
import { AttributeEditor, asStored, type Values, valuesOf } from "./attributes.tsx";

type Profile = components["schemas"]["RealmSettings"]["userProfile"];
type Declared = Profile["attributes"][number];
/** An attribute. A part of the name that the realm does not declare has only a name. */
type Attribute = Pick<Declared, "name"> & Partial<Declared>;

/** Every person has a first and a last name, even if the realm does not declare them. */
const NAMES: readonly Attribute[] = [{ name: "firstName" }, { name: "lastName" }];
const INPUTS: Partial<Record<Declared["type"], string>> = { date: "date", email: "email", url: "url" };

/** Edits a user's attributes: there is a field for each part of the name and for each attribute that the realm declares. The others are below them. */
export const UserAttributes: Control = (props) => <UserAttributeFields {...props} />;

function UserAttributeFields(props: Parameters<Control>[0]) {
  const { value, error, readOnly, errorOf, onChange } = props;
  const { api, realm } = useRealm();
  const profile = useQuery({
    queryKey: [realm, "record", "/users/profile"],
    queryFn: ({ signal }) => api.get<Profile>("/users/profile", { signal }),
  });
  const declared = profile.data?.data.attributes ?? [];
  const fields: readonly Attribute[] = [...NAMES.filter(({ name }) => !declared.some((one) => one.name === name)), ...declared];
  const attributes = (value ?? {}) as Readonly<Record<string, Values>>;
  const isField = (name: string) => fields.some((one) => one.name === name);
  const entries = Object.entries(attributes);
  const ofFields = Object.fromEntries(entries.filter(([name]) => isField(name)));
  const others = Object.fromEntries(entries.filter(([name]) => !isField(name)));
  const set = (name: string, values: readonly string[]) => {
    const { [name]: _, ...rest } = attributes;
    onChange(values.length === 0 ? rest : { ...rest, [name]: asStored(values) });
  };
  const isOfField = fields.some(({ name }) => errorOf(`attributes.${name}`) !== undefined);
  return (
    <Stack gap="sm">
      {fields.map((attribute) => (
        <AttributeField
          key={attribute.name}
          attribute={attribute}
          values={valuesOf(attributes[attribute.name])}
          error={errorOf(`attributes.${attribute.name}`)}
          readOnly={readOnly}
          onChange={(values) => set(attribute.name, values)}
        />
      ))}
      <AttributeEditor
        {...props}
        value={others}
        taken={isField}
        error={isOfField ? undefined : error}
        onChange={(next) => onChange({ ...ofFields, ...(next as object) })}
      />
    </Stack>
  );
}

interface FieldProps {
  readonly attribute: Attribute;
  readonly values: readonly string[];
  readonly error: string | undefined;
  readonly readOnly: boolean;
  onChange(values: readonly string[]): void;
}

function AttributeField({ attribute, values, error, readOnly, onChange }: FieldProps) {
  const t = useText();
  const language = useLanguage();
  const { name, displayName, hint, type = "string", options = [], multivalued = false, required = [], edit = ["admin"] } = attribute;
  const names: Readonly<Record<string, string>> = { firstName: t("First name"), lastName: t("Last name") };
  const shared = {
    label: wordsIn(displayName, language) ?? names[name] ?? labelOf(name),
    description: wordsIn(hint, language),
    disabled: readOnly || !edit.includes("admin"),
    withAsterisk: required.includes("admin"),
    error,
  };
  const one = (text: string | null) => onChange(text === null || text === "" ? [] : [text]);
  if (type === "choice" && values.length <= 1 && !multivalued) {
    const data = options.map((option) => ({ value: option.value, label: wordsIn(option.displayName, language) ?? option.value }));
    return <Select {...shared} data={data} value={values[0] ?? null} onChange={one} searchable clearable />;
  }
  if (multivalued || values.length > 1) {
    const data = options.map((option) => option.value);
    return <TagsInput {...shared} data={data} value={[...values]} onChange={onChange} splitChars={[]} acceptValueOnBlur />;
  }
  return (
    <TextInput {...shared} type={INPUTS[type] ?? "text"} value={values[0] ?? ""} onChange={(event) => one(event.currentTarget.value)} />
  );
}

/** Returns the text in the console's language, or in English, or in any language. */
const wordsIn = (texts: Readonly<Record<string, string>> | undefined, language: Language): string | undefined =>
  texts && (texts[language] ?? texts.en ?? Object.values(texts)[0]);
