import { AgentNote, type ConsentApi, type ConsentScope, Decision, type ShownAgent, WantedList } from "./consent.tsx";
import { Field, Submit } from "./controls.tsx";
import { Document, Form, type FormTarget, type PageFrame, type Problem, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf, waitingTime } from "./messages.ts";

export type DeviceError = "unknown" | "wait" | "csrf";

interface EnterCode extends PageFrame, FormTarget {
  readonly state: "enter";
  /** The value that the field already has. */
  readonly userCode: string;
  readonly error?: DeviceError | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

interface ConfirmDevice extends PageFrame, FormTarget {
  readonly state: "confirm";
  readonly userCode: string;
  readonly client: string;
  readonly account: string;
  readonly scopes: readonly ConsentScope[];
  readonly claims: readonly string[];
  /** Authorization details (RFC 9396), one text each. */
  readonly details: readonly string[];
  readonly agent: ShownAgent | null;
  readonly apis: readonly ConsentApi[];
}

/** Renders the page that takes the code of a device, or the one that asks for consent (RFC 8628 §3.3). */
export const renderDevice = (view: EnterCode | ConfirmDevice): string =>
  renderDocument(view.state === "enter" ? <Enter view={view} /> : <Confirm view={view} />);

function problemOf(text: Messages, { locale, error, retryAfterSeconds = 1 }: EnterCode): Problem | null {
  if (error === "unknown") return { title: text.deviceUnknownTitle, text: text.deviceUnknownText };
  if (error === "csrf") return { title: text.csrfTitle, text: text.deviceCsrfText };
  if (error === "wait")
    return { title: text.deviceWaitTitle, text: text.deviceWaitText.replace("{time}", () => waitingTime(locale, retryAfterSeconds)) };
  return null;
}

function Enter({ view }: { view: EnterCode }) {
  const text = messagesOf(view);
  const problem = problemOf(text, view);
  return (
    <Document {...view} kind="device" title={text.deviceTitle} problem={problem} lead={text.deviceText}>
      <Form {...view} label={text.deviceTitle}>
        <Field
          id="user_code"
          label={text.deviceCode}
          hint={text.deviceCodeHint}
          type="text"
          code
          value={view.userCode}
          maxlength={32}
          autocomplete="off"
          autocapitalize="characters"
          autocorrect="off"
          spellcheck={false}
          // The page has one purpose, and this field is its first step.
          autofocus={!problem}
          invalid={view.error === "unknown"}
        />
        <Submit>{text.continue}</Submit>
      </Form>
    </Document>
  );
}

function Confirm({ view }: { view: ConfirmDevice }) {
  const text = messagesOf(view);
  return (
    <Document
      {...view}
      kind="device"
      title={text.deviceConfirmTitle}
      lead={[text.deviceConfirmText, { client: view.client, account: view.account }]}
    >
      <p class="gh-code">{view.userCode}</p>
      <AgentNote agent={view.agent} text={text} />
      <p>{text.deviceWants}</p>
      <WantedList view={view} text={text} />
      <Decision
        view={view}
        label={text.deviceConfirmTitle}
        answers={{ allow: text.deviceAllow, deny: text.deviceDeny }}
        values={{ user_code: view.userCode }}
      />
    </Document>
  );
}
