import * as federation from "../../federation/index.ts";
import type { Answer, StepContext } from "./authenticator.ts";
import { findLinkedSignInUser, type LinkedSignInUser } from "./user.store.ts";

// The browser's visit to an identity provider, for the steps that make one: to sign in, and to link an account.

export const PROBLEMS = {
  down: { title: "brokerDownTitle", text: "brokerDownText" },
  failed: { title: "brokerFailedTitle", text: "brokerFailedText" },
  refused: { title: "brokerRefusedTitle", text: "brokerRefusedText" },
  denied: { title: "brokerDeniedTitle", text: "brokerDeniedText" },
  stale: { title: "brokerStaleTitle", text: "brokerStaleText" },
  "no-account": { title: "brokerDeniedTitle", text: "brokerNoAccountText" },
  domain: { title: "brokerDeniedTitle", text: "brokerDomainText" },
  "too-many": { title: "brokerTooManyTitle", text: "brokerTooManyText", status: 429 },
} as const;

export const providersOf = async ({ parts, realm, request }: StepContext) =>
  request.isLocal ? null : parts.brokers.providers.get(realm.realmId);

export async function enabledProvider(at: StepContext, alias: string): Promise<federation.ProviderSnapshot | null> {
  const provider = (await providersOf(at))?.byAlias.get(alias);
  return provider?.enabled ? provider : null;
}

/** One redirect URI for each provider, so that no provider's answer is taken for another's. */
const redirectUriOf = ({ parts, realm }: StepContext, alias: string) =>
  `${parts.baseUrl}/realms/${realm.realmId}/broker/${encodeURIComponent(alias)}/endpoint`;

/** Sends the browser to the provider. */
export async function visit(
  at: StepContext,
  provider: federation.ProviderSnapshot | null,
  asked: Pick<federation.BrokerRequest, "loginHint" | "acr" | "fresh">,
): Promise<Answer> {
  const broker = provider && federation.brokerOf(provider.protocol);
  if (!provider || !broker) return { outcome: "again", problem: PROBLEMS.down };
  const { alias, providerId } = provider;
  const { outages, tools } = at.parts.brokers;
  try {
    const request = { ...asked, redirectUri: redirectUriOf(at, alias), locale: at.visitor.locale };
    const { kept, to } = await federation.askingProvider(tools, (bounded) => broker.begin(provider, request, bounded));
    outages.answered(providerId);
    return { outcome: "leave", data: { ...kept, alias, providerId }, to: ({ state }) => to(state) };
  } catch (error) {
    if (error instanceof federation.UpstreamError) outages.failed(providerId);
    return failed(at, provider, error, "down");
  }
}

interface Back {
  readonly provider: federation.ProviderSnapshot;
  readonly identity: federation.BrokeredIdentity;
  /** Null: the account there is linked to no user. */
  readonly linked: LinkedSignInUser | null;
}

/** The identity that the provider asserts, or the step's answer where there is none. */
export async function visited(
  at: StepContext,
  { alias, ...query }: Readonly<Record<string, string>>,
): Promise<Back | { readonly answer: Answer }> {
  const { data, parts } = at;
  const provider = await enabledProvider(at, String(alias));
  const broker = provider && federation.brokerOf(provider.protocol);
  // Disabled or replaced since.
  if (!provider || !broker || provider.providerId !== data?.providerId) return { answer: { outcome: "again", problem: PROBLEMS.failed } };
  if (query.error === "access_denied" || query.error === "user_cancelled_authorize")
    return { answer: { outcome: "again", notice: "brokerCancelled" } };
  if (query.error === federation.REFUSED) return { answer: { outcome: "again", problem: PROBLEMS.failed } };
  try {
    return await federation.askingProvider(parts.brokers.tools, async (tools) => {
      const known = await broker.finish(provider, query, data, { redirectUri: redirectUriOf(at, provider.alias) }, tools);
      const linked = await findLinkedSignInUser(parts.db, provider, known.subject, at.now);
      // One request to the provider less, for users who are linked and whose sign-in uses nothing of it.
      if (!known.complete || (linked !== null && !federation.usesProfile(provider, linked))) return { provider, identity: known, linked };
      // The user's state that was read before the provider answered may be outdated.
      return { provider, identity: await known.complete(), linked: linked && { ...linked, user: undefined } };
    });
  } catch (error) {
    return { answer: await failed(at, provider, error, "failed") };
  }
}

/** Answers in plain words. The provider's words go to the log; the audit trail gets our own reason only. */
async function failed(at: StepContext, provider: federation.ProviderSnapshot, error: unknown, problem: "down" | "failed"): Promise<Answer> {
  if (!(error instanceof federation.UpstreamError)) throw error;
  if (error.reason === "cancelled") return { outcome: "again", notice: "brokerCancelled" };
  const { realm, alias, protocol } = provider;
  at.parts.brokers.tools.log.warn({ err: error, realm, alias, protocol, reason: error.reason }, "a sign-in by an identity provider failed");
  await recordBrokerFailure(at, provider, error.reason);
  return { outcome: "again", problem: PROBLEMS[PROBLEM_OF[error.reason] ?? problem] };
}

/** The provider's error codes (RFC 6749 §4.1.2.1), as messages for users. */
const PROBLEM_OF: Readonly<Record<string, keyof typeof PROBLEMS>> = {
  stale: "stale",
  timeout: "down",
  upstream_server_error: "down",
  upstream_temporarily_unavailable: "down",
  upstream_unauthorized_client: "refused",
  upstream_invalid_request: "refused",
  upstream_invalid_scope: "refused",
  upstream_unsupported_response_type: "refused",
};

export const recordBrokerFailure = (
  { parts, visitor }: StepContext,
  provider: federation.ProviderSnapshot,
  reason: string,
): Promise<void> => parts.brokers.failed(parts.work, provider, reason, { sourceIp: visitor.sourceIp, requestId: visitor.requestId });
