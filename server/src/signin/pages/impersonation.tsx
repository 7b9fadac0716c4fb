import { brandName, OPERATOR_BRANDING } from "./branding.ts";
import { Submit } from "./controls.tsx";
import { Document, Form, type FormTarget, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";

interface ConfirmImpersonation extends PageFrame, FormTarget {
  readonly state: "confirm";
  readonly account: string;
  readonly hidden: Readonly<Record<string, string>>;
}

interface NoImpersonation extends PageFrame {
  readonly state: "gone" | "refused" | "elsewhere";
}

export type ImpersonationView = ConfirmImpersonation | NoImpersonation;

/** Asks before an administrator acts as a user in this browser, or says why they do not. */
export const renderImpersonation = (view: ImpersonationView): string =>
  renderDocument(view.state === "confirm" ? <Confirm view={view} /> : <Refusal view={view} />);

function Confirm({ view }: { view: ConfirmImpersonation }) {
  const text = messagesOf(view.locale);
  const names = { account: view.account, name: brandName(view.branding ?? OPERATOR_BRANDING) };
  return (
    <Document {...view} kind="message" title={text.impersonationTitle} lead={[text.impersonationText, names]}>
      <Form {...view} label={text.impersonationStart} values={view.hidden}>
        <Submit>{text.impersonationStart}</Submit>
      </Form>
    </Document>
  );
}

function Refusal({ view }: { view: NoImpersonation }) {
  const text = messagesOf(view.locale);
  const [title, explanation] = {
    gone: [text.impersonationGoneTitle, text.impersonationGoneText],
    refused: [text.impersonationRefusedTitle, text.impersonationRefusedText],
    elsewhere: [text.impersonationElsewhereTitle, text.impersonationElsewhereText],
  }[view.state] as [string, string];
  return <Document {...view} kind="message" title={title} lead={explanation} />;
}
