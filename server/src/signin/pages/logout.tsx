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

/** An application that is told by a frame in the page. */
export interface LogoutFrame {
  readonly name: string;
  readonly url: string;
}

interface SigningOut extends PageFrame {
  readonly state: "frames";
  readonly frames: readonly LogoutFrame[];
  /** Where to go when all have answered. */
  readonly next: string;
  readonly script: { readonly src: string; readonly nonce: string };
}

export type LogoutView = ConfirmLogout | LoggedOut | SigningOut;

/** Asks before signing out, or says that it is done. */
export const renderLogout = (view: LogoutView): string => renderDocument(pageOf(view));

function pageOf(view: LogoutView) {
  if (view.state === "confirm") return <Confirm view={view} />;
  return view.state === "done" ? <Done view={view} /> : <SigningOutPage view={view} />;
}

/** OpenID Connect Front-Channel Logout §3. The frames cannot move this page (`sandbox`), and work without a script of ours. */
function SigningOutPage({ view }: { view: SigningOut }) {
  const text = messagesOf(view.locale);
  return (
    <Document
      {...view}
      kind="logout"
      title={text.signedOutTitle}
      lead={<p class="gh-lead">{text.signingOutText}</p>}
      scripts={[view.script]}
    >
      <ul data-signing-out="" data-next={view.next}>
        {view.frames.map(({ name, url }, index) => (
          <li>
            {name}{" "}
            <strong id={`application-${index}`} role="status" hidden>
              {text.notSignedOut}
            </strong>
            <iframe src={url} title={name} sandbox="allow-scripts allow-same-origin" data-application={`application-${index}`} hidden />
          </li>
        ))}
      </ul>
      <LinkButton href={view.next} look="plain">
        {text.continue}
      </LinkButton>
    </Document>
  );
}

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
