import { AgentNote, type ConsentApi, type ConsentScope, Decision, type ShownAgent, WantedList } from "./consent.tsx";
import { Document, type FormTarget, type PageFrame, renderDocument } from "./layout.tsx";
import { linkTarget } from "./links.ts";
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
  /** The binding message, which the application shows as well. */
  readonly message: string | null;
  readonly scopes: readonly ConsentScope[];
  readonly claims: readonly string[];
  /** Authorization details (RFC 9396), one text each. */
  readonly details: readonly string[];
  readonly agent: ShownAgent | null;
  readonly apis: readonly ConsentApi[];
}

/** Renders the list of requests that wait for the user (client-initiated backchannel authentication), or one of them. */
export const renderCiba = (view: RequestList | ConfirmRequest): string =>
  renderDocument(view.state === "list" ? <List view={view} /> : <Confirm view={view} />);

function List({ view }: { view: RequestList }) {
  const text = messagesOf(view);
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
  const text = messagesOf(view);
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
      <AgentNote agent={view.agent} text={text} />
      <p>{text.deviceWants}</p>
      <WantedList view={view} text={text} />
      <Decision view={view} label={text.requestTitle} answers={{ allow: text.deviceAllow, deny: text.deviceDeny }} />
    </Document>
  );
}
