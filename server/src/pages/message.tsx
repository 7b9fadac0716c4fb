import { LinkButton } from "./controls.tsx";
import { Document, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf, waitingTime } from "./messages.ts";

type Words = readonly [title: keyof Messages, text: keyof Messages, timed?: keyof Messages];

const MESSAGES = {
  "unknown-realm": ["unknownRealmTitle", "unknownRealmText"],
  "not-found": ["notFoundTitle", "notFoundText"],
  "bad-request": ["badRequestTitle", "badRequestText"],
  forbidden: ["forbiddenTitle", "forbiddenText"],
  "too-many-requests": ["tooManyRequestsTitle", "tooManyRequestsText", "tooManyRequestsTextTimed"],
  internal: ["internalTitle", "internalText"],
  unavailable: ["unavailableTitle", "unavailableText", "unavailableTextTimed"],
  "oidc-error": ["oidcErrorTitle", "oidcErrorText"],
  declined: ["declinedTitle", "declinedText"],
  stale: ["csrfTitle", "csrfText"],
  expired: ["expiredTitle", "expiredText"],
  "link-taken": ["linkAccountTakenTitle", "linkAccountTakenText"],
  "link-one-each": ["linkOneEachTitle", "linkOneEachText"],
  "broker-logout-refused": ["brokerLogoutRefusedTitle", "brokerLogoutRefusedText"],
  "same-browser": ["forbiddenTitle", "deviceSameText"],
  "weak-session": ["forbiddenTitle", "deviceWeakText"],
  "not-you": ["forbiddenTitle", "deviceNotYouText"],
  "saml-denied": ["forbiddenTitle", "samlDeniedText"],
  "saml-refused": ["badRequestTitle", "samlRefusedText"],
  "sign-in-link-gone": ["signInLinkGoneTitle", "signInLinkGoneText"],
  "sign-in-link-confirmed": ["linkConfirmedTitle", "linkConfirmedText"],
  "link-gone": ["mailLinkGoneTitle", "mailLinkGoneText"],
  "email-confirmed": ["emailConfirmedTitle", "emailConfirmedText"],
  "email-taken": ["emailTakenTitle", "emailTakenText"],
  "password-changed": ["passwordChangedTitle", "passwordChangedText"],
  "account-deleted": ["accountDeletedTitle", "accountDeletedText"],
  "actions-done": ["actionsDoneTitle", "actionsDoneText"],
  "reset-off": ["resetOffTitle", "resetOffText"],
  "registration-off": ["registerOffTitle", "registerOffText"],
  "no-mail": ["mailedUnavailableTitle", "mailedUnavailableText"],
  "impersonation-gone": ["impersonationGoneTitle", "impersonationGoneText"],
  "impersonation-refused": ["impersonationRefusedTitle", "impersonationRefusedText"],
  "impersonation-elsewhere": ["impersonationElsewhereTitle", "impersonationElsewhereText"],
} as const satisfies Record<string, Words>;

/** The kinds of pages that end a request which waits elsewhere: on a device, in an application, on another screen. */
const ENDINGS = {
  "device-allowed": ["deviceDoneTitle", "deviceDoneText"],
  "device-denied": ["deviceDeniedTitle", "deviceDeniedText"],
  "ciba-allowed": ["requestDoneTitle", "requestDoneText"],
  "ciba-denied": ["requestDeniedTitle", "requestDeniedText"],
  "ciba-gone": ["requestGoneTitle", "requestGoneText"],
  "push-approved": ["pushApprovedTitle", "pushApprovedText"],
  "push-denied": ["pushRefusedTitle", "pushRefusedText"],
  "push-wrong": ["pushWrongTitle", "pushWrongText"],
  "push-gone": ["pushGoneTitle", "pushGoneText"],
  "qr-confirmed": ["qrDoneTitle", "qrDoneText"],
  "qr-gone": ["qrGoneTitle", "qrGoneText"],
  "transaction-signed": ["txSignedTitle", "txSignedText"],
  "transaction-declined": ["txDeclinedTitle", "txDeclinedText"],
  "transaction-gone": ["txGoneTitle", "txGoneText"],
} as const satisfies Record<string, Words>;

const WORDS = { ...MESSAGES, ...ENDINGS };
export type MessageKind = keyof typeof WORDS;

export interface MessageView extends PageFrame {
  readonly kind: MessageKind;
  /** The values of the text's placeholders. */
  readonly values?: Readonly<Record<string, string>>;
  /** The error of the protocol, for the developer of the application. */
  readonly details?: { readonly error: string; readonly description?: string | undefined };
  /** The id by which support finds the request in the log. */
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  readonly back?: { readonly href: string; readonly label?: keyof Messages };
}

const KIND_BY_STATUS: Readonly<Record<number, MessageKind>> = {
  403: "forbidden",
  404: "not-found",
  429: "too-many-requests",
  503: "unavailable",
};

/** Returns the kind of page for an HTTP status that has no page of its own. */
export const messageKindOf = (status: number): MessageKind => KIND_BY_STATUS[status] ?? (status >= 500 ? "internal" : "bad-request");

/** Renders a page that says what happened and what to do. */
export function renderMessage(view: MessageView): string {
  const text = messagesOf(view);
  const [title, plain, timed]: Words = WORDS[view.kind];
  const { retryAfterSeconds: seconds, values = {} } = view;
  const lead = timed && seconds !== undefined ? text[timed].replace("{time}", () => waitingTime(view.locale, seconds)) : text[plain];
  return renderDocument(
    <Document {...view} kind={view.kind in ENDINGS ? "device" : "message"} title={text[title]} lead={[lead, values]}>
      <LinkButton href={view.back?.href} look="plain">
        {text[view.back?.label ?? "back"]}
      </LinkButton>
      {view.details ? (
        <p class="gh-reference">
          <code>{view.details.error}</code>
          {view.details.description}
        </p>
      ) : null}
      {view.requestId ? (
        <p class="gh-reference">
          {text.requestNumber}: <code>{view.requestId}</code>
        </p>
      ) : null}
    </Document>,
  );
}
