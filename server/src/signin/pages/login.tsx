import { ApplicationLinks, ApplicationLogo, type ShownApplication } from "./application.tsx";
import { type Branding, brandName } from "./branding.ts";
import { Field, LinkButton, loginName, Submit } from "./controls.tsx";
import { Alert, Document, HiddenInputs, type ImpersonationBanner, renderDocument } from "./layout.tsx";
import type { LanguageLink } from "./locale.ts";
import { type Locale, type Messages, messagesOf, waitingTime } from "./messages.ts";
import { Filled, withoutBidiControls } from "./text.tsx";

export type LoginError = "credentials" | "csrf" | "locked-out" | "overloaded" | "expired";

export interface LoginView {
  readonly branding: Branding;
  readonly locale: Locale;
  readonly csrf: string;
  /** The path the form is sent to. */
  readonly action: string;
  readonly username?: string;
  /** Every text is the same whether the account exists or not. */
  readonly error?: LoginError;
  readonly rememberMe: boolean;
  readonly retryAfterSeconds?: number;
  /** What the form carries along, such as the interaction. */
  readonly hidden: Readonly<Record<string, string>>;
  /** Someone is signed in already: the page offers to go on or to sign out, and asks for no password. */
  readonly signedInAs?: string;
  readonly continueUrl?: string;
  readonly logoutAction?: string;
  readonly notice?: "signed-out";
  readonly languages: readonly LanguageLink[];
  readonly impersonation?: ImpersonationBanner;
  /** Whom the sign-in is for. */
  readonly application?: ShownApplication;
}

const ALERT_ID = "gh-error";

/** The sign-in page. */
export function renderLogin(view: LoginView): string {
  const text = messagesOf(view.locale);
  const problem = view.error ? problemOf(view, view.error) : undefined;
  return renderDocument(
    <Document
      branding={view.branding}
      locale={view.locale}
      languages={view.languages}
      {...(view.impersonation && { impersonation: view.impersonation })}
      kind="login"
      title={view.signedInAs === undefined ? text.signInTitle : text.signedInTitle}
      problem={problem?.title}
      lead={<Lead view={view} text={text} />}
    >
      {problem ? (
        <Alert id={ALERT_ID} tone="error" title={problem.title}>
          {problem.text}
        </Alert>
      ) : null}
      {view.notice === "signed-out" && !problem ? (
        <Alert id="gh-notice" tone="notice">
          {text.signedOutNotice}
        </Alert>
      ) : null}
      {view.signedInAs === undefined ? <Credentials view={view} text={text} /> : <SignedIn view={view} text={text} />}
      {view.application ? <ApplicationLinks {...view.application} text={text} /> : null}
    </Document>,
  );
}

function Lead({ view, text }: { view: LoginView; text: Messages }) {
  if (view.signedInAs !== undefined) {
    return (
      <p class="gh-lead">
        <Filled template={text.signedInText} values={{ account: view.signedInAs }} class="gh-account" />
      </p>
    );
  }
  return (
    <>
      {view.application ? (
        <>
          <ApplicationLogo {...view.application} />
          <p class="gh-lead">
            <Filled template={text.signInFor} values={{ client: view.application.name }} class="gh-account" />
          </p>
        </>
      ) : null}
      <Welcome view={view} />
    </>
  );
}

function Welcome({ view }: { view: LoginView }) {
  const welcome = view.branding.welcomeText?.trim();
  // The realm's own words may be in another language than the page: their direction follows from themselves.
  return welcome ? (
    <p class="gh-lead" dir="auto">
      {withoutBidiControls(welcome)}
    </p>
  ) : null;
}

function Credentials({ view, text }: { view: LoginView; text: Messages }) {
  // Only wrong credentials make the fields wrong; a full server says nothing about what was typed.
  const invalid = view.error === "credentials" ? ({ "aria-invalid": "true", "aria-describedby": ALERT_ID } as const) : {};
  const focus = view.error ? null : view.username ? "password" : "username";
  return (
    <form class="gh-form" method="post" action={view.action} aria-label={text.signIn}>
      <HiddenInputs csrf={view.csrf} values={view.hidden} />
      <Field
        id="username"
        label={text.username}
        {...loginName}
        value={view.username ?? ""}
        autocomplete="username webauthn"
        // The page has one purpose, and this is its first step.
        autofocus={focus === "username"}
        {...invalid}
      />
      <Field
        id="password"
        label={text.password}
        type="password"
        autocomplete="current-password"
        enterkeyhint="go"
        // The name is filled in already.
        autofocus={focus === "password"}
        {...invalid}
      />
      <label class="gh-check">
        <input type="checkbox" name="rememberMe" value="true" checked={view.rememberMe} />
        <span>{text.rememberMe}</span>
      </label>
      <Submit id="sign-in">{text.signIn}</Submit>
    </form>
  );
}

function SignedIn({ view, text }: { view: LoginView; text: Messages }) {
  return (
    <>
      <LinkButton href={view.continueUrl}>{text.continue}</LinkButton>
      {view.logoutAction ? (
        <form
          class="gh-form"
          method="post"
          action={view.logoutAction}
          aria-label={`${text.signOut}: ${withoutBidiControls(brandName(view.branding))}`}
        >
          <HiddenInputs csrf={view.csrf} />
          <Submit look="plain">{text.signOut}</Submit>
        </form>
      ) : null}
    </>
  );
}

function problemOf(view: LoginView, error: LoginError): { title: string; text: string } {
  const text = messagesOf(view.locale);
  const seconds = view.retryAfterSeconds;
  const timed = (template: string, plain: string): string =>
    seconds === undefined ? plain : template.replace("{time}", () => waitingTime(view.locale, seconds));
  switch (error) {
    case "credentials":
      return { title: text.credentialsTitle, text: text.credentialsText };
    case "csrf":
      return { title: text.csrfTitle, text: text.csrfText };
    case "locked-out":
      return { title: text.lockedOutTitle, text: timed(text.lockedOutTextTimed, text.lockedOutText) };
    case "overloaded":
      return { title: text.overloadedTitle, text: timed(text.overloadedTextTimed, text.overloadedText) };
    case "expired":
      return { title: text.expiredTitle, text: text.expiredText };
  }
}
