import { LinkButton } from "./controls.tsx";
import { Document, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf, waitingTime } from "./messages.ts";

export type MessageKind =
  | "unknown-realm"
  | "not-found"
  | "bad-request"
  | "forbidden"
  | "too-many-requests"
  | "internal"
  | "unavailable"
  | "oidc-error"
  | "no-way"
  | "declined"
  | "link-gone"
  | "email-confirmed"
  | "password-changed"
  | "actions-done"
  | "reset-off"
  | "registration-off"
  | "no-mail";

export interface MessageView extends PageFrame {
  readonly kind: MessageKind;
  /** Instead of the kind's own words. */
  readonly title?: string;
  readonly text?: string;
  /** For the developer of the application: what the protocol calls it. */
  readonly details?: { readonly error: string; readonly description?: string | undefined };
  /** What support needs to find the request in the log. */
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  readonly back?: { readonly href: string; readonly label?: string };
}

type Words = (text: Messages) => readonly [title: string, text: string, timed?: string];

const WORDS: Readonly<Record<MessageKind, Words>> = {
  "unknown-realm": (t) => [t.unknownRealmTitle, t.unknownRealmText],
  "not-found": (t) => [t.notFoundTitle, t.notFoundText],
  "bad-request": (t) => [t.badRequestTitle, t.badRequestText],
  forbidden: (t) => [t.forbiddenTitle, t.forbiddenText],
  "too-many-requests": (t) => [t.tooManyRequestsTitle, t.tooManyRequestsText, t.tooManyRequestsTextTimed],
  internal: (t) => [t.internalTitle, t.internalText],
  unavailable: (t) => [t.unavailableTitle, t.unavailableText, t.unavailableTextTimed],
  "oidc-error": (t) => [t.oidcErrorTitle, t.oidcErrorText],
  "no-way": (t) => [t.noWayTitle, t.noWayText],
  declined: (t) => [t.declinedTitle, t.declinedText],
  "link-gone": (t) => [t.mailLinkGoneTitle, t.mailLinkGoneText],
  "email-confirmed": (t) => [t.emailConfirmedTitle, t.emailConfirmedText],
  "password-changed": (t) => [t.passwordChangedTitle, t.passwordChangedText],
  "actions-done": (t) => [t.actionsDoneTitle, t.actionsDoneText],
  "reset-off": (t) => [t.resetOffTitle, t.resetOffText],
  "registration-off": (t) => [t.registerOffTitle, t.registerOffText],
  "no-mail": (t) => [t.mailedUnavailableTitle, t.mailedUnavailableText],
};

const KIND_BY_STATUS: Readonly<Record<number, MessageKind>> = {
  403: "forbidden",
  404: "not-found",
  429: "too-many-requests",
  503: "unavailable",
};

/** The kind of page for an HTTP status without its own page. */
export const messageKindOf = (status: number): MessageKind => KIND_BY_STATUS[status] ?? (status >= 500 ? "internal" : "bad-request");

/** A page that says what happened and what to do. */
export function renderMessage(view: MessageView): string {
  const text = messagesOf(view.locale);
  const [kindTitle, kindText, timed] = WORDS[view.kind](text);
  const seconds = view.retryAfterSeconds;
  const ownText =
    timed !== undefined && seconds !== undefined ? timed.replace("{time}", () => waitingTime(view.locale, seconds)) : kindText;
  return renderDocument(
    <Document {...view} kind="message" title={view.title ?? kindTitle} lead={view.text ?? ownText}>
      <LinkButton href={view.back?.href} look="plain">
        {view.back?.label ?? text.back}
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
