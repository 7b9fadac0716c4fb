import { clock, DAY } from "../../kernel/clock.ts";
import {
  authnRequestElement,
  BINDING,
  checkSignIn,
  destinationIsOurs,
  isSuccess,
  newMessageId,
  type OpenedResponse,
  openResponse,
  postFields,
  type ReceivedMessage,
  readArtifactFields,
  readPost,
  redirectUrl,
  SamlError,
  STATUS,
  type Status,
  signed,
} from "../../platform/saml/index.ts";
import type { Broker, PostedAnswer } from "../brokers/broker.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { keepAnswer, takeAnswer, useAssertion } from "./answers.store.ts";
import { resolveArtifact } from "./artifact.ts";
import { decryptionOf, signerOf } from "./keys.ts";
import { logoutRequestFor, logoutResponseTo, readLogoutRequest, type SamlLogouts, writeNameId } from "./logout.ts";
import { serviceProviderMetadata } from "./metadata.ts";
import { refusing, withKeys } from "./open.ts";
import type { SamlProfile } from "./profile.ts";
import type { SamlUpstream } from "./provider-metadata.ts";
import { type SamlRules, skewOf } from "./rules.ts";
import { consumerOf, type SamlTools, spEntityIdOf } from "./tools.ts";

export interface SamlBroker extends Broker {
  readonly logout: SamlLogouts;
}

/** The limit on RelayState. A provider that begins a sign-in itself may name a path of ours; our own state is much shorter. */
const LIMIT = { relayStateBytes: 2048 };

/** Web browser single sign-on (SAML profiles §4.1) with this realm as the service provider, for every scheme. */
export const samlBroker = (profile: SamlProfile): SamlBroker => ({
  begin: (provider, request, { saml }) =>
    refusing(async () => {
      const rules = profile.rules(provider);
      const { sso } = await saml.upstreams.read(provider, rules);
      const id = newMessageId();
      const more = profile.request(provider, request);
      const answerTo =
        more.assertionConsumerServiceIndex === undefined
          ? {
              assertionConsumerServiceUrl: consumerOf(saml.baseUrl, provider),
              protocolBinding: provider.config.responseBinding === "artifact" ? BINDING.artifact : BINDING.post,
            }
          : {};
      const envelope = { id, issueInstant: clock.now(), issuer: spEntityIdOf(saml.baseUrl, provider), destination: sso.location };
      const message = authnRequestElement({ ...envelope, ...answerTo, ...more });
      const key = provider.config.signAuthnRequests === false ? null : await signerOf(provider, rules, saml);
      return {
        kept: { requestId: id, begunAt: clock.now(), fresh: more.forceAuthn === true },
        to: async (state) =>
          sso.binding === "redirect"
            ? redirectUrl({ location: sso.location, message, relayState: state, key })
            : {
                name: provider.displayName,
                location: sso.location,
                form: postFields(key ? await signed(message, key) : message, state),
              },
      };
    }),

  metadata: (provider, { saml }) => serviceProviderMetadata(profile, provider, saml),

  posted: (provider, form, { saml }) =>
    refusing(async (): Promise<PostedAnswer> => {
      const state = typeof form.RelayState === "string" && form.RelayState !== "" ? form.RelayState : null;
      // An artifact fits into an address. It is resolved at the endpoint that gets the browser's cookies.
      if (form.SAMLart !== undefined)
        return { kind: "answer", query: { SAMLart: readArtifactFields(form, LIMIT).artifact.text, ...(state && { state }) } };
      const received = readPost(form, LIMIT);
      const rules = profile.rules(provider);
      if (provider.config.responseBinding === "artifact") throw new SamlError("binding", "Answers of this provider come by artifact");
      const { upstream, opened } = await open(provider, rules, saml, received);
      const { response } = opened;
      if (!opened.assertion) {
        destinationIsOurs(response, [consumerOf(saml.baseUrl, provider)], opened.responseSigned);
        return { kind: "answer", query: { error: errorOf(response.status), ...(state && { state }) } };
      }
      const { assertion, until } = checked(provider, rules, saml, upstream, opened, response.inResponseTo);
      const isAsked = response.inResponseTo !== null;
      if (!isAsked && provider.config.allowIdpInitiated !== true)
        throw new UpstreamError("unsolicited", "The provider sent an answer that no request had asked for.");
      if (!isAsked) {
        if (!(await useAssertion(saml.db, provider, assertion.id, until))) throw replayed();
        return { kind: "begin", returnTo: state };
      }
      const handle = await keepAnswer(saml.db, saml.vault, provider, { assertionId: assertion.id, answer: opened, until }, clock.now());
      if (handle === null) throw replayed();
      return { kind: "answer", query: { answer: handle, ...(state && { state }) } };
    }),

  finish: (provider, answer, kept, _request, { saml }) =>
    refusing(async () => {
      const rules = profile.rules(provider);
      const { upstream, opened } = await arrived(provider, rules, answer, saml);
      if (!opened.assertion) {
        const error = errorOf(opened.response.status);
        throw new UpstreamError(error === CANCELLED ? "cancelled" : `upstream_${error}`, "The provider refused.");
      }
      const { assertion, until } = checked(provider, rules, saml, upstream, opened, String(kept.requestId));
      // A posted response was already used when it was taken from the store.
      if (answer.SAMLart !== undefined && !(await useAssertion(saml.db, provider, assertion.id, until))) throw replayed();
      const [fresh, begunAt] = [kept.fresh === true, Number(kept.begunAt)];
      if (fresh && assertion.authnStatements.some(({ authnInstant }) => authnInstant < begunAt - skewOf(provider)))
        throw new UpstreamError("stale", "The provider did not ask for a new sign-in.");
      const session = {
        id: assertion.authnStatements[0]?.sessionIndex ?? null,
        // It is also stored if logouts do not continue at the provider, because the provider's own LogoutRequest is compared with it.
        logout: writeNameId(assertion.subject?.nameId),
      };
      return { session, ...profile.identity(provider, { assertion, response: opened, fresh, begunAt }) };
    }),

  signOut: (provider, session, { state }, { saml }) =>
    refusing(() => logoutRequestFor(provider, profile.rules(provider), session, state, saml)),

  logout: {
    read: (provider, received, { saml }) => refusing(() => readLogoutRequest(provider, profile.rules(provider), received, saml)),
    respond: (provider, answered, { saml }) => refusing(() => logoutResponseTo(provider, profile.rules(provider), answered, saml)),
  },
});

const replayed = () => new UpstreamError("replay", "The assertion was used before.");

const open = (provider: ProviderSnapshot, rules: SamlRules, tools: SamlTools, received: ReceivedMessage) =>
  withKeys(provider, rules, tools, ({ keys }) => {
    const decryption = decryptionOf(provider, rules, tools);
    return openResponse(received, { keys, ...(decryption && { decryption }) });
  });

/** Returns the answer of a returning browser: a stored one that was posted, or the one that an artifact stands for. */
async function arrived(
  provider: ProviderSnapshot,
  rules: SamlRules,
  answer: Readonly<Record<string, string>>,
  tools: SamlTools,
): Promise<{ readonly upstream: SamlUpstream; readonly opened: OpenedResponse }> {
  if (answer.SAMLart !== undefined) return resolveArtifact(provider, rules, answer.SAMLart, tools);
  // SAML profiles §4.1.2
  if (answer.SAMLResponse !== undefined) throw new SamlError("binding", "A Response does not come by Redirect");
  if (answer.error !== undefined)
    throw new UpstreamError(`upstream_${/^[a-z_]{1,40}$/.exec(answer.error)?.[0] ?? "error"}`, "The provider refused.");
  const opened = await takeAnswer<Partial<OpenedResponse>>(tools.db, tools.vault, provider, answer.answer ?? "", clock.now());
  // A stored LogoutRequest is not a response.
  if (!isResponse(opened)) throw new UpstreamError("no_answer", "There is no answer of the provider, or no more.");
  return { upstream: await tools.upstreams.read(provider, rules), opened };
}

const isResponse = (opened: Partial<OpenedResponse> | null): opened is OpenedResponse => opened?.response !== undefined;

/** The maximum age of an assertion, whatever validity the provider states. Its ID has to be remembered until then. */
const LONGEST = DAY;

/** SAML profiles §4.1.4.3 */
function checked(
  provider: ProviderSnapshot,
  rules: SamlRules,
  { baseUrl }: SamlTools,
  upstream: SamlUpstream,
  opened: OpenedResponse,
  inResponseTo: string | null,
) {
  const now = clock.now();
  const clockSkew = skewOf(provider);
  const { assertion, until } = checkSignIn(opened, {
    ...{ now, inResponseTo, clockSkew, issuer: upstream.entityId },
    audience: spEntityIdOf(baseUrl, provider),
    recipient: consumerOf(baseUrl, provider),
    requireSignedResponse: rules.signedResponse,
    requireSignedAssertion: rules.signedAssertion,
    requireEncryptedAssertion: rules.encryptedAssertion,
  });
  if (assertion.issueInstant > now + clockSkew) throw new SamlError("not_yet_valid", "The assertion was issued in the future");
  if (assertion.issueInstant + LONGEST <= now) throw new SamlError("expired", "The assertion is more than a day old");
  return { assertion, until: Math.min(until, assertion.issueInstant + LONGEST) };
}

/** OAuth's error code, which the sign-in step recognizes. */
const CANCELLED = "access_denied";

/** SAML core §3.2.2.2: the second-level status is more precise than the first. */
function errorOf(status: Status): string {
  if (isSuccess(status)) return "no_assertion";
  const code = status.subCode ?? status.code;
  if (code === STATUS.authnFailed || code === STATUS.requestDenied) return CANCELLED;
  const [last = ""] = /[A-Za-z]{1,40}$/.exec(code) ?? [];
  return last.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase() || "error";
}
