import { ApplicationLinks, ApplicationLogo } from "./application.tsx";
import { Submit } from "./controls.tsx";
import { Document, Form, type FormTarget, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf } from "./messages.ts";
import { Filled } from "./text.tsx";

export interface ConsentView extends PageFrame, FormTarget {
  readonly client: string;
  readonly account: string;
  readonly scopes: readonly ConsentScope[];
  /** Single claims that no scope of these brings. */
  readonly claims: readonly string[];
  /** RFC 9396: the types of what it asks for in detail. */
  readonly details: readonly string[];
  readonly logoUrl?: string | null | undefined;
  readonly policyUrl?: string | null | undefined;
  readonly termsUrl?: string | null | undefined;
}

export interface ConsentScope {
  readonly name: string;
  /** The realm's own words; ours where it has none. */
  readonly text: string | null;
}

const OWN_WORDS: Readonly<Record<string, (text: Messages) => string>> = {
  openid: (t) => t.scopeOpenid,
  profile: (t) => t.scopeProfile,
  email: (t) => t.scopeEmail,
  address: (t) => t.scopeAddress,
  phone: (t) => t.scopePhone,
  offline_access: (t) => t.scopeOfflineAccess,
  roles: (t) => t.scopeRoles,
  groups: (t) => t.scopeGroups,
  organizations: (t) => t.scopeOrganizations,
};

/** What an application wants, one line each. */
export const WantedList = ({ view, text }: { view: Pick<ConsentView, "scopes" | "claims" | "details">; text: Messages }) => (
  <ul class="gh-consent">
    {view.scopes.map(({ name, text: own }) => (
      <li>{own ?? (Object.hasOwn(OWN_WORDS, name) ? OWN_WORDS[name]!(text) : name)}</li>
    ))}
    {view.claims.length > 0 ? (
      <li>
        <Filled template={text.consentClaims} values={{ claims: view.claims.join(", ") }} />
      </li>
    ) : null}
    {view.details.length > 0 ? (
      <li>
        <Filled template={text.consentDetails} values={{ details: view.details.join(", ") }} />
      </li>
    ) : null}
  </ul>
);

interface DecisionForm {
  readonly view: FormTarget;
  readonly label: string;
  /** The labels by value; the first is the usual answer. */
  readonly answers: Readonly<Record<string, string>>;
  /** What the form carries along. */
  readonly values?: Readonly<Record<string, string>>;
}

/** A question with one button for each answer. */
export const Decision = ({ view: { csrf, action }, label, answers, values }: DecisionForm) => (
  <Form csrf={csrf} action={action} label={label} values={values}>
    {Object.entries(answers).map(([value, text], index) => (
      <Submit id={value} look={index === 0 ? "primary" : "plain"} name="decision" value={value}>
        {text}
      </Submit>
    ))}
  </Form>
);

/** Asks what an application may have. */
export function renderConsent(view: ConsentView): string {
  const text = messagesOf(view.locale);
  return renderDocument(
    <Document
      {...view}
      kind="consent"
      title={text.consentTitle}
      lead={
        <>
          <ApplicationLogo name={view.client} logoUrl={view.logoUrl} />
          <p class="gh-lead">
            <Filled template={text.consentText} values={{ client: view.client, account: view.account }} class="gh-account" />
          </p>
        </>
      }
    >
      <WantedList view={view} text={text} />
      <Decision view={view} label={text.consentTitle} answers={{ allow: text.consentAllow, deny: text.consentDeny }} />
      <ApplicationLinks policyUrl={view.policyUrl} termsUrl={view.termsUrl} text={text} />
    </Document>,
  );
}

export interface ChooseAccountView extends PageFrame, FormTarget {
  readonly account: string;
}

/** `prompt=select_account`: on with the account that is signed in, or with another. */
export function renderChooseAccount(view: ChooseAccountView): string {
  const text = messagesOf(view.locale);
  return renderDocument(
    <Document {...view} kind="login" title={text.chooseAccountTitle} lead={[text.chooseAccountText, { account: view.account }]}>
      <Decision view={view} label={text.chooseAccountTitle} answers={{ continue: text.continue, other: text.chooseOther }} />
    </Document>,
  );
}
