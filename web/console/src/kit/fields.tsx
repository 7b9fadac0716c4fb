import {
  Code,
  Fieldset,
  JsonInput,
  MultiSelect,
  NumberInput,
  PasswordInput,
  Select,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from "@mantine/core";
import { type ReactNode, useState } from "react";
import { type Translate, useText } from "../i18n/index.ts";
import { optionsOf } from "./choice-labels.ts";
import { localTime } from "./local-time.ts";
import { type Described, describe, isStored, labelOf, type Schema } from "./schema.ts";

export interface FieldProps {
  readonly name: string;
  /** The path of the member in the form in which problems name it. */
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly value: unknown;
  readonly label?: string;
  readonly readOnly?: boolean;
  /** True if it is alone below a heading that already names it. */
  readonly bare?: boolean;
  /** True for a secret that the record has. It is never returned. */
  readonly stored?: boolean;
  /** The text for a yes or no that is not decided here. */
  readonly unset?: string;
  onChange(value: unknown): void;
  errorOf(path: string): string | undefined;
}

/** Shows one member of a record, with the control that fits its schema. */
export function Field({
  name,
  path,
  schema,
  required,
  value,
  label,
  readOnly = false,
  bare = false,
  stored = false,
  unset = "Inherited",
  onChange,
  errorOf,
}: FieldProps) {
  const t = useText();
  const described = describe(name, schema);
  const { kind, nullable } = described;
  const shared = {
    label: label ?? t(labelOf(name)),
    description: shownDescription(t, { ...described.schema, ...schema }),
    error: errorOf(path),
    readOnly,
    disabled: readOnly,
    required: required && !nullable && kind.kind !== "boolean",
  };
  const empty = nullable ? null : "";
  // The server sets what is left out, and the form shows it.
  const shownChoice = value === undefined ? described.schema.default : value;
  switch (kind.kind) {
    case "boolean":
      if (nullable) {
        const options = [
          { value: "", label: t(unset) },
          { value: "true", label: t("Yes") },
          { value: "false", label: t("No") },
        ];
        const chosen = value === undefined || value === null ? "" : String(value);
        return <Select {...shared} data={options} value={chosen} onChange={(next) => onChange(next ? next === "true" : null)} />;
      }
      return (
        <Switch
          {...shared}
          checked={(value ?? described.schema.default) === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case "choice":
      return (
        <Select
          {...shared}
          data={optionsOf(name, kind.options, t, shownChoice)}
          value={shownChoice === undefined || shownChoice === null ? null : String(shownChoice)}
          clearable={(nullable || !required) && described.schema.default === undefined}
          allowDeselect={false}
          onChange={(next) => onChange(kind.options.find((one) => String(one) === next) ?? (nullable ? null : undefined))}
        />
      );
    case "choices":
      return (
        <MultiSelect
          {...shared}
          data={optionsOf(name, kind.options, t)}
          value={(value as string[] | undefined) ?? []}
          onChange={onChange}
          searchable
        />
      );
    case "texts":
      return (
        <TagsInput
          {...shared}
          value={(value as string[] | null | undefined) ?? []}
          placeholder={t("Type and press Enter")}
          acceptValueOnBlur
          splitChars={[" ", "\n"]}
          onChange={onChange}
        />
      );
    case "number":
      return (
        <NumberInput
          {...shared}
          value={(value as number | null | undefined) ?? ""}
          {...limits(described.schema)}
          {...(typeof described.schema.default === "number" && { placeholder: String(described.schema.default) })}
          onChange={(next) => onChange(next === "" ? (nullable ? null : undefined) : Number(next))}
        />
      );
    case "time":
      return (
        <TextInput
          {...shared}
          type="datetime-local"
          value={typeof value === "number" ? localTime(new Date(value)) : ""}
          onChange={(event) =>
            onChange(event.currentTarget.value === "" ? (nullable ? null : undefined) : new Date(event.currentTarget.value).getTime())
          }
        />
      );
    case "secret": {
      const secret = {
        ...shared,
        value: (value as string | null | undefined) ?? "",
        ...(stored && { placeholder: t("Leave empty to keep the present one") }),
      };
      const change = (next: string) => onChange(next === "" ? undefined : next);
      return kind.long ? (
        <Textarea
          {...secret}
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
          onChange={(event) => change(event.currentTarget.value)}
        />
      ) : (
        <PasswordInput {...secret} autoComplete="new-password" onChange={(event) => change(event.currentTarget.value)} />
      );
    }
    case "text": {
      const text = (value as string | null | undefined) ?? "";
      const change = (next: string) => onChange(next === "" ? (required && !nullable ? "" : empty === null ? null : undefined) : next);
      return kind.long ? (
        <Textarea {...shared} autosize minRows={2} maxRows={12} value={text} onChange={(event) => change(event.currentTarget.value)} />
      ) : (
        <TextInput {...shared} value={text} onChange={(event) => change(event.currentTarget.value)} />
      );
    }
    case "object": {
      const members = (
        <div className="members">
          {Object.entries(kind.properties).map(([member, inner]) => (
            <div key={member} className={isNarrow(member, inner) ? "member" : "member-wide"}>
              <Field
                name={member}
                path={`${path}.${member}`}
                schema={inner}
                required={described.schema.required?.includes(member) ?? false}
                value={(value as Record<string, unknown> | null | undefined)?.[member]}
                readOnly={readOnly}
                stored={isStored(value, member)}
                onChange={(next) => onChange({ ...(value as object | null), [member]: next })}
                errorOf={errorOf}
              />
            </div>
          ))}
        </div>
      );
      return bare ? members : <Fieldset legend={shared.label}>{members}</Fieldset>;
    }
    default:
      return <JsonField {...shared} value={value} described={described} onChange={onChange} />;
  }
}

/** Tells whether the field is narrow: numbers and choices are side by side if there is room. */
function isNarrow(name: string, schema: Schema): boolean {
  const { kind } = describe(name, schema).kind;
  return kind === "number" || kind === "choice";
}

/** Returns the description of a member, in the language of the console. */
export const shownDescription = (t: Translate, schema: Schema): ReactNode => withCode(t(schema.description ?? ""));

/** Shows text between backticks as code. */
export function withCode(text: string): ReactNode {
  if (text === "") return undefined;
  return text.split("`").map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    place % 2 === 1 ? <Code key={place}>{part}</Code> : part,
  );
}

function limits({ minimum, maximum }: Schema) {
  return { ...(minimum !== undefined && { min: minimum }), ...(maximum !== undefined && { max: maximum }) };
}

interface JsonFieldProps {
  readonly label: string;
  readonly description: ReactNode;
  readonly error: string | undefined;
  readonly disabled: boolean;
  readonly value: unknown;
  readonly described: Described;
  onChange(value: unknown): void;
}

/** Edits a member without a control of its own as JSON. Invalid text is kept. */
function JsonField({ value, described, onChange, error, ...shared }: JsonFieldProps) {
  const t = useText();
  const written = value === undefined ? "" : JSON.stringify(value, null, 2);
  const [draft, setDraft] = useState<string | null>(null);
  const invalid = draft !== null && draft.trim() !== "" && !parses(draft);
  return (
    <JsonInput
      {...shared}
      error={invalid ? t("This is not valid JSON") : error}
      autosize
      minRows={2}
      maxRows={16}
      value={draft ?? written}
      onChange={(text) => {
        if (text.trim() === "") {
          setDraft(null);
          onChange(described.nullable ? null : undefined);
        } else if (parses(text)) {
          setDraft(text);
          onChange(JSON.parse(text));
        } else setDraft(text);
      }}
      onBlur={() => !invalid && setDraft(null)}
    />
  );
}

export function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
