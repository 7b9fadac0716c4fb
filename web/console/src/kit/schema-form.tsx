import type { ApiProblem } from "@gatehouse/api";
import { Accordion, Divider, Stack, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { useText } from "../i18n/index.ts";
import { schemaFor } from "./conditions.ts";
import { errorAt } from "./field-error.ts";
import { Field, shownDescription } from "./fields.tsx";
import { type Draft, isStored, labelOf, type Schema } from "./schema.ts";

export interface Section<T> {
  readonly title?: string;
  readonly fields: readonly (keyof T & string)[];
  /** Returns whether the member is shown for the draft. */
  readonly when?: (draft: Draft) => boolean;
  /** Shows its fields together, instead of one after another. */
  readonly Fields?: SectionFields;
}

/** The fields of a section that belong together, such as a range of times. */
export type SectionFields = (props: {
  readonly draft: Draft;
  readonly readOnly: boolean;
  onChange(draft: Draft): void;
  errorOf(path: string): string | undefined;
}) => ReactNode;

/** A control of a page, which replaces the one for the schema. */
export type Control = (props: {
  readonly value: unknown;
  readonly draft: Draft;
  /** The label and the description of the member, as the form would show them. */
  readonly label: string;
  readonly description: ReactNode;
  readonly schema: Schema;
  readonly error: string | undefined;
  readonly readOnly: boolean;
  /** True if it is alone below a heading that already names it. */
  readonly bare: boolean;
  onChange(value: unknown): void;
  /** Returns the error of a member inside of it, such as `config.issuer`. */
  errorOf(path: string): string | undefined;
}) => ReactNode;

/** Returns a remark about a member, for the values of the draft. */
export type Note = (draft: Draft) => ReactNode;

export interface SchemaFormProps<T> {
  readonly schema: Schema;
  readonly draft: Draft;
  readonly sections: readonly Section<T>[];
  readonly controls?: Partial<Record<keyof T & string, Control>>;
  readonly labels?: Partial<Record<keyof T & string, string>>;
  readonly notes?: Partial<Record<keyof T & string, Note>>;
  readonly problem?: ApiProblem | null;
  readonly readOnly?: boolean;
  /** Members that the form does not show. */
  readonly hidden?: readonly string[];
  /** True to leave out members that no section names. Otherwise they are under "Advanced". */
  readonly only?: boolean;
  onChange(draft: Draft): void;
}

/** A form for a record: first the named sections, then every other member that may be written. */
export function SchemaForm<T>(props: SchemaFormProps<T>) {
  const { draft, sections, controls = {}, labels = {}, notes = {}, problem, readOnly = false, hidden = [], only = false, onChange } = props;
  const t = useText();
  const schema = schemaFor(props.schema, draft);
  const properties = schema.properties ?? {};
  const named = new Set<string>([...sections.flatMap(({ fields }) => fields), ...hidden]);
  const rest = only ? [] : Object.keys(properties).filter((name) => !named.has(name) && !properties[name]!.readOnly);
  const errorOf = (path: string) => errorAt(problem, path, t);
  const field = (name: string, bare = false) => {
    const note = (notes as Partial<Record<string, Note>>)[name]?.(draft);
    if (!note) return fieldOf(name, bare);
    return (
      <Stack key={name} gap="xs">
        {note}
        {fieldOf(name, bare)}
      </Stack>
    );
  };
  const fieldOf = (name: string, bare: boolean) => {
    const inner = properties[name];
    if (!inner) return null;
    const change = (value: unknown) => onChange({ ...draft, [name]: value });
    const control = (controls as Partial<Record<string, Control>>)[name];
    const label = (labels as Partial<Record<string, string>>)[name];
    if (control) {
      const shown = { label: t(label ?? labelOf(name)), description: shownDescription(t, inner), schema: inner };
      const state = { value: draft[name], draft, error: errorOf(name), readOnly, bare };
      return <div key={name}>{control({ ...state, ...shown, errorOf, onChange: change })}</div>;
    }
    return (
      <Field
        key={name}
        name={name}
        path={name}
        schema={inner}
        required={schema.required?.includes(name) ?? false}
        value={draft[name]}
        {...(label !== undefined && { label: t(label) })}
        readOnly={readOnly || inner.readOnly === true}
        bare={bare}
        stored={isStored(draft, name)}
        onChange={change}
        errorOf={errorOf}
      />
    );
  };
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [problem]);
  const restHasError = rest.some((name) => errorOf(name) !== undefined);
  return (
    <Stack gap="md" ref={form}>
      {sections
        .filter(({ when }) => when?.(draft) ?? true)
        .map(({ title, fields, Fields }, index) => (
          <Stack key={title ?? index} gap="sm">
            {title && (
              <>
                {index > 0 && <Divider mt="sm" />}
                <Title order={2} size="h5">
                  {t(title)}
                </Title>
              </>
            )}
            {Fields
              ? Fields({ draft, readOnly, errorOf, onChange })
              : fields.map((name) => field(name, title !== undefined && fields.length === 1))}
          </Stack>
        ))}
      {rest.length > 0 && (
        <Accordion variant="separated" key={String(restHasError)} {...(restHasError && { defaultValue: "advanced" })}>
          <Accordion.Item value="advanced">
            <Accordion.Control>{t("Advanced settings")}</Accordion.Control>
            <Accordion.Panel>
              <Stack gap="sm">{rest.map((name) => field(name))}</Stack>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      )}
    </Stack>
  );
}
