import { type Branding, brandName } from "./branding.ts";
import { LinkButton, Submit } from "./controls.tsx";
import { Document, HiddenInputs, type ImpersonationBanner, renderDocument } from "./layout.tsx";
import type { LanguageLink } from "./locale.ts";
import { type Locale, type Messages, messagesOf } from "./messages.ts";
import { Filled, withoutBidiControls } from "./text.tsx";

/** For a user who is signed in already: continue, or sign out. */
export interface LoginView {
  readonly branding: Branding;
  readonly locale: Locale;
  readonly csrf: string;
  readonly signedInAs: string;
  /** Null: there is nowhere to go on to. */
  readonly continueUrl: string | null;
  readonly logoutAction: string;
  readonly languages: readonly LanguageLink[];
  readonly impersonation?: ImpersonationBanner;
}

export function renderLogin(view: LoginView): string {
  const text = messagesOf(view.locale);
  return renderDocument(
    <Document
      branding={view.branding}
      locale={view.locale}
      languages={view.languages}
      {...(view.impersonation && { impersonation: view.impersonation })}
      kind="login"
      title={text.signedInTitle}
      lead={
        <p class="gh-lead">
          <Filled
            template={view.continueUrl === null ? text.invitationAccountText : text.signedInText}
            values={{ account: view.signedInAs }}
            class="gh-account"
          />
        </p>
      }
    >
      <SignedIn view={view} text={text} />
    </Document>,
  );
}

function SignedIn({ view, text }: { view: LoginView; text: Messages }) {
  return (
    <>
      {view.continueUrl === null ? null : <LinkButton href={view.continueUrl}>{text.continue}</LinkButton>}
      {view.logoutAction ? (
        <form
          class="gh-form"
          method="post"
          action={view.logoutAction}
          aria-label={`${text.signOut}: ${withoutBidiControls(brandName(view.branding))}`}
        >
          <HiddenInputs csrf={view.csrf} />
          <Submit look="plain">{text.signOut}</Submit>
        </form>
      ) : null}
    </>
  );
}
