import { type ComponentChildren, createContext, type JSX } from "preact";
import { ALERT_ID } from "./layout.tsx";
import { linkTarget } from "./links.ts";

/** The alert above a step that is shown again. The alert has the focus. `blames` says that the typed value is wrong. */
export type StepAlert = { readonly blames: boolean } | null;

interface FieldText {
  readonly id: string;
  readonly label: string;
  /** A hint for people before they type: a text, or an element with the id `{id}-hint`. */
  readonly hint?: string | JSX.Element | undefined;
  /** True to use a monospaced font. */
  readonly code?: boolean;
  /** The text of the button that shows a password while it is typed. It appears if scripts run. */
  readonly show?: string | undefined;
  /** True if the alert above is about this field. */
  readonly invalid?: boolean;
  /** The reason why the typed value is refused. It is shown below the field, which has the focus. */
  readonly error?: string | undefined;
}

type InputAttributes = Omit<JSX.IntrinsicElements["input"], "label" | "role" | "type">;
type FieldProps = FieldText & InputAttributes & { readonly type: "text" | "password" | "email" | "tel" | "url" | "date" };

/** The problem of a page that is shown again, for the field that it is about. Null if an alert above shows it. */
export const FieldProblem = createContext<string | null>(null);

/** An input with its label, and with a hint below it. Other properties go to the input. */
export const Field = (props: FieldProps) =>
  props.invalid ? (
    <FieldProblem.Consumer>{(problem) => <Labelled {...props} {...(problem !== null && { error: problem })} />}</FieldProblem.Consumer>
  ) : (
    <Labelled {...props} />
  );

const Labelled = (props: FieldProps) => {
  const { id, name = id, label, hint, code = false, show, invalid = false, error, required = true, ...input } = props;
  // A page has one problem, wherever that is shown.
  const errorId = invalid ? ALERT_ID : `${id}-error`;
  const about = [(invalid || error !== undefined) && errorId, hint !== undefined && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div class="gh-field">
      <label class="gh-label" for={id}>
        {label}
      </label>
      <div class={show === undefined ? "gh-control" : "gh-control gh-control--shown"}>
        <input
          class={code ? "gh-input gh-code" : "gh-input"}
          {...{ id, name, required }}
          aria-describedby={about || undefined}
          aria-invalid={invalid || error !== undefined ? "true" : undefined}
          {...(input as { type: "text" })}
          {...(error !== undefined && { autofocus: true })}
        />
        {show === undefined ? null : (
          <button class="gh-show" type="button" data-shows={id} aria-pressed="false" aria-label={`${show}: ${label}`} hidden>
            {show}
          </button>
        )}
      </div>
      {error === undefined ? null : (
        <p class="gh-error" role="alert" id={errorId}>
          {error}
        </p>
      )}
      {typeof hint === "string" ? (
        <p class="gh-hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : (
        hint
      )}
    </div>
  );
};

/** The user's name for a credential; it may be left empty. */
export const NameField = (field: { label: string; hint: string; maxlength: number; value: string }) => (
  <Field id="label" type="text" dir="auto" autocomplete="off" required={false} {...field} />
);

/** Attributes of a field for a login name: nothing may change what is typed, and its direction follows from its content. */
export const loginName = { type: "text", dir: "auto", autocapitalize: "none", autocorrect: "off", spellcheck: false } as const;

/** Attributes of a field for an email address, with the matching keys on telephones. */
export const mailAddress = { ...loginName, type: "email" } as const;

type Look = "primary" | "plain";

interface SubmitProps {
  readonly id?: string;
  readonly look?: Look;
  readonly name?: string;
  readonly value?: string;
  readonly children: ComponentChildren;
}

export const Submit = ({ id, look = "primary", name, value, children }: SubmitProps) => (
  <button class={`gh-button gh-button--${look}`} type="submit" id={id} name={name} value={value}>
    {children}
  </button>
);

/** A button that requests another message. It submits the same form without its required field. A script counts the seconds until it may be pressed. */
export const Resend = ({ wait = 0, children }: { wait?: number | undefined; children: ComponentChildren }) => (
  <button class="gh-link" type="submit" name="resend" value="true" formnovalidate data-wait={wait > 0 ? String(wait) : undefined}>
    {children}
  </button>
);

/** The username for password managers, beside the password of a known user. */
export const HiddenUsername = ({ username }: { username: string }) => (
  <input class="gh-hidden" type="text" name="username" autocomplete="username" value={username} readonly tabIndex={-1} aria-hidden="true" />
);

/** Content that the page of a step adds above the button of its question. */
export const AboveButton = createContext<ComponentChildren>(null);
/** Shows that content where the question puts it, because not every question ends with a button. */
export const Choices = () => <AboveButton.Consumer>{(choices) => choices}</AboveButton.Consumer>;

/** A link that looks like a button. Nothing is shown if the address must not be followed. */
export function LinkButton({ href, look = "primary", children }: { href: string | undefined; look?: Look; children: ComponentChildren }) {
  const target = linkTarget(href);
  return target ? (
    <div class="gh-actions">
      <a class={`gh-button gh-button--${look}`} href={target}>
        {children}
      </a>
    </div>
  ) : null;
}
