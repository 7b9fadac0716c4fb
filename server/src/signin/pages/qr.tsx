import { Picture } from "./codes.tsx";
import { Submit } from "./controls.tsx";
import { Answered } from "./facts.tsx";
import { Document, Form, type FormTarget, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf } from "./messages.ts";
import { ScreenFacts, type WaitingScreen } from "./push.tsx";

/** On the screen that waits: the picture, and the code that the phone shows, too. */
export const QrWaiting = ({ text, cells, code }: { text: Messages; cells: readonly (readonly boolean[])[]; code: string }) => (
  <>
    <Picture cells={cells} alt={text.qrPicture} />
    <p class="gh-hint">{text.qrCode}</p>
    <p class="gh-code gh-number">{code}</p>
    <Submit>{text.qrContinue}</Submit>
  </>
);

/** The picture is too old. */
export const QrEnded = ({ text }: { text: Messages }) => (
  <Submit name="resend" value="true">
    {text.qrAgain}
  </Submit>
);

interface Confirm extends PageFrame, FormTarget {
  readonly state: "ask";
  readonly account: string;
  readonly screen: WaitingScreen;
  readonly code: string;
}

interface Ended extends PageFrame {
  readonly state: "confirmed" | "gone";
}

export type QrView = Confirm | Ended;

/** On the phone: may that screen go on as you? */
export const renderQr = (view: QrView): string =>
  renderDocument(
    view.state === "ask" ? <Ask view={view} /> : <Answered frame={view} words={endings(messagesOf(view.locale))[view.state]} />,
  );

function Ask({ view }: { view: Confirm }) {
  const text = messagesOf(view.locale);
  return (
    <Document {...view} kind="device" title={text.qrAskTitle} lead={[text.qrAskText, { account: view.account }]}>
      <ScreenFacts text={text} screen={view.screen} />
      <p class="gh-hint">{text.qrSameCode}</p>
      <p class="gh-code gh-number">{view.code}</p>
      <Form {...view} label={text.qrAskTitle}>
        <Submit>{text.qrConfirm}</Submit>
      </Form>
      <p class="gh-hint">{text.qrWarning}</p>
    </Document>
  );
}

const endings = (text: Messages) => ({
  confirmed: [text.qrDoneTitle, text.qrDoneText] as const,
  gone: [text.qrGoneTitle, text.qrGoneText] as const,
});
