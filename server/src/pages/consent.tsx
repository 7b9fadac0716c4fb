import { ApplicationLinks, ApplicationLogo, type ShownApplication } from "./application.tsx";
import { Submit } from "./controls.tsx";
import { Document, Form, type FormTarget, LeadText, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf } from "./messages.ts";
import { Filled } from "./text.tsx";

interface ConsentView extends PageFrame, FormTarget, Omit<ShownApplication, "name"> {
  readonly client: string;
  readonly account: string;
  readonly scopes: readonly ConsentScope[];
  /** Single claims that none of these scopes includes. */
  readonly claims: readonly string[];
  /** Authorization details (RFC 9396), one text each. */
  readonly details: readonly string[];
  readonly apis: readonly ConsentApi[];
  /** The address to which the browser is sent with the answer, or null if there is none. */
  readonly returnTo: string | null;
  /** Null unless an agent asks. */
  readonly agent: ShownAgent | null;
}

/** An API that the application wants to call for the user. */
export interface ConsentApi {
  /** Null if it has no name. */
  readonly name: string | null;
  readonly address: string;
}

export interface ConsentScope {
  readonly name: string;
  /** The realm's own words. Null to use ours. */
  readonly text: string | null;
}

const OWN_WORDS: Readonly<Record<string, keyof Messages>> = {
  openid: "scopeOpenid",
  profile: "scopeProfile",
  email: "scopeEmail",
  address: "scopeAddress",
  phone: "scopePhone",
  offline_access: "scopeOfflineAccess",
  roles: "scopeRoles",
  groups: "scopeGroups",
  organizations: "scopeOrganizations",
};

/** Returns the description of a scope: the realm's words, or ours, or its name. */
export const scopeWords = ({ name, text: own }: ConsentScope, text: Messages): string =>
  own ?? (Object.hasOwn(OWN_WORDS, name) ? text[OWN_WORDS[name]!] : name);

/** The requested scopes, one line each. */
export const WantedList = ({ view, text }: { view: Pick<ConsentView, "scopes" | "claims" | "details" | "apis">; text: Messages }) => (
  <ul class="gh-consent">
    {view.apis.map(({ name, address }) => (
      <li>
        <Filled
          template={name === null ? text.consentAddress : text.consentApi}
          values={{ address, ...(name !== null && { api: name }) }}
        />
      </li>
    ))}
    {view.scopes.map((scope) => (
      <li>{scopeWords(scope, text)}</li>
    ))}
    {view.claims.length > 0 ? (
      <li>
        <Filled template={text.consentClaims} values={{ claims: view.claims.join(", ") }} />
      </li>
    ) : null}
    {view.details.map((detail) => (
      <li>
        <Filled template={text.consentDetails} values={{ details: detail }} />
      </li>
    ))}
  </ul>
);

/** The agent that asks, and the user who is responsible for it. */
export interface ShownAgent {
  readonly name: string;
  /** Null if no user is responsible. */
  readonly owner: string | null;
}

export const AgentNote = ({ agent, text }: { agent: ShownAgent | null; text: Messages }) =>
  agent === null ? null : (
    <p>
      {agent.owner === null ? (
        <Filled template={text.requestAgentAlone} values={{ agent: agent.name }} />
      ) : (
        <Filled template={text.requestAgent} values={{ agent: agent.name, owner: agent.owner }} />
      )}
    </p>
  );

interface DecisionForm {
  readonly view: FormTarget;
  readonly label: string;
  /** The labels by value. The first answer is the usual one. */
  readonly answers: Readonly<Record<string, string>>;
  /** Hidden members of the form. */
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

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Shows where the answer is sent: the host, which a phisher cannot choose, or a private scheme. */
function ReturnHost({ uri, client, text }: { uri: string | null; client: string; text: Messages }) {
  if (uri === null || !URL.canParse(uri)) return null;
  const { protocol, host, hostname } = new URL(uri);
  const isWeb = protocol === "https:" || protocol === "http:";
  // RFC 8252 §8.3: any program on the device can listen at a loopback address, or claim the scheme.
  const isOnDevice = !isWeb || LOOPBACK.test(hostname);
  return (
    <p class="gh-hint">
      <Filled
        template={isOnDevice ? text.consentReturnDevice : text.consentReturn}
        values={{ host: isWeb ? host : protocol.slice(0, -1), client }}
      />
    </p>
  );
}

/** Asks the user what an application may have. */
export function renderConsent(view: ConsentView): string {
  const text = messagesOf(view);
  return renderDocument(
    <Document
      {...view}
      kind="consent"
      title={text.consentTitle}
      lead={
        <>
          <ApplicationLogo name={view.client} logoUrl={view.logoUrl} />
          <LeadText lead={[text.consentText, { client: view.client, account: view.account }]} />
        </>
      }
    >
      <AgentNote agent={view.agent} text={text} />
      <WantedList view={view} text={text} />
      <ReturnHost uri={view.returnTo} client={view.client} text={text} />
      <Decision view={view} label={text.consentTitle} answers={{ allow: text.consentAllow, deny: text.consentDeny }} />
      <ApplicationLinks policyUrl={view.policyUrl} termsUrl={view.termsUrl} text={text} />
    </Document>,
  );
}

/** Asks whether to continue with the account that is signed in, or with another (`prompt=select_account`). */
export function renderChooseAccount(view: PageFrame & FormTarget & { readonly account: string }): string {
  const text = messagesOf(view);
  return renderDocument(
    <Document {...view} kind="login" title={text.chooseAccountTitle} lead={[text.chooseAccountText, { account: view.account }]}>
      <Decision view={view} label={text.chooseAccountTitle} answers={{ continue: text.continue, other: text.chooseOther }} />
    </Document>,
  );
}
