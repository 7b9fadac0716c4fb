import { Attribute, type ShownAttribute } from "./attributes.tsx";
import { Field, loginName, mailAddress, Resend, type StepAlert, Submit } from "./controls.tsx";
import { linkTarget } from "./links.ts";
import type { Messages } from "./messages.ts";
import { NewPassword, type PasswordRules } from "./new-password.tsx";
import { withoutBidiControls } from "./text.tsx";

interface MailedCodeView {
  readonly text: Messages;
  readonly alert: StepAlert;
  /** The address of the next check, for users who opened the link elsewhere. */
  readonly followedUrl?: string | undefined;
  /** The number of seconds after which another code can be requested. */
  readonly resend?: number;
}

/** The field for a mailed code. */
export const MailedCode = ({ text, alert, followedUrl, resend }: MailedCodeView) => (
  <>
    <Field
      id="code"
      label={text.mailedCode}
      hint={text.mailedCodeHint}
      type="text"
      code
      autocomplete="one-time-code"
      inputmode="numeric"
      data-digits="6"
      maxlength={16}
      enterkeyhint="go"
      autofocus={alert === null}
      invalid={alert?.blames ?? false}
    />
    <Submit>{text.next}</Submit>
    <p class="gh-links">
      {resend === undefined ? null : <Resend wait={resend}>{text.mailedResend}</Resend>}
      {followedUrl === undefined ? null : (
        <a class="gh-link" href={followedUrl}>
          {text.mailedFollowed}
        </a>
      )}
    </p>
  </>
);

interface ShownTerms {
  readonly text: string | null;
  readonly url: string | null;
}

/** The realm's terms as plain text: markup in them is shown as text. */
export const Terms = ({ text, terms }: { text: Messages; terms: ShownTerms }) => {
  const url = linkTarget(terms.url ?? undefined);
  return (
    <>
      {terms.text === null ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard
        <section class="gh-terms" dir="auto" tabIndex={0} aria-label={text.termsTitle}>
          {withoutBidiControls(terms.text)}
        </section>
      )}
      {url === null ? null : (
        <p class="gh-links">
          <a class="gh-link" href={url} target="_blank" rel="noopener noreferrer">
            {text.termsRead}
          </a>
        </p>
      )}
      <Submit>{text.termsAccept}</Submit>
      <Submit look="plain" name="decline" value="true">
        {text.termsDecline}
      </Submit>
    </>
  );
};

interface ProfileView {
  readonly text: Messages;
  readonly attributes: readonly ShownAttribute[];
  /** Null if users may not change it. */
  readonly email: string | null;
  readonly alert: StepAlert;
}

export const Profile = ({ text, attributes, email, alert }: ProfileView) => (
  <>
    {attributes.map((each, at) => (
      <Attribute {...each} focus={alert === null && at === 0} />
    ))}
    {email === null ? null : (
      <Field
        id="email"
        label={text.profileEmail}
        {...mailAddress}
        value={email}
        autocomplete="email"
        maxlength={320}
        required={email !== ""}
        invalid={(alert?.blames ?? false) && attributes.every(({ error }) => error === undefined)}
      />
    )}
    <Submit>{text.profileSave}</Submit>
  </>
);

export interface RegistrationForm {
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** Further attributes of the user profile. */
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>;
}

interface RegistrationView {
  readonly text: Messages;
  readonly typed: RegistrationForm;
  readonly attributes: readonly ShownAttribute[];
  readonly policy: PasswordRules;
  readonly asksUsername: boolean;
  /** The part of the form that was refused. */
  readonly blamed: "username" | "email" | "password" | "attributes" | null;
  readonly quiet: boolean;
}

/** The form of self-registration. */
export const Registration = ({ text, typed, attributes, policy, asksUsername, blamed, quiet }: RegistrationView) => (
  <>
    {asksUsername ? (
      <Field
        id="username"
        label={text.registerUsername}
        {...loginName}
        value={typed.username}
        autocomplete="username"
        maxlength={255}
        autofocus={!quiet}
        invalid={blamed === "username"}
      />
    ) : null}
    <Field
      id="email"
      label={text.profileEmail}
      {...mailAddress}
      value={typed.email}
      autocomplete={asksUsername ? "email" : "username"}
      maxlength={320}
      invalid={blamed === "email"}
    />
    {attributes.map((each) => (
      <Attribute {...each} />
    ))}
    <NewPassword text={text} policy={policy} invalid={blamed === "password"} focus={false} label={text.registerPassword} />
    <Submit>{text.registerSubmit}</Submit>
  </>
);
