import Type from "typebox";
import { applyMapping, arrivalOf, arrive, type BrokeredIdentity, brokerOf, REFUSED, writesEachTime } from "../brokers/index.ts";
import { type ProviderSnapshot, touchLink, UpstreamError } from "../identity-providers/index.ts";
import { ProviderLinks } from "../pages/index.ts";
import type { Answer, Proof, Question, StepContext } from "./authenticator.ts";

/** Where a provider sends the browser back to: one address for each, so that no provider's answer is taken for another's. */
export const redirectUriOf = ({ parts, realm }: StepContext, alias: string) =>
  `${parts.baseUrl}/realms/${realm.realmId}/broker/${encodeURIComponent(alias)}/endpoint`;

export const PROBLEMS = {
  down: { title: "brokerDownTitle", text: "brokerDownText" },
  failed: { title: "brokerFailedTitle", text: "brokerFailedText" },
  denied: { title: "brokerDeniedTitle", text: "brokerDeniedText" },
  stale: { title: "brokerStaleTitle", text: "brokerStaleText" },
  "no-account": { title: "brokerDeniedTitle", text: "brokerNoAccountText" },
  domain: { title: "brokerDeniedTitle", text: "brokerDomainText" },
} as const;

/** Signs in at an identity provider of the realm. Its buttons are links, also on the pages of other ways. */
export const identityProvider: Question = {
  kind: "question",
  displayName: "Identity provider",
  description: "Offers the realm's identity providers, and signs in at the one that is chosen",
  config: Type.Object({}, { additionalProperties: false }),
  ...{ identifies: true, factor: "knowledge", counted: null, fields: ["provider"], setUp: null, choice: "chooseIdentityProvider" },
  refusal: PROBLEMS.denied,
  // A hint leads to a provider without a button, too; one that names none is ignored.
  available: async (at) =>
    ((await providersOf(at))?.buttons.length ?? 0) > 0 || (await enabledProvider(at, at.request.identityProvider ?? "")) !== null,
  page: async (at, text) => ({
    title: "signInTitle",
    body: <ProviderLinks text={text} links={await linksOf(at)} />,
  }),
  links: linksOf,

  async answer(at, { provider: alias = "" }) {
    const provider = await enabledProvider(at, alias);
    const broker = provider && brokerOf(provider.protocol);
    if (!provider || !broker) return { outcome: "again", problem: PROBLEMS.down };
    const { request, visitor, progress, parts } = at;
    try {
      const { kept, to } = await broker.begin(
        provider,
        {
          redirectUri: redirectUriOf(at, alias),
          loginHint: progress.login ?? request.loginHint ?? null,
          locale: visitor.locale,
          acr: request.acr ?? null,
          fresh: request.reauthenticate === true || request.recent === true,
        },
        parts.brokers.tools,
      );
      return { outcome: "leave", data: { ...kept, alias, providerId: provider.providerId }, to: ({ state }) => to(state) };
    } catch (error) {
      return failed(at, provider, error, "down");
    }
  },

  async returned(at, { alias, ...query }) {
    const { data, parts, visitor } = at;
    const provider = data?.alias === alias ? await enabledProvider(at, String(alias)) : null;
    const broker = provider && brokerOf(provider.protocol);
    // Another provider's endpoint, or one that was disabled or replaced meanwhile.
    if (!provider || !broker || provider.providerId !== data?.providerId) return { outcome: "again", problem: PROBLEMS.failed };
    if (query.error === "access_denied" || query.error === "user_cancelled_authorize")
      return { outcome: "again", notice: "brokerCancelled" };
    if (query.error === REFUSED) return { outcome: "again", problem: PROBLEMS.failed };
    let identity: BrokeredIdentity;
    try {
      identity = await broker.finish(provider, query, data, { redirectUri: redirectUriOf(at, provider.alias) }, parts.brokers.tools);
    } catch (error) {
      return failed(at, provider, error, "failed");
    }
    const arrival = await arrive(parts, provider, identity, visitor.sourceIp);
    if (arrival.kind === "refused") {
      await tellFailure(at, provider, arrival.reason);
      return { outcome: "again", problem: PROBLEMS[arrival.reason] };
    }
    const brokered = arrivalOf(parts.vault, provider, identity, at.interactionId!);
    const proof = { ...proofOf(at, provider, identity, arrival.userId), brokered };
    if (arrival.kind === "linked") return { outcome: "passed", proof };
    // Whose sign-in it is was said before: an address does not make it another's.
    if (at.progress.userId !== null) return { outcome: "again", problem: PROBLEMS.failed };
    const link = { alias: provider.alias, providerId: provider.providerId, subject: identity.subject, username: identity.username };
    return { outcome: "prove", userId: arrival.userId, login: arrival.login, link, factor: proof.factor!, amr: proof.amr, brokered };
  },
};

const providersOf = async ({ parts, realm, request }: StepContext) => (request.isLocal ? null : parts.brokers.providers.get(realm.realmId));

export async function enabledProvider(at: StepContext, alias: string): Promise<ProviderSnapshot | null> {
  const provider = (await providersOf(at))?.byAlias.get(alias);
  return provider?.enabled ? provider : null;
}

async function linksOf(at: StepContext) {
  const { realm, interactionId } = at;
  const query = interactionId === null ? "" : `?${new URLSearchParams({ interaction: interactionId })}`;
  return ((await providersOf(at))?.buttons ?? []).map(({ alias, displayName, protocol }) => ({
    href: `/realms/${realm.realmId}/broker/${encodeURIComponent(alias)}/login${query}`,
    label: displayName,
    protocol,
  }));
}

/** The provider counts as one factor, and as two where the configuration trusts what it says of that. */
function proofOf(at: StepContext, provider: ProviderSnapshot, identity: BrokeredIdentity, userId: string): Proof {
  const { parts } = at;
  const { alias, protocol, providerId, config } = provider;
  const acrs = config.multiFactorAcr as readonly string[];
  const amrs = config.multiFactorAmr as readonly string[];
  const isMultiFactor = (identity.acr !== null && acrs.includes(identity.acr)) || identity.amr.some((each) => amrs.includes(each));
  const writes = writesEachTime(provider);
  return {
    userId,
    factor: isMultiFactor ? "both" : "knowledge",
    amr: ["fed", ...(isMultiFactor ? ["mfa"] : [])],
    writesUser: writes,
    async accept(ctx) {
      const { subject, username } = identity;
      if (!(await touchLink(ctx.tx, ctx.realm, { providerId, subject, userId, username }, ctx.now))) return false;
      if (writes) await applyMapping(ctx, provider, identity, userId, false);
      ctx.audit({
        category: "AUTHN",
        type: "BROKER_LOGIN",
        actor: { id: userId, name: at.user?.username ?? username ?? subject },
        detail: alias,
      });
      return true;
    },
    accepted: () => parts.brokers.counted(protocol, "success"),
  };
}

/** Told in plain words; what the provider said about it goes to the log, and only a word of ours into the trail. */
export async function failed(at: StepContext, provider: ProviderSnapshot, error: unknown, problem: "down" | "failed"): Promise<Answer> {
  if (!(error instanceof UpstreamError)) throw error;
  if (error.reason === "cancelled") return { outcome: "again", notice: "brokerCancelled" };
  const { realm, alias, protocol } = provider;
  at.parts.brokers.tools.log.warn({ err: error, realm, alias, protocol, reason: error.reason }, "a sign-in by an identity provider failed");
  await tellFailure(at, provider, error.reason);
  return { outcome: "again", problem: PROBLEMS[error.reason === "stale" ? "stale" : problem] };
}

export const tellFailure = ({ parts, visitor }: StepContext, provider: ProviderSnapshot, reason: string): Promise<void> =>
  parts.brokers.failed(parts.work, provider, reason, visitor.sourceIp);
