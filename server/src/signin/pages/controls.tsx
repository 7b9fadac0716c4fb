import { type ComponentChildren, createContext } from "preact";
import { linkTarget } from "./layout.tsx";

interface InputAttributes {
  readonly autocomplete: string;
  readonly value?: string;
  readonly autofocus?: boolean;
  /** It is, unless this says otherwise. */
  readonly required?: boolean;
  readonly maxlength?: number;
  readonly inputmode?: "numeric" | "text";
  readonly enterkeyhint?: "go";
  readonly dir?: "auto";
  readonly autocapitalize?: "none" | "characters";
  readonly autocorrect?: "off";
  readonly spellcheck?: false;
  readonly "aria-describedby"?: string | undefined;
  readonly "aria-invalid"?: "true";
}

interface FieldText {
  readonly id: string;
  readonly name?: string;
  readonly label: string;
  /** What to know before typing; the input refers to it by `hintId`. */
  readonly hint?: string;
  readonly hintId?: string;
  /** May be left empty. */
  readonly optional?: boolean;
  /** Set in letters of one width. */
  readonly code?: boolean;
}

type FieldProps = FieldText & InputAttributes & ({ readonly type: "text" } | { readonly type: "password" });

/** An input with its label, and with a hint below it. What else is given goes to the input. */
export const Field = ({ id, name = id, label, hint, hintId, optional = false, code = false, ...input }: FieldProps) => (
  <div class="gh-field">
    <label class="gh-label" for={id}>
      {label}
    </label>
    <input class={code ? "gh-input gh-code" : "gh-input"} id={id} name={name} required={!optional} {...input} />
    {hint === undefined ? null : (
      <p class="gh-hint" id={hintId}>
        {hint}
      </p>
    )}
  </div>
);

/** For a name to sign in by: nothing may change what is typed, and its direction follows from itself. */
export const loginName = { type: "text", dir: "auto", autocapitalize: "none", autocorrect: "off", spellcheck: false } as const;

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

/** For password managers, beside a password of a known user. */
export const HiddenUsername = ({ username }: { username: string }) => (
  <input class="gh-hidden" type="text" name="username" autocomplete="username" value={username} readonly tabIndex={-1} aria-hidden="true" />
);

/** What the page of a step adds above the button of its question. */
export const AboveButton = createContext<ComponentChildren>(null);
/** Stands where a question takes it: not every one has a button that ends it. */
export const Choices = () => <AboveButton.Consumer>{(choices) => choices}</AboveButton.Consumer>;

/** A link that looks like a button; nothing at all where the address is none to follow. */
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
