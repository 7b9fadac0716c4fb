import { LinkButton, Submit } from "./controls.tsx";
import { type Hop, HopButton } from "./hop.tsx";
import { Document, Form, type FormTarget, type Lead, type PageFrame, type PageScript, renderDocument } from "./layout.tsx";
import { linkTarget } from "./links.ts";
import { type Messages, messagesOf } from "./messages.ts";
import { Filled } from "./text.tsx";

interface ConfirmLogout extends PageFrame, FormTarget {
  readonly state: "confirm";
  readonly hidden?: Readonly<Record<string, string>>;
  readonly signedInAs?: string;
  readonly cancelUrl?: string;
}

interface LoggedOut extends PageFrame {
  readonly state: "done";
  readonly signInUrl?: string;
}

/** An application that is notified by a frame in the page (front-channel). */
export interface LogoutFrame {
  readonly name: string;
  readonly url: string;
}

/** An application that is notified in another way than by a frame. */
export interface LogoutApplication {
  readonly name: string;
  readonly outcome: "waiting" | "asked" | "done" | "unanswered" | "refused" | "unsupported";
  /** The address that notifies it again. */
  readonly again?: string;
}

interface SigningOut extends PageFrame {
  readonly state: "frames";
  readonly frames: readonly LogoutFrame[];
  readonly applications?: readonly LogoutApplication[];
  /** The application to which the browser goes now. It is skipped if it does not answer. */
  readonly hop?: Hop | undefined;
  /** The address to open when all have answered. */
  readonly next: string;
  readonly scripts: readonly PageScript[];
}

type LogoutView = ConfirmLogout | LoggedOut | SigningOut;

/** Asks before signing out, or says that it is done. */
export const renderLogout = (view: LogoutView): string => renderDocument(pageOf(view));

function pageOf(view: LogoutView) {
  if (view.state === "confirm") return <Confirm view={view} />;
  return view.state === "done" ? <Done view={view} /> : <SigningOutPage view={view} />;
}

const NOT_SIGNED_OUT = new Set<LogoutApplication["outcome"]>(["unanswered", "refused", "unsupported"]);

/**
 * The page that signs out of applications. Its frames cannot move it (`sandbox`), and work without our script (OpenID Connect Front-Channel Logout §3). A hop
 * moves the page by the script, or by its button.
 */
function SigningOutPage({ view }: { view: SigningOut }) {
  const text = messagesOf(view);
  const { applications = [], hop } = view;
  const stays = applications.some(({ outcome }) => NOT_SIGNED_OUT.has(outcome));
  return (
    <Document {...view} kind="logout" title={text.signedOutTitle} lead={stays && !hop ? text.signedOutPartlyText : text.signingOutText}>
      <ul class="gh-participants" data-signing-out="" data-next={view.next} data-stays={stays ? "" : undefined}>
        {applications.map((application) => (
          <Outcome application={application} text={text} />
        ))}
        {view.frames.map(({ name, url }, index) => (
          <li class="gh-participant">
            <strong>{name}</strong>{" "}
            <span id={`application-${index}`} role="status" hidden>
              {text.notSignedOut}
            </span>
            <iframe src={url} title={name} sandbox="allow-scripts allow-same-origin" data-application={`application-${index}`} hidden />
          </li>
        ))}
      </ul>
      {hop ? (
        <HopButton hop={hop}>
          <span>
            <Filled template={text.signOutOf} values={{ client: hop.name }} />
          </span>
        </HopButton>
      ) : null}
      <LinkButton href={view.next} look="plain">
        {hop ? text.signOutSkip : text.continue}
      </LinkButton>
    </Document>
  );
}

function Outcome({ application: { name, outcome, again }, text }: { application: LogoutApplication; text: Messages }) {
  const words = {
    waiting: text.signOutNext,
    asked: text.signingOutThere,
    done: text.signedOutThere,
    unanswered: text.notSignedOut,
    refused: text.signOutRefused,
    unsupported: text.signOutUnsupported,
  }[outcome];
  const target = linkTarget(again);
  return (
    <li class="gh-participant">
      <strong>{name}</strong> <span>{words}</span>{" "}
      {target ? (
        <a class="gh-link" href={target}>
          {text.signOutAgain}
        </a>
      ) : null}
    </li>
  );
}

function Confirm({ view }: { view: ConfirmLogout }) {
  const text = messagesOf(view);
  const lead: Lead = view.signedInAs === undefined ? text.signOutText : [text.signOutAccountText, { account: view.signedInAs }];
  return (
    <Document {...view} kind="logout" title={text.signOutTitle} lead={lead}>
      <Form {...view} label={text.signOut} values={view.hidden}>
        <Submit id="sign-out">{text.signOut}</Submit>
      </Form>
      <LinkButton href={view.cancelUrl} look="plain">
        {text.cancel}
      </LinkButton>
    </Document>
  );
}

function Done({ view }: { view: LoggedOut }) {
  const text = messagesOf(view);
  return (
    <Document {...view} kind="logout" title={text.signedOutTitle} lead={text.signedOutText}>
      <LinkButton href={view.signInUrl} look="plain">
        {text.signInAgain}
      </LinkButton>
    </Document>
  );
}
