import { browserName } from "./browser-name.ts";
import { Field, Submit } from "./controls.tsx";
import { Facts } from "./facts.tsx";
import { Document, Form, type PageFrame, renderDocument } from "./layout.tsx";
import { type Locale, type Messages, messagesOf } from "./messages.ts";
import { type Moment, Time } from "./times.tsx";

/** The sign-in that waits on another screen, as this page describes it. */
export interface WaitingScreen {
  /** The application's name. Null if the sign-in is for the realm itself. */
  readonly client: string | null;
  readonly sourceIp: string | null;
  readonly userAgent: string | null;
  readonly time: Moment;
}

/** The content of the waiting screen: the number, and a button to refresh the page at once. */
export const PushWaiting = ({ text, number }: { text: Messages; number: string }) => (
  <>
    <p class="gh-code gh-number">{number}</p>
    <p class="gh-hint">{text.pushWaiting}</p>
    <Submit>{text.pushContinue}</Submit>
    <Submit look="plain" name="resend" value="true">
      {text.pushAgain}
    </Submit>
  </>
);

/** The content of the screen when it no longer waits. */
export const PushEnded = ({ text }: { text: Messages }) => (
  <Submit name="resend" value="true">
    {text.pushAgain}
  </Submit>
);

export const ScreenFacts = ({ text, locale, screen }: { text: Messages; locale: Locale; screen: WaitingScreen }) => (
  <Facts
    facts={[
      [text.factApplication, screen.client],
      [text.factAddress, screen.sourceIp],
      [text.factBrowser, screen.userAgent === null ? null : browserName(screen.userAgent)],
      [text.factTime, <Time locale={locale} {...screen.time} />],
    ]}
  />
);

interface PushView extends PageFrame {
  readonly csrf: string;
  /** The paths that the answers are sent to. */
  readonly approveAction: string;
  readonly denyAction: string;
  readonly account: string;
  readonly screen: WaitingScreen;
  /** True if the typed number was wrong. */
  readonly isWrong: boolean;
}

/** Renders the page on the phone, which asks whether the user is signing in there. */
export function renderPush(view: PushView): string {
  const text = messagesOf(view);
  return renderDocument(
    <Document
      {...view}
      kind="device"
      title={text.pushAskTitle}
      problem={view.isWrong ? { title: text.pushWrongTitle, text: text.pushTypeAgain } : null}
      lead={[text.pushAskText, { account: view.account }]}
    >
      <ScreenFacts text={text} locale={view.locale} screen={view.screen} />
      <Form csrf={view.csrf} action={view.approveAction} label={text.pushType}>
        <Field
          id="number"
          label={text.pushType}
          type="text"
          code
          autocomplete="off"
          inputmode="numeric"
          maxlength={2}
          enterkeyhint="go"
          invalid={view.isWrong}
        />
        <Submit>{text.pushApprove}</Submit>
      </Form>
      <Form csrf={view.csrf} action={view.denyAction} label={text.pushDeny}>
        <Submit look="plain">{text.pushDeny}</Submit>
      </Form>
    </Document>,
  );
}
