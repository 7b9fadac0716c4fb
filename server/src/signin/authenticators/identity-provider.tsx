import Type from "typebox";
import { joinByProvider } from "../../directory/organizations/index.ts";
import { readUser } from "../../directory/users/index.ts";
import * as federation from "../../federation/index.ts";
import { loginKey } from "../../kernel/text.ts";
import { FindProvider, ProviderLinks } from "../../pages/index.ts";
import type { Answer, Proof, Question, StepContext } from "./authenticator.ts";
import { toBeLinked } from "./progress.ts";
import { findLinkedSignInUser, type LinkedSignInUser } from "./user.store.ts";

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

/** The name of this step in flows. */
export const IDENTITY_PROVIDER = "identity-provider";

/** Signs in at an identity provider of the realm. Its buttons are links, which the pages of alternative steps show too. */
export const identityProvider: Question = {
  kind: "question",
  displayName: "Identity provider",
  description: "Offers the realm's identity providers, and signs in at the one that is chosen",
  config: Type.Object({}, { additionalProperties: false }),
  ...{ identifies: true, factor: "knowledge", counted: null, fields: ["provider"], setUp: null, choice: "chooseIdentityProvider" },
  refusal: PROBLEMS.denied,
  // A hint or a domain leads to providers without a button, too. A hint that names no provider is ignored.
  async available(at) {
    const providers = await providersOf(at);
    if (!providers) return false;
    const hinted = at.request.identityProvider ?? "";
    return (
      buttonsOf(at, providers).length > 0 || providers.leadsHome || (mayAsk(at, hinted) && (await enabledProvider(at, hinted)) !== null)
    );
  },
  async page(at, text) {
    const find = typeof at.data?.find === "string" ? at.data.find : "";
    const { links, hasMore } = await linksOf(at, find);
    const isSearched = find !== "" || hasMore || (await providersOf(at))?.leadsHome === true;
    return {
      title: "signInTitle",
      links,
      body: (
        <>
          <ProviderLinks text={text} links={links} />
          {isSearched ? <FindProvider text={text} value={find} quiet={at.alert !== null} /> : null}
        </>
      ),
    };
  },
  links: linksOf,

  async answer(at, { provider: alias = "", find }) {
    if (find !== undefined) return searchByName(at, alias);
    const { request, progress } = at;
    if (!mayAsk(at, alias)) return { outcome: "again" };
    return visit(at, await enabledProvider(at, alias), {
      loginHint: progress.login ?? (progress.home?.alias === alias ? progress.home.login : null) ?? request.loginHint ?? null,
      acr: request.acr ?? null,
      fresh: request.reauthenticate === true || request.recent === true,
    });
  },

  async returned(at, query) {
    const { parts, visitor } = at;
    const back = await visited(at, query);
    if ("answer" in back) return back.answer;
    const { provider, identity, linked } = back;
    const { userId, login } = at.progress;
    const begunFor = userId !== null ? "user" : login !== null ? "name" : null;
    const resolved = await federation.resolveAccount(parts, provider, identity, {
      linked,
      from: { sourceIp: visitor.sourceIp, requestId: visitor.requestId },
      begunFor,
    });
    if (resolved.kind === "refused") {
      await recordBrokerFailure(at, provider, resolved.reason);
      return { outcome: "again", problem: PROBLEMS[resolved.reason] };
    }
    const kept = resolved.kind === "prove" && resolved.mayCreate ? federation.identityToKeep(provider, identity) : undefined;
    const brokered = federation.brokeredSignInOf(parts.vault, provider, identity, at.interactionId!, kept);
    if (resolved.kind === "linked")
      return {
        outcome: "passed",
        proof: { ...proofOf(at, provider, identity, { ...resolved, user: linked?.user }), user: linked?.user, brokered },
      };
    const { isConfirmed, mayCreate } = resolved;
    const link = {
      ...{
        alias: provider.alias,
        protocol: provider.protocol,
        providerId: provider.providerId,
        subject: identity.subject,
        username: identity.username,
      },
      ...(provider.isOfOrganizations && identity.email !== null && identity.emailVerified && { email: identity.email }),
      ...{ isConfirmed, mayCreate },
    };
    return { outcome: "prove", userId: resolved.userId, login: resolved.login, link, ...factorOf(provider, identity), brokered };
  },
};

const mayAsk = ({ progress }: StepContext, alias: string): boolean => alias !== toBeLinked(progress);

const buttonsOf = (at: StepContext, providers: Awaited<ReturnType<typeof providersOf>>) =>
  (providers?.buttons ?? []).filter(({ alias }) => mayAsk(at, alias));

/** Returns the providers that fit on a page, the last used one first. With `find`, only those whose name contains it. */
async function linksOf(at: StepContext, find = "") {
  const { realm, interactionId, visitor, parts } = at;
  const providers = await providersOf(at);
  const query = interactionId === null ? "" : `?${new URLSearchParams({ interaction: interactionId })}`;
  const all = buttonsOf(at, providers);
  const named = find === "" ? all : all.filter(({ displayName }) => loginKey(displayName).includes(loginKey(find)));
  const last = visitor.lastProvider ? named.find(({ alias }) => alias === visitor.lastProvider) : undefined;
  // A realm may have a thousand providers. Only those that fit on the page are compared.
  const others = named.slice(0, federation.MAX_BUTTONS).filter((button) => button !== last);
  const shown = (last ? [last, ...others] : others).slice(0, federation.MAX_BUTTONS);
  const links = shown.map((button) => ({
    href: `/realms/${realm.realmId}/broker/${encodeURIComponent(button.alias)}/login${query}`,
    label: button.displayName,
    protocol: button.protocol,
    mark: federation.markOf(button.protocol),
    logoUrl: button.logoUri,
    isLastUsed: button === last,
    isDown: parts.brokers.outages.isDown(providers!.byAlias.get(button.alias)!.providerId),
  }));
  return { links, hasMore: named.length > shown.length };
}

/** Searches the providers by name. An address or a domain was handled before this. */
async function searchByName(at: StepContext, find: string): Promise<Answer> {
  const { links } = await linksOf(at, find);
  const data = { find: find.slice(0, 255) };
  return links.length > 0
    ? { outcome: "again", data }
    : { outcome: "again", data: {}, problem: { title: "providerNoneTitle", text: "providerNoneText" } };
}

/** Returns the factor: a provider counts as one factor, and as two if the configuration trusts its `acr` or `amr` for that. */
function factorOf({ config }: federation.ProviderSnapshot, identity: federation.BrokeredIdentity) {
  const acrs = config.multiFactorAcr as readonly string[];
  const amrs = config.multiFactorAmr as readonly string[];
  const isMultiFactor = (identity.acr !== null && acrs.includes(identity.acr)) || identity.amr.some((each) => amrs.includes(each));
  return { factor: isMultiFactor ? "both" : "knowledge", amr: ["fed", ...(isMultiFactor ? ["mfa"] : [])] } as const;
}

/** Returns the proof for a user who is linked. */
export function proofOf(
  at: StepContext,
  provider: federation.ProviderSnapshot,
  identity: federation.BrokeredIdentity,
  linked: federation.LinkedUser & Partial<LinkedSignInUser>,
): Proof {
  const { parts } = at;
  const { alias, protocol, providerId } = provider;
  const { userId } = linked;
  const writes = federation.writesEachTime(provider, linked);
  return {
    userId,
    ...factorOf(provider, identity),
    writesUser: writes,
    async accept(ctx) {
      const { subject, username } = identity;
      if (!(await federation.touchLink(ctx.tx, ctx.realm, { providerId, subject, userId, username }, ctx.now))) return false;
      if (writes) await federation.applyMapping(ctx, provider, identity, userId, false);
      if (provider.isOfOrganizations && identity.email !== null && identity.emailVerified)
        await joinByProvider(ctx, { userId, alias, source: federation.sourceOf(provider.protocol, alias), email: identity.email });
      ctx.audit({
        category: "AUTHN",
        type: "BROKER_LOGIN",
        // The name is the user's name here, because the provider may call them by another user's name.
        actor: { id: userId, name: linked.user?.username ?? (await readUser(ctx, userId)).username },
        detail: alias,
      });
      return true;
    },
    accepted: () => parts.brokers.counted(protocol, "success"),
  };
}

const providersOf = async ({ parts, realm, request }: StepContext) => (request.isLocal ? null : parts.brokers.providers.get(realm.realmId));

export async function enabledProvider(at: StepContext, alias: string): Promise<federation.ProviderSnapshot | null> {
  const provider = (await providersOf(at))?.byAlias.get(alias);
  return provider?.enabled ? provider : null;
}

/** Returns the redirect URI of a provider. Each provider has its own, so that no provider's answer is taken for another's. */
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
  /** Null if no user is linked to the account there. */
  readonly linked: LinkedSignInUser | null;
}

/** Returns the identity that the provider asserts, or the answer of the step if there is none. */
export async function visited(
  at: StepContext,
  { alias, ...query }: Readonly<Record<string, string>>,
): Promise<Back | { readonly answer: Answer }> {
  const { data, parts } = at;
  const provider = await enabledProvider(at, String(alias));
  const broker = provider && federation.brokerOf(provider.protocol);
  // The provider was disabled or replaced in the meantime.
  if (!provider || !broker || provider.providerId !== data?.providerId) return { answer: { outcome: "again", problem: PROBLEMS.failed } };
  if (query.error === "access_denied" || query.error === "user_cancelled_authorize")
    return { answer: { outcome: "again", notice: "brokerCancelled" } };
  if (query.error === federation.REFUSED) return { answer: { outcome: "again", problem: PROBLEMS.failed } };
  try {
    return await federation.askingProvider(parts.brokers.tools, async (tools) => {
      const known = await broker.finish(provider, query, data, { redirectUri: redirectUriOf(at, provider.alias) }, tools);
      const linked = await findLinkedSignInUser(parts.db, provider, known.subject, at.now);
      // Users who are linked, and whose sign-in does not use the profile, need no further request to the provider.
      if (!known.complete || (linked !== null && !federation.usesProfile(provider, linked))) return { provider, identity: known, linked };
      // The user's state that was read before the provider answered may be outdated.
      return { provider, identity: await known.complete(), linked: linked && { ...linked, user: undefined } };
    });
  } catch (error) {
    return { answer: await failed(at, provider, error, "failed") };
  }
}

/** Returns a problem in plain words. The provider's words go to the log; the audit trail gets our own reason only. */
async function failed(at: StepContext, provider: federation.ProviderSnapshot, error: unknown, problem: "down" | "failed"): Promise<Answer> {
  if (!(error instanceof federation.UpstreamError)) throw error;
  if (error.reason === "cancelled") return { outcome: "again", notice: "brokerCancelled" };
  const { realm, alias, protocol } = provider;
  at.parts.brokers.tools.log.warn({ err: error, realm, alias, protocol, reason: error.reason }, "a sign-in by an identity provider failed");
  await recordBrokerFailure(at, provider, error.reason);
  return { outcome: "again", problem: PROBLEMS[PROBLEM_OF[error.reason] ?? problem] };
}

/** Maps the provider's error codes (RFC 6749 §4.1.2.1) to messages for users. */
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
