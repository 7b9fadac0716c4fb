import { Field } from "./controls.tsx";
import { ALERT_ID } from "./layout.tsx";

/** An attribute of the user profile, as a form shows it. */
export interface ShownAttribute {
  readonly id: string;
  /** The name of the input. Further values append a number to it. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly type: "string" | "email" | "number" | "boolean" | "date" | "url" | "choice";
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly multivalued: boolean;
  readonly required: boolean;
  readonly readonly: boolean;
  readonly values: readonly string[];
  readonly maxLength: number | null;
  readonly autocomplete?: string | undefined;
  readonly error?: string | undefined;
  /** True if the alert above is about this attribute. */
  readonly invalid?: boolean;
  readonly focus?: boolean;
}

/** The number of empty inputs for further values. */
const FURTHER = 2;

export const Attribute = (shown: ShownAttribute) => {
  const { type, multivalued } = shown;
  if (type === "choice" && multivalued) return <Choices {...shown} />;
  if (type === "choice") return <Choice {...shown} />;
  if (type === "boolean") return <Truth {...shown} />;
  if (!multivalued) return <Plain {...shown} value={shown.values[0] ?? ""} />;
  const values = [...shown.values, ...(shown.readonly ? [] : Array.from({ length: FURTHER }, () => ""))];
  return (
    <>
      {values.map((value, at) => (
        <Plain
          {...shown}
          id={`${shown.id}.${at}`}
          name={`${shown.name}.${at}`}
          label={`${shown.label} ${at + 1}`}
          hint={at === 0 ? shown.hint : undefined}
          error={at === 0 ? shown.error : undefined}
          required={shown.required && at === 0}
          value={value}
        />
      ))}
    </>
  );
};

const INPUTS = { string: "text", number: "text", email: "email", date: "date", url: "url" } as const;

const Plain = ({ value, ...shown }: ShownAttribute & { value: string }) => {
  const { id, name, label, hint, type, required, readonly, maxLength, autocomplete, error, invalid = false, focus = false } = shown;
  return (
    <Field
      {...{ id, name, label, hint, required, readonly, error, invalid, value }}
      type={INPUTS[type as keyof typeof INPUTS] ?? "text"}
      dir={type === "string" ? "auto" : undefined}
      inputmode={type === "number" ? "decimal" : undefined}
      autocomplete={autocomplete ?? "off"}
      maxlength={maxLength ?? 4096}
      autofocus={focus}
    />
  );
};

const Words = ({ id, hint, error }: Pick<ShownAttribute, "id" | "hint" | "error">) => (
  <>
    {error === undefined ? null : (
      <p class="gh-error" id={`${id}-error`}>
        {error}
      </p>
    )}
    {hint === undefined ? null : (
      <p class="gh-hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
  </>
);

const aboutOf = ({ id, hint, error, invalid = false }: ShownAttribute): string | undefined =>
  [invalid && ALERT_ID, error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean).join(" ") || undefined;

/** A checkbox for a truth value. */
const Truth = (shown: ShownAttribute) => {
  const { id, name, label, readonly, values } = shown;
  return (
    <div class="gh-field">
      <label class="gh-check">
        <input
          type="checkbox"
          {...{ id, name }}
          value="true"
          checked={values[0] === "true"}
          disabled={readonly}
          aria-describedby={aboutOf(shown)}
        />
        {label}
      </label>
      <Words {...shown} />
    </div>
  );
};

/** A choice of one value from a list. */
const Choice = (shown: ShownAttribute) => {
  const { id, name, label, options, required, readonly, values, error, invalid = false } = shown;
  return (
    <div class="gh-field">
      <label class="gh-label" for={id}>
        {label}
      </label>
      <div class="gh-control">
        <select
          class="gh-input"
          {...{ id, name, required }}
          disabled={readonly}
          aria-describedby={aboutOf(shown)}
          aria-invalid={invalid || error !== undefined ? "true" : undefined}
          autofocus={error !== undefined}
        >
          <option value="">–</option>
          {options.map((option) => (
            <option value={option.value} selected={values[0] === option.value}>
              {option.label}
            </option>
          ))}
        </select>
      </div>
      <Words {...shown} />
    </div>
  );
};

/** A choice of several values from a list. */
const Choices = (shown: ShownAttribute) => {
  const { id, name, label, options, readonly, values } = shown;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame
    <div class="gh-field" role="group" aria-labelledby={`${id}-label`} aria-describedby={aboutOf(shown)}>
      <span class="gh-label" id={`${id}-label`}>
        {label}
      </span>
      {options.map((option, at) => (
        <label class="gh-check">
          <input
            type="checkbox"
            id={`${id}.${at}`}
            name={`${name}.${at}`}
            value={option.value}
            checked={values.includes(option.value)}
            disabled={readonly}
          />
          {option.label}
        </label>
      ))}
      <Words {...shown} />
    </div>
  );
};
