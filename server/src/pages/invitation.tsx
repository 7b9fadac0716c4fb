import { Field, LinkButton, loginName, Submit } from "./controls.tsx";
import { Document, Form, type FormTarget, LeadText, type PageFrame, type Problem, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf, waitingTime } from "./messages.ts";
import { PasswordRuleList, type PasswordRules } from "./new-password.tsx";

export type InvitationError = "csrf" | "username-taken" | "username" | "username-mail" | "mismatch" | "password" | "overloaded";

/** The organization and the invited address. */
interface Invited {
  readonly organization: string;
  readonly address: string;
  readonly role: string;
  readonly inviter: string | null;
}

interface InvitationForm extends PageFrame, FormTarget, Invited {
  readonly error?: InvitationError;
  readonly retryAfterSeconds?: number;
}

/** The invited account is signed in (`accept`), or another one (`other`), which `action` signs out. */
interface SignedIn extends InvitationForm {
  readonly state: "accept" | "other";
  readonly signedInAs: string;
}

/** No account has the address yet. */
interface Create extends InvitationForm {
  readonly state: "create";
  readonly username?: string;
  readonly policy: PasswordRules;
}

/** An account has the address and no user is signed in (`sign-in`), or the account has joined (`joined`). `nextUrl` is the sign-in or the next page. */
interface Onward extends PageFrame, Invited {
  readonly state: "sign-in" | "joined";
  readonly nextUrl: string;
}

/** The invitation cannot be accepted any more, or never could be. */
interface Gone extends PageFrame {
  readonly state: "expired" | "used" | "unknown";
  /** A link for users who accepted it before. */
  readonly loginUrl?: string;
}

type Invitation = SignedIn | Create | Onward;
export type InvitationView = Invitation | Gone;

/** Renders the page to which the link of an invitation leads. */
export function renderInvitation(view: InvitationView): string {
  const text = messagesOf(view);
  if (isGone(view)) {
    const [title, why] = WHY[view.state];
    return renderDocument(
      <Document {...view} kind="invitation" title={text[title]} lead={text[why]}>
        <LinkButton href={view.loginUrl}>{text.signIn}</LinkButton>
      </Document>,
    );
  }
  const problem = "error" in view && view.error ? problemOf(view, view.error, text) : undefined;
  return renderDocument(
    <Document {...view} kind="invitation" title={titleOf(view, text)} problem={problem} lead={<Lead view={view} text={text} />}>
      <Step view={view} text={text} />
    </Document>,
  );
}

const isGone = (view: InvitationView): view is Gone => Object.hasOwn(WHY, view.state);

const WHY: Record<Gone["state"], readonly [title: keyof Messages, text: keyof Messages]> = {
  expired: ["invitationExpiredTitle", "invitationExpiredText"],
  used: ["invitationUsedTitle", "invitationUsedText"],
  unknown: ["invitationUnknownTitle", "invitationUnknownText"],
};

function titleOf({ state }: Invitation, text: Messages): string {
  if (state === "other") return text.invitationOtherTitle;
  return state === "joined" ? text.invitationJoinedTitle : text.invitationTitle;
}

function Lead({ view, text }: { view: Invitation; text: Messages }) {
  const account = "signedInAs" in view ? { account: view.signedInAs } : null;
  const values = { organization: view.organization, address: view.address, role: view.role, inviter: view.inviter ?? "", ...account };
  const Line = ({ template }: { template: string }) => <LeadText lead={[template, values]} />;
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
      return <LinkButton href={view.nextUrl}>{text.invitationSignIn}</LinkButton>;
    case "joined":
      return <LinkButton href={view.nextUrl}>{text.continue}</LinkButton>;
    case "create":
      return <NewAccount view={view} text={text} />;
  }
}

function OneButton({ view, label, look }: { view: SignedIn; label: string; look: "primary" | "plain" }) {
  return (
    <Form {...view} label={label}>
      <Submit look={look}>{label}</Submit>
    </Form>
  );
}

function NewAccount({ view, text }: { view: Create; text: Messages }) {
  const badName = view.error === "username" || view.error === "username-mail" || view.error === "username-taken";
  const badPassword = view.error === "password" || view.error === "mismatch";
  return (
    <Form {...view} label={text.invitationCreate}>
      <Field
        id="username"
        label={text.invitationUsername}
        {...loginName}
        value={view.username ?? ""}
        autocomplete="username"
        maxlength={255}
        invalid={badName}
      />
      <Field
        id="password"
        label={text.invitationPassword}
        hint={<PasswordRuleList of="password" policy={view.policy} text={text} />}
        show={text.showPassword}
        type="password"
        autocomplete="new-password"
        enterkeyhint="go"
        invalid={badPassword}
      />
      <Submit>{text.invitationCreate}</Submit>
    </Form>
  );
}

function problemOf({ locale, retryAfterSeconds: seconds }: InvitationForm, error: InvitationError, text: Messages): Problem {
  const busy =
    seconds === undefined ? text.unavailableText : text.unavailableTextTimed.replace("{time}", () => waitingTime(locale, seconds));
  return {
    csrf: { title: text.csrfTitle, text: text.invitationCsrfText },
    "username-taken": { title: text.usernameTakenTitle, text: text.usernameTakenText },
    username: { title: text.usernameInvalidTitle, text: text.usernameInvalidText },
    "username-mail": { title: text.usernameInvalidTitle, text: text.usernameMailText },
    mismatch: { title: text.passwordMismatchTitle, text: text.passwordMismatchText },
    password: { title: text.passwordRefusedTitle, text: text.passwordRefusedText },
    overloaded: { title: text.overloadedTitle, text: busy },
  }[error];
}
