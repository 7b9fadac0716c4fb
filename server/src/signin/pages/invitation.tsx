import type { Settings } from "../../tenancy/settings/index.ts";
import { Field, LinkButton, loginName, Submit } from "./controls.tsx";
import { Alert, Document, HiddenInputs, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf, waitingTime } from "./messages.ts";
import { passwordRules } from "./new-password.tsx";
import { Filled } from "./text.tsx";

export type InvitationError = "csrf" | "username-taken" | "username" | "username-mail" | "mismatch" | "password" | "overloaded";

/** Whose invitation it is, and to what. */
interface Invited {
  readonly organization: string;
  readonly address: string;
  readonly role: string;
  readonly inviter: string | null;
}

interface Form extends PageFrame, Invited {
  readonly csrf: string;
  /** The path the form is sent to. */
  readonly action: string;
  readonly error?: InvitationError;
  readonly retryAfterSeconds?: number;
}

/** The right account is signed in. */
interface Accept extends Form {
  readonly state: "accept";
  readonly signedInAs: string;
}

/** The address has no account yet. */
interface Create extends Form {
  readonly state: "create";
  readonly username?: string;
  readonly policy: Settings["passwordPolicy"];
}

/** The address has an account, and no user is signed in. */
interface SignIn extends PageFrame, Invited {
  readonly state: "sign-in";
  readonly loginUrl: string;
}

/** Another user is signed in; `action` signs them out. */
interface Other extends Form {
  readonly state: "other";
  readonly signedInAs: string;
}

interface Joined extends PageFrame, Invited {
  readonly state: "joined";
  readonly continueUrl: string;
}

/** It cannot be accepted any more, or never could. */
interface Gone extends PageFrame {
  readonly state: "expired" | "used" | "unknown";
  /** For users who accepted it before. */
  readonly loginUrl?: string;
}

type Invitation = Accept | Create | SignIn | Other | Joined;
export type InvitationView = Invitation | Gone;

const ALERT_ID = "gh-error";
const RULES_ID = "gh-password-rules";

/** The page behind the link of an invitation. */
export function renderInvitation(view: InvitationView): string {
  const text = messagesOf(view.locale);
  if (isGone(view)) {
    const [title, why] = WHY[view.state](text);
    return renderDocument(
      <Document {...view} kind="invitation" title={title} lead={<p class="gh-lead">{why}</p>}>
        {view.loginUrl ? <LinkButton href={view.loginUrl}>{text.signIn}</LinkButton> : null}
      </Document>,
    );
  }
  const problem = "error" in view && view.error ? problemOf(view, view.error, text) : undefined;
  return renderDocument(
    <Document {...view} kind="invitation" title={titleOf(view, text)} problem={problem?.title} lead={<Lead view={view} text={text} />}>
      {problem ? (
        <Alert id={ALERT_ID} tone="error" title={problem.title}>
          {problem.text}
        </Alert>
      ) : null}
      <Step view={view} text={text} />
    </Document>,
  );
}

const isGone = (view: InvitationView): view is Gone => Object.hasOwn(WHY, view.state);

const WHY: Record<Gone["state"], (text: Messages) => readonly [title: string, text: string]> = {
  expired: (text) => [text.invitationExpiredTitle, text.invitationExpiredText],
  used: (text) => [text.invitationUsedTitle, text.invitationUsedText],
  unknown: (text) => [text.invitationUnknownTitle, text.invitationUnknownText],
};

function titleOf({ state }: Invitation, text: Messages): string {
  if (state === "other") return text.invitationOtherTitle;
  return state === "joined" ? text.invitationJoinedTitle : text.invitationTitle;
}

function Lead({ view, text }: { view: Invitation; text: Messages }) {
  const account = "signedInAs" in view ? { account: view.signedInAs } : null;
  const values = { organization: view.organization, address: view.address, role: view.role, inviter: view.inviter ?? "", ...account };
  const Line = ({ template }: { template: string }) => (
    <p class="gh-lead">
      <Filled template={template} values={values} class="gh-account" />
    </p>
  );
  if (view.state === "other") return <Line template={text.invitationOtherText} />;
  if (view.state === "joined") return <Line template={text.invitationJoinedText} />;
  return (
    <>
      <Line template={view.inviter === null ? text.invitationText : text.invitationFromText} />
      {view.role === "member" ? null : <Line template={text.invitationRoleText} />}
      {view.state === "accept" ? <Line template={text.invitationAccountText} /> : null}
      {view.state === "sign-in" ? <Line template={text.invitationSignInText} /> : null}
    </>
  );
}

function Step({ view, text }: { view: Invitation; text: Messages }) {
  switch (view.state) {
    case "accept":
      return <OneButton view={view} label={text.invitationAccept} look="primary" />;
    case "other":
      return <OneButton view={view} label={text.signOut} look="plain" />;
    case "sign-in":
      return <LinkButton href={view.loginUrl}>{text.invitationSignIn}</LinkButton>;
    case "joined":
      return <LinkButton href={view.continueUrl}>{text.continue}</LinkButton>;
    case "create":
      return <NewAccount view={view} text={text} />;
  }
}

function OneButton({ view, label, look }: { view: Accept | Other; label: string; look: "primary" | "plain" }) {
  return (
    <form class="gh-form" method="post" action={view.action} aria-label={label}>
      <HiddenInputs csrf={view.csrf} />
      <Submit look={look}>{label}</Submit>
    </form>
  );
}

function NewAccount({ view, text }: { view: Create; text: Messages }) {
  const wrong = { "aria-invalid": "true" } as const;
  const about = (...ids: (string | false | undefined)[]) => ids.filter(Boolean).join(" ") || undefined;
  const badName = view.error === "username" || view.error === "username-mail" || view.error === "username-taken";
  const badPassword = view.error === "password" || view.error === "mismatch";
  return (
    <form class="gh-form" method="post" action={view.action} aria-label={text.invitationCreate}>
      <HiddenInputs csrf={view.csrf} />
      <Field
        id="username"
        label={text.invitationUsername}
        {...loginName}
        value={view.username ?? ""}
        autocomplete="username"
        maxlength={255}
        aria-describedby={about(badName && ALERT_ID)}
        {...(badName && wrong)}
      />
      <Field
        id="password"
        label={text.invitationPassword}
        hint={passwordRules(view.policy, text)}
        hintId={RULES_ID}
        type="password"
        autocomplete="new-password"
        aria-describedby={about(RULES_ID, badPassword && ALERT_ID)}
        {...(badPassword && wrong)}
      />
      <Field
        id="password-again"
        name="passwordAgain"
        label={text.invitationPasswordAgain}
        type="password"
        autocomplete="new-password"
        enterkeyhint="go"
        aria-describedby={about(badPassword && ALERT_ID)}
        {...(badPassword && wrong)}
      />
      <Submit>{text.invitationCreate}</Submit>
    </form>
  );
}

function problemOf(view: Form, error: InvitationError, text: Messages): { title: string; text: string } {
  const seconds = view.retryAfterSeconds;
  switch (error) {
    case "csrf":
      return { title: text.csrfTitle, text: text.invitationCsrfText };
    case "username-taken":
      return { title: text.usernameTakenTitle, text: text.usernameTakenText };
    case "username":
      return { title: text.usernameInvalidTitle, text: text.usernameInvalidText };
    case "username-mail":
      return { title: text.usernameInvalidTitle, text: text.usernameMailText };
    case "mismatch":
      return { title: text.passwordMismatchTitle, text: text.passwordMismatchText };
    case "password":
      return { title: text.passwordRefusedTitle, text: text.passwordRefusedText };
    case "overloaded":
      return {
        title: text.overloadedTitle,
        text:
          seconds === undefined
            ? text.unavailableText
            : text.unavailableTextTimed.replace("{time}", () => waitingTime(view.locale, seconds)),
      };
  }
}
