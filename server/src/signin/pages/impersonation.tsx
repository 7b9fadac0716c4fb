import { brandName, OPERATOR_BRANDING } from "./branding.ts";
import { Submit } from "./controls.tsx";
import { Document, HiddenInputs, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { Filled } from "./text.tsx";

interface ConfirmImpersonation extends PageFrame {
  readonly state: "confirm";
  readonly account: string;
  readonly csrf: string;
  /** The path the form is sent to. */
  readonly action: string;
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
    <Document
      {...view}
      kind="message"
      title={text.impersonationTitle}
      lead={
        <p class="gh-lead">
          <Filled template={text.impersonationText} values={names} class="gh-account" />
        </p>
      }
    >
      <form class="gh-form" method="post" action={view.action} aria-label={text.impersonationStart}>
        <HiddenInputs csrf={view.csrf} values={view.hidden} />
        <Submit>{text.impersonationStart}</Submit>
      </form>
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
  return <Document {...view} kind="message" title={title} lead={<p class="gh-lead">{explanation}</p>} />;
}
