import { type Branding, welcomeTextOf } from "./branding.ts";
import { Choices, Field, HiddenUsername, loginName, type StepAlert, Submit } from "./controls.tsx";
import { ALERT_ID } from "./layout.tsx";
import type { Locale, Messages } from "./messages.ts";
import { withoutBidiControls } from "./text.tsx";

interface CredentialsView {
  readonly text: Messages;
  readonly username: string;
  readonly alert: StepAlert;
  /** True if the box is ticked. Null if the realm does not offer it. */
  readonly rememberMe: boolean | null;
}

/** The fields for name and password, in the form that password managers and passkeys support. */
export const Credentials = ({ text, username, alert, rememberMe }: CredentialsView) => (
  <>
    <Username text={text} username={username} wrong={alert?.blames ?? false} focus={alert === null && username === ""} />
    {/* If the name is already filled in, the password is the first thing to type. */}
    <Password text={text} alert={alert} focus={alert === null && username !== ""} />
    <RememberMe text={text} checked={rememberMe} />
    <Submit id="sign-in">{text.signIn}</Submit>
  </>
);

/** The field for the name alone. */
export const UsernameOnly = ({ text, username, alert, rememberMe }: CredentialsView) => (
  <>
    <Username text={text} username={username} focus={alert === null} />
    <RememberMe text={text} checked={rememberMe} />
    <Submit id="sign-in">{text.next}</Submit>
  </>
);

/** The field for the name. `wrong` says that it is invalid or, on a page with a password, that one of them is. */
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

/** The password of a known user, with the name beside it for password managers. */
export const PasswordOnly = ({ text, username, alert }: Omit<CredentialsView, "rememberMe">) => (
  <>
    <HiddenUsername username={username} />
    <Password text={text} alert={alert} focus={alert === null} />
    <Choices />
    <Submit id="sign-in">{text.signIn}</Submit>
  </>
);

/** Shows the realm's welcome text. It may be in another language than the page, so its direction follows from its content. */
export function welcome(branding: Pick<Branding, "welcomeText" | "welcomeTexts">, locale: Locale) {
  const text = welcomeTextOf(branding, locale)?.trim();
  return text ? <span dir="auto">{withoutBidiControls(text)}</span> : null;
}
