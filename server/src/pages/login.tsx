import { brandName, OPERATOR_BRANDING } from "./branding.ts";
import { LinkButton, Submit } from "./controls.tsx";
import { Document, Form, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { withoutBidiControls } from "./text.tsx";

/** The page for a user who is already signed in: to continue, or to sign out. */
export interface LoginView extends PageFrame {
  readonly csrf: string;
  readonly signedInAs: string;
  /** Null if there is no next page. */
  readonly continueUrl: string | null;
  readonly logoutAction: string;
}

export function renderLogin(view: LoginView): string {
  const text = messagesOf(view);
  return renderDocument(
    <Document
      {...view}
      kind="login"
      title={text.signedInTitle}
      lead={[view.continueUrl === null ? text.invitationAccountText : text.signedInText, { account: view.signedInAs }]}
    >
      <LinkButton href={view.continueUrl ?? undefined}>{text.continue}</LinkButton>
      <Form
        csrf={view.csrf}
        action={view.logoutAction}
        label={`${text.signOut}: ${withoutBidiControls(brandName(view.branding ?? OPERATOR_BRANDING))}`}
      >
        <Submit look="plain">{text.signOut}</Submit>
      </Form>
    </Document>,
  );
}
