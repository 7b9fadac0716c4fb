import { brandName, OPERATOR_BRANDING } from "./branding.ts";
import { Submit } from "./controls.tsx";
import { Document, Form, type FormTarget, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";

interface ImpersonationView extends PageFrame, FormTarget {
  readonly account: string;
  readonly hidden: Readonly<Record<string, string>>;
}

/** Asks for confirmation before an administrator acts as a user in this browser. */
export function renderImpersonation(view: ImpersonationView): string {
  const text = messagesOf(view);
  const names = { account: view.account, name: brandName(view.branding ?? OPERATOR_BRANDING) };
  return renderDocument(
    <Document {...view} kind="message" title={text.impersonationTitle} lead={[text.impersonationText, names]}>
      <Form {...view} label={text.impersonationStart} values={view.hidden}>
        <Submit>{text.impersonationStart}</Submit>
      </Form>
    </Document>,
  );
}
