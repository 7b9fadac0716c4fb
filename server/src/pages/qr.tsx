import { Picture } from "./codes.tsx";
import { Submit } from "./controls.tsx";
import { Document, Form, type FormTarget, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf } from "./messages.ts";
import { ScreenFacts, type WaitingScreen } from "./push.tsx";

/** The content of the waiting screen: the picture, and the code that the phone shows as well. */
export const QrWaiting = ({ text, cells, code }: { text: Messages; cells: readonly (readonly boolean[])[]; code: string }) => (
  <>
    <Picture cells={cells} alt={text.qrPicture} />
    <p class="gh-hint">{text.qrCode}</p>
    <p class="gh-code gh-number">{code}</p>
    <Submit>{text.qrContinue}</Submit>
  </>
);

/** The content of the screen when the picture has expired. */
export const QrEnded = ({ text }: { text: Messages }) => (
  <Submit name="resend" value="true">
    {text.qrAgain}
  </Submit>
);

interface QrView extends PageFrame, FormTarget {
  readonly account: string;
  readonly screen: WaitingScreen;
  readonly code: string;
}

/** Renders the page on the phone, which asks whether the user is to be signed in on that screen. */
export function renderQr(view: QrView): string {
  const text = messagesOf(view);
  return renderDocument(
    <Document {...view} kind="device" title={text.qrAskTitle} lead={[text.qrAskText, { account: view.account }]}>
      <ScreenFacts text={text} locale={view.locale} screen={view.screen} />
      <p class="gh-hint">{text.qrSameCode}</p>
      <p class="gh-code gh-number">{view.code}</p>
      <Form {...view} label={text.qrAskTitle}>
        <Submit>{text.qrConfirm}</Submit>
      </Form>
      <p class="gh-hint">{text.qrWarning}</p>
    </Document>,
  );
}
