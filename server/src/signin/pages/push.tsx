import { browserName } from "./browser-name.ts";
import { Field, Submit } from "./controls.tsx";
import { Answered, Facts } from "./facts.tsx";
import { Alert, Document, HiddenInputs, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf } from "./messages.ts";
import { Filled } from "./text.tsx";

/** What a screen that waits is about, as another one tells it. */
export interface WaitingScreen {
  /** The application's name; null where nothing but the realm asked. */
  readonly client: string | null;
  readonly sourceIp: string | null;
  readonly userAgent: string | null;
  /** In words, in the language of the page. */
  readonly time: string;
}

/** On the screen that waits: the number, and a button to refresh the page immediately. */
export const PushWaiting = ({ text, number }: { text: Messages; number: string }) => (
  <>
    <p class="gh-code gh-number">{number}</p>
    <p class="gh-hint">{text.pushWaiting}</p>
    <Submit>{text.pushContinue}</Submit>
    <button class="gh-button gh-button--plain" type="submit" name="resend" value="true">
      {text.pushAgain}
    </button>
  </>
);

/** On the screen that waits, when it waits no more. */
export const PushEnded = ({ text }: { text: Messages }) => (
  <button class="gh-button gh-button--primary" type="submit" name="resend" value="true">
    {text.pushAgain}
  </button>
);

export const ScreenFacts = ({ text, screen }: { text: Messages; screen: WaitingScreen }) => (
  <Facts
    facts={[
      [text.factApplication, screen.client],
      [text.factAddress, screen.sourceIp],
      [text.factBrowser, screen.userAgent === null ? null : browserName(screen.userAgent)],
      [text.factTime, screen.time],
    ]}
  />
);

interface Approve extends PageFrame {
  readonly state: "ask";
  readonly csrf: string;
  /** The paths that the answers are sent to. */
  readonly approveAction: string;
  readonly denyAction: string;
  readonly account: string;
  readonly screen: WaitingScreen;
  /** The number that was typed was another one. */
  readonly isWrong: boolean;
}

interface Ended extends PageFrame {
  readonly state: "approved" | "denied" | "wrong" | "gone";
}

export type PushView = Approve | Ended;

/** On the phone: is it you who signs in there? */
export const renderPush = (view: PushView): string =>
  renderDocument(
    view.state === "ask" ? <Ask view={view} /> : <Answered frame={view} words={endings(messagesOf(view.locale))[view.state]} />,
  );

const ALERT_ID = "gh-error";

function Ask({ view }: { view: Approve }) {
  const text = messagesOf(view.locale);
  return (
    <Document
      {...view}
      kind="device"
      title={text.pushAskTitle}
      problem={view.isWrong ? text.pushWrongTitle : undefined}
      lead={
        <p class="gh-lead">
          <Filled template={text.pushAskText} values={{ account: view.account }} class="gh-account" />
        </p>
      }
    >
      {view.isWrong ? (
        <Alert id={ALERT_ID} tone="error" title={text.pushWrongTitle}>
          {text.pushTypeAgain}
        </Alert>
      ) : null}
      <ScreenFacts text={text} screen={view.screen} />
      <form class="gh-form" method="post" action={view.approveAction} aria-label={text.pushType}>
        <HiddenInputs csrf={view.csrf} />
        <Field
          id="number"
          label={text.pushType}
          type="text"
          code
          autocomplete="off"
          inputmode="numeric"
          maxlength={2}
          enterkeyhint="go"
          {...(view.isWrong && { "aria-invalid": "true", "aria-describedby": ALERT_ID })}
        />
        <Submit>{text.pushApprove}</Submit>
      </form>
      <form class="gh-form" method="post" action={view.denyAction} aria-label={text.pushDeny}>
        <HiddenInputs csrf={view.csrf} />
        <Submit look="plain">{text.pushDeny}</Submit>
      </form>
    </Document>
  );
}

const endings = (text: Messages) => ({
  approved: [text.pushApprovedTitle, text.pushApprovedText] as const,
  denied: [text.pushRefusedTitle, text.pushRefusedText] as const,
  wrong: [text.pushWrongTitle, text.pushWrongText] as const,
  gone: [text.pushGoneTitle, text.pushGoneText] as const,
});
