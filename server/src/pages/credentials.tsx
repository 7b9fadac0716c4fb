import { type Branding, welcomeTextOf } from "./branding.ts";
import { Choices, Field, HiddenUsername, loginName, type StepAlert, Submit } from "./controls.tsx";
import { ALERT_ID } from "./layout.tsx";
import type { Locale, Messages } from "./messages.ts";
import { withoutBidiControls } from "./text.tsx";

interface CredentialsView {
  readonly text: Messages;
  readonly username: string;
  readonly alert: StepAlert;
  /** Null where the realm does not offer it. */
  readonly rememberMe: boolean | null;
}

/** Name and password, as password managers and passkeys understand them. */
export const Credentials = ({ text, username, alert, rememberMe }: CredentialsView) => (
  <>
    <Username text={text} username={username} wrong={alert?.blames ?? false} focus={alert === null && username === ""} />
    {/* With the name filled in already, this is the first thing to type. */}
    <Password text={text} alert={alert} focus={alert === null && username !== ""} />
    <RememberMe text={text} checked={rememberMe} />
    <Submit id="sign-in">{text.signIn}</Submit>
  </>
);

/** The name alone. */
export const UsernameOnly = ({ text, username, alert, rememberMe }: CredentialsView) => (
  <>
    <Username text={text} username={username} focus={alert === null} />
    <RememberMe text={text} checked={rememberMe} />
    <Submit id="sign-in">{text.next}</Submit>
  </>
);

/** `wrong`: it, or the password below it, where the page says so. */
const Username = ({ text, username, wrong = false, focus }: { text: Messages; username: string; wrong?: boolean; focus: boolean }) => (
  <Field
    id="username"
    label={text.username}
    {...loginName}
    value={username}
    autocomplete="username webauthn"
    autofocus={focus}
    {...(wrong && { "aria-invalid": "true", "aria-describedby": ALERT_ID })}
  />
);

const Password = ({ text, alert, focus }: Pick<CredentialsView, "text" | "alert"> & { focus: boolean }) => (
  <Field
    id="password"
    label={text.password}
    show={text.showPassword}
    type="password"
    autocomplete="current-password"
    enterkeyhint="go"
    autofocus={focus}
    invalid={alert?.blames ?? false}
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
export const PasswordOnly = ({ text, username, alert }: Omit<CredentialsView, "rememberMe">) => (
  <>
    <HiddenUsername username={username} />
    <Password text={text} alert={alert} focus={alert === null} />
    <Choices />
    <Submit id="sign-in">{text.signIn}</Submit>
  </>
);

/** The realm's own words may be in another language than the page: their direction follows from themselves. */
export function welcome(branding: Pick<Branding, "welcomeText" | "welcomeTexts">, locale: Locale) {
  const text = welcomeTextOf(branding, locale)?.trim();
  return text ? <span dir="auto">{withoutBidiControls(text)}</span> : null;
}
