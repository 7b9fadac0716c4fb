import { LinkButton, Submit } from "./controls.tsx";
import { Document, HiddenInputs, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { Filled } from "./text.tsx";

interface ConfirmLogout extends PageFrame {
  readonly state: "confirm";
  readonly csrf: string;
  /** The path the form is sent to. */
  readonly action: string;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly signedInAs?: string;
  readonly cancelUrl?: string;
}

interface LoggedOut extends PageFrame {
  readonly state: "done";
  readonly signInUrl?: string;
}

export type LogoutView = ConfirmLogout | LoggedOut;

/** Asks before signing out, or says that it is done. */
export const renderLogout = (view: LogoutView): string =>
  renderDocument(view.state === "confirm" ? <Confirm view={view} /> : <Done view={view} />);

function Confirm({ view }: { view: ConfirmLogout }) {
  const text = messagesOf(view.locale);
  const lead =
    view.signedInAs === undefined ? (
      text.signOutText
    ) : (
      <Filled template={text.signOutAccountText} values={{ account: view.signedInAs }} class="gh-account" />
    );
  return (
    <Document {...view} kind="logout" title={text.signOutTitle} lead={<p class="gh-lead">{lead}</p>}>
      <form class="gh-form" method="post" action={view.action} aria-label={text.signOut}>
        <HiddenInputs csrf={view.csrf} values={view.hidden} />
        <Submit id="sign-out">{text.signOut}</Submit>
      </form>
      <LinkButton href={view.cancelUrl} look="plain">
        {text.cancel}
      </LinkButton>
    </Document>
  );
}

function Done({ view }: { view: LoggedOut }) {
  const text = messagesOf(view.locale);
  return (
    <Document {...view} kind="logout" title={text.signedOutTitle} lead={<p class="gh-lead">{text.signedOutText}</p>}>
      <LinkButton href={view.signInUrl} look="plain">
        {text.signInAgain}
      </LinkButton>
    </Document>
  );
}
