import { type ConsentScope, Decision, WantedList } from "./consent.tsx";
import { Alert, Document, HiddenInputs, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf, waitingTime } from "./messages.ts";
import { Filled } from "./text.tsx";

export type DeviceError = "unknown" | "wait" | "csrf";

interface EnterCode extends PageFrame {
  readonly state: "enter";
  readonly csrf: string;
  /** The path the form is sent to. */
  readonly action: string;
  /** What is in the field already. */
  readonly userCode: string;
  readonly error?: DeviceError | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

interface ConfirmDevice extends PageFrame {
  readonly state: "confirm";
  readonly csrf: string;
  readonly action: string;
  readonly userCode: string;
  readonly client: string;
  readonly account: string;
  readonly scopes: readonly ConsentScope[];
  readonly claims: readonly string[];
}

interface DeviceAnswered extends PageFrame {
  readonly state: "allowed" | "denied";
}

export type DeviceView = EnterCode | ConfirmDevice | DeviceAnswered;

/** RFC 8628 §3.3: takes the code of a device, asks, and says how it ended. */
export const renderDevice = (view: DeviceView): string =>
  renderDocument(
    view.state === "enter" ? <Enter view={view} /> : view.state === "confirm" ? <Confirm view={view} /> : <Answered view={view} />,
  );

const ALERT_ID = "gh-error";

function problemOf(text: Messages, { locale, error, retryAfterSeconds = 1 }: EnterCode): { title: string; text: string } | null {
  if (error === "unknown") return { title: text.deviceUnknownTitle, text: text.deviceUnknownText };
  if (error === "csrf") return { title: text.csrfTitle, text: text.deviceCsrfText };
  if (error === "wait")
    return { title: text.deviceWaitTitle, text: text.deviceWaitText.replace("{time}", () => waitingTime(locale, retryAfterSeconds)) };
  return null;
}

function Enter({ view }: { view: EnterCode }) {
  const text = messagesOf(view.locale);
  const problem = problemOf(text, view);
  const invalid = view.error === "unknown" ? ({ "aria-invalid": "true", "aria-describedby": `${ALERT_ID} user_code-hint` } as const) : {};
  return (
    <Document {...view} kind="device" title={text.deviceTitle} problem={problem?.title} lead={<p class="gh-lead">{text.deviceText}</p>}>
      {problem ? (
        <Alert id={ALERT_ID} tone="error" title={problem.title}>
          {problem.text}
        </Alert>
      ) : null}
      <form class="gh-form" method="post" action={view.action} aria-label={text.deviceTitle}>
        <HiddenInputs csrf={view.csrf} />
        <div class="gh-field">
          <label class="gh-label" for="user_code">
            {text.deviceCode}
          </label>
          <input
            class="gh-input gh-code"
            id="user_code"
            name="user_code"
            type="text"
            value={view.userCode}
            maxLength={32}
            autocomplete="off"
            autocapitalize="characters"
            autocorrect="off"
            spellcheck={false}
            aria-describedby="user_code-hint"
            required
            // The page has one purpose, and this is its first step.
            autofocus={!problem}
            {...invalid}
          />
          <p class="gh-hint" id="user_code-hint">
            {text.deviceCodeHint}
          </p>
        </div>
        <button class="gh-button gh-button--primary" type="submit">
          {text.continue}
        </button>
      </form>
    </Document>
  );
}

function Confirm({ view }: { view: ConfirmDevice }) {
  const text = messagesOf(view.locale);
  return (
    <Document
      {...view}
      kind="device"
      title={text.deviceConfirmTitle}
      lead={
        <p class="gh-lead">
          <Filled template={text.deviceConfirmText} values={{ client: view.client, account: view.account }} class="gh-account" />
        </p>
      }
    >
      <p class="gh-code">{view.userCode}</p>
      <p>{text.deviceWants}</p>
      <WantedList view={{ ...view, details: [] }} text={text} />
      <Decision
        view={view}
        label={text.deviceConfirmTitle}
        allow={text.deviceAllow}
        deny={text.deviceDeny}
        values={{ user_code: view.userCode }}
      />
    </Document>
  );
}

function Answered({ view }: { view: DeviceAnswered }) {
  const text = messagesOf(view.locale);
  const [title, lead] =
    view.state === "allowed" ? [text.deviceDoneTitle, text.deviceDoneText] : [text.deviceDeniedTitle, text.deviceDeniedText];
  return <Document {...view} kind="device" title={title} lead={<p class="gh-lead">{lead}</p>} />;
}
