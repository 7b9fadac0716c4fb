import { type ConsentScope, Decision, WantedList } from "./consent.tsx";
import { LinkButton } from "./controls.tsx";
import { Document, type FormTarget, linkTarget, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { Isolated } from "./text.tsx";

interface RequestList extends PageFrame {
  readonly state: "list";
  readonly account: string;
  readonly requests: readonly { readonly href: string; readonly client: string; readonly message: string | null }[];
}

interface ConfirmRequest extends PageFrame, FormTarget {
  readonly state: "confirm";
  readonly client: string;
  readonly account: string;
  /** What the application shows, too. */
  readonly message: string | null;
  readonly scopes: readonly ConsentScope[];
  readonly claims: readonly string[];
}

interface RequestAnswered extends PageFrame {
  readonly state: "allowed" | "denied";
  readonly client: string;
  readonly listUrl: string;
}

interface RequestGone extends PageFrame {
  readonly state: "gone";
  readonly listUrl: string;
}

export type CibaView = RequestList | ConfirmRequest | RequestAnswered | RequestGone;

/** Client-initiated backchannel authentication: what waits for the user, one of it, and how it ended. */
export function renderCiba(view: CibaView): string {
  if (view.state === "list") return renderDocument(<List view={view} />);
  return renderDocument(view.state === "confirm" ? <Confirm view={view} /> : <Ended view={view} />);
}

function List({ view }: { view: RequestList }) {
  const text = messagesOf(view.locale);
  return (
    <Document {...view} kind="device" title={text.requestsTitle} lead={[text.requestsText, { account: view.account }]}>
      {view.requests.length === 0 ? <p>{text.requestsNone}</p> : null}
      <ul class="gh-requests">
        {view.requests.map(({ href, client, message }) => (
          <li class="gh-request">
            <strong>
              <Isolated text={client} />
            </strong>
            {message === null ? null : <Isolated text={message} class="gh-code" />}
            <a class="gh-button gh-button--plain" href={linkTarget(href) ?? "#"} aria-label={`${text.requestsOpen}: ${client}`}>
              {text.requestsOpen}
            </a>
          </li>
        ))}
      </ul>
    </Document>
  );
}

function Confirm({ view }: { view: ConfirmRequest }) {
  const text = messagesOf(view.locale);
  return (
    <Document {...view} kind="device" title={text.requestTitle} lead={[text.requestText, { client: view.client, account: view.account }]}>
      {view.message === null ? null : (
        <>
          <p>{text.requestMessage}</p>
          <p class="gh-code">
            <Isolated text={view.message} />
          </p>
        </>
      )}
      <p>{text.deviceWants}</p>
      <WantedList view={{ ...view, details: [] }} text={text} />
      <Decision view={view} label={text.requestTitle} answers={{ allow: text.deviceAllow, deny: text.deviceDeny }} />
    </Document>
  );
}

function Ended({ view }: { view: RequestAnswered | RequestGone }) {
  const text = messagesOf(view.locale);
  const words = {
    allowed: [text.requestDoneTitle, text.requestDoneText],
    denied: [text.requestDeniedTitle, text.requestDeniedText],
    gone: [text.requestGoneTitle, text.requestGoneText],
  } as const;
  const [title, lead] = words[view.state];
  return (
    <Document {...view} kind="device" title={title} lead={[lead, view.state === "gone" ? {} : { client: view.client }]}>
      <LinkButton href={view.listUrl} look="plain">
        {text.requestsAll}
      </LinkButton>
    </Document>
  );
}
