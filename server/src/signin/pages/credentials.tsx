import { Choices, Field, HiddenUsername, loginName, Submit } from "./controls.tsx";
import type { Messages } from "./messages.ts";
import { STEP_ALERT } from "./step.tsx";
import { withoutBidiControls } from "./text.tsx";

interface CredentialsView {
  readonly text: Messages;
  readonly username: string;
  /** Only wrong credentials make the fields wrong; a full server says nothing about what was typed. */
  readonly invalid: boolean;
  /** The alert above has the focus. */
  readonly quiet: boolean;
  /** Null where the realm does not offer it. */
  readonly rememberMe: boolean | null;
}

const wrong = (invalid: boolean) => (invalid ? ({ "aria-invalid": "true", "aria-describedby": STEP_ALERT } as const) : {});

/** Name and password, as password managers and passkeys understand them. */
export const Credentials = ({ text, username, invalid, quiet, rememberMe }: CredentialsView) => (
  <>
    <Username text={text} username={username} invalid={invalid} focus={!quiet && username === ""} />
    <Field
      id="password"
      label={text.password}
      type="password"
      autocomplete="current-password"
      enterkeyhint="go"
      // The name is filled in already.
      autofocus={!quiet && username !== ""}
      {...wrong(invalid)}
    />
    <RememberMe text={text} checked={rememberMe} />
    <Submit id="sign-in">{text.signIn}</Submit>
  </>
);

/** The name alone. */
export const UsernameOnly = ({ text, username, quiet, rememberMe }: Omit<CredentialsView, "invalid">) => (
  <>
    <Username text={text} username={username} invalid={false} focus={!quiet} />
    <RememberMe text={text} checked={rememberMe} />
    <Submit id="sign-in">{text.next}</Submit>
  </>
);

const Username = ({ text, username, invalid, focus }: { text: Messages; username: string; invalid: boolean; focus: boolean }) => (
  <Field
    id="username"
    label={text.username}
    {...loginName}
    value={username}
    autocomplete="username webauthn"
    // The page has one purpose, and this is its first step.
    autofocus={focus}
    {...wrong(invalid)}
  />
);

const RememberMe = ({ text, checked }: { text: Messages; checked: boolean | null }) =>
  checked === null ? null : (
    <label class="gh-check">
      <input type="checkbox" name="rememberMe" value="true" checked={checked} />
      <span>{text.rememberMe}</span>
    </label>
  );

/** The password of a known user; the name stands beside it for password managers. */
export const PasswordOnly = ({ text, username, invalid, quiet }: Omit<CredentialsView, "rememberMe">) => (
  <>
    <HiddenUsername username={username} />
    <Field
      id="password"
      label={text.password}
      type="password"
      autocomplete="current-password"
      enterkeyhint="go"
      autofocus={!quiet}
      {...wrong(invalid)}
    />
    <Choices />
    <Submit id="sign-in">{text.signIn}</Submit>
  </>
);

/** The realm's own words may be in another language than the page: their direction follows from themselves. */
export const Welcome = ({ text }: { text: string | null }) =>
  text?.trim() ? <span dir="auto">{withoutBidiControls(text.trim())}</span> : null;
