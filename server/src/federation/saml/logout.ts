import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import {
  acceptedUntil,
  destinationIsOurs,
  logoutRequestElement,
  logoutResponseElement,
  type NameId,
  newMessageId,
  openLogoutRequest,
  postFields,
  type ReceivedMessage,
  redirectUrl,
  SamlError,
  STATUS,
  signed,
} from "../../platform/saml/index.ts";
import type { UpstreamHop } from "../brokers/broker.ts";
import { type BrokeredSession, brokeredSessionsOf, sessionsByProvider } from "../brokers/brokered-sessions.store.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { keepAnswer, takeAnswer, useAssertion } from "./answers.store.ts";
import { decryptionOf, signerOf } from "./keys.ts";
import { withKeys } from "./open.ts";
import { subjectByName } from "./plain.ts";
import { type SamlRules, skewOf } from "./rules.ts";
import { logoutServiceOf, type SamlTools, spEntityIdOf } from "./tools.ts";

/** Single logout (SAML profiles §4.4) as a part of the SAML broker. All members throw an UpstreamError. */
export interface SamlLogouts {
  read(provider: ProviderSnapshot, received: ReceivedMessage, tools: { readonly saml: SamlTools }): Promise<CheckedLogout>;
  respond(provider: ProviderSnapshot, answered: AnsweredLogout, tools: { readonly saml: SamlTools }): ReturnType<typeof logoutResponseTo>;
}

export interface AnsweredLogout {
  readonly id: string;
  /** The number of ended sessions. */
  readonly count: number;
  /** True when the applications of those sessions have confirmed their logout. */
  readonly isComplete: boolean;
}

/** The data for a logout at the provider, stored sealed with the session. */
export const writeNameId = (nameId: NameId | null | undefined): string | null => (nameId ? JSON.stringify(nameId) : null);

/** SAML core §3.7.1: signs the user out at the provider too. Returns null if the provider has no logout address, or if logouts do not continue there. */
export async function logoutRequestFor(
  provider: ProviderSnapshot,
  rules: SamlRules,
  { id, logout }: Pick<BrokeredSession, "id" | "logout">,
  state: string,
  tools: SamlTools,
): Promise<UpstreamHop | null> {
  const { slo } = await tools.upstreams.read(provider, rules);
  if (!slo || logout === null || provider.config.logoutUpstream === false) return null;
  const now = clock.now();
  const message = logoutRequestElement({
    ...{ id: newMessageId(), issueInstant: now, issuer: spEntityIdOf(tools.baseUrl, provider), destination: slo.location },
    nameId: JSON.parse(logout) as NameId,
    sessionIndexes: id === null ? [] : [id],
    notOnOrAfter: now + FRESH,
  });
  const key = await signerOf(provider, rules, tools);
  return slo.binding === "redirect"
    ? { location: await redirectUrl({ location: slo.location, message, relayState: state, key }) }
    : { location: slo.location, form: postFields(await signed(message, key), state) };
}

/** The maximum age of a LogoutRequest. Its ID is remembered for this time. */
const FRESH = 5 * MINUTE;

export interface CheckedLogout {
  readonly id: string;
  readonly nameId: NameId;
  readonly issuer: string;
  /** The sessions to end; if empty, every session of the subject. */
  readonly sessionIndexes: readonly string[];
  readonly until: number;
}

/** SAML profiles §4.4.4.1: checks that the request is signed, addressed to us, issued by this provider, and fresh. */
export async function readLogoutRequest(
  provider: ProviderSnapshot,
  rules: SamlRules,
  received: ReceivedMessage,
  tools: SamlTools,
): Promise<CheckedLogout> {
  const { upstream, opened } = await withKeys(provider, rules, tools, ({ keys }) => {
    const decryption = decryptionOf(provider, rules, tools);
    return openLogoutRequest(received, { keys, required: true, ...(decryption && { decryption }) });
  });
  const { message } = opened;
  if (message.issuer !== upstream.entityId) throw new SamlError("issuer", "The issuer is another provider");
  destinationIsOurs(message, [logoutServiceOf(tools.baseUrl, provider)], received.binding !== "soap");
  const until = acceptedUntil(message, { now: clock.now(), maxAge: FRESH, clockSkew: skewOf(provider) });
  return { id: message.id, issuer: upstream.entityId, nameId: message.nameId, sessionIndexes: message.sessionIndexes, until };
}

/** A LogoutRequest that passed the checks, with the RelayState for its answer. */
export interface KeptLogout {
  readonly asked: CheckedLogout;
  readonly relayState: string | null;
}

/** Uses a LogoutRequest in the transaction that ends the sessions. Returns null if its ID was used before. */
export const useLogout =
  (provider: ProviderSnapshot, kept: KeptLogout) =>
  async (ctx: Ctx): Promise<KeptLogout | null> =>
    (await useAssertion(ctx.tx, provider, kept.asked.id, kept.asked.until)) ? kept : null;

/** Stores a posted LogoutRequest until its browser comes with its cookies. Returns null if it was used before. */
export const keepLogout = ({ db, vault }: SamlTools, provider: ProviderSnapshot, kept: KeptLogout): Promise<string | null> =>
  keepAnswer(db, vault, provider, { assertionId: kept.asked.id, answer: { logout: kept }, until: kept.asked.until }, clock.now());

export const takeLogout =
  ({ vault }: SamlTools, provider: ProviderSnapshot, handle: string) =>
  async ({ tx, now }: Ctx): Promise<KeptLogout | null> =>
    // A stored Response has no `logout`.
    (await takeAnswer<{ readonly logout?: KeptLogout }>(tx, vault, provider, handle, now))?.logout ?? null;

/**
 * Finds the sessions here that a LogoutRequest names, in the transaction that ends them: by NameID and, if it has any, by SessionIndex. With
 * `subjectAttribute`, links do not depend on the NameID, so only a SessionIndex finds a session.
 */
export async function sessionsMeantBy(
  ctx: Ctx,
  { vault }: SamlTools,
  provider: ProviderSnapshot,
  { issuer, nameId, sessionIndexes }: CheckedLogout,
): Promise<string[]> {
  const { providerId, config } = provider;
  const isBySubject = config.subjectAttribute === undefined;
  const subject = isBySubject ? { subject: subjectByName(nameId, issuer) ?? "" } : {};
  const wanted = sessionIndexes.length > 0 ? sessionIndexes.map((index) => ({ id: index })) : isBySubject ? [{}] : [];
  const found = new Set<string>();
  for (const one of wanted)
    for (const each of await sessionsByProvider(ctx.tx, ctx.realm, providerId, { ...one, ...subject })) found.add(each);
  if (isBySubject) return [...found];
  const meant: string[] = [];
  for (const sessionId of found) {
    const known = (await brokeredSessionsOf(ctx.tx, vault, ctx.realm, sessionId)).find((each) => each.providerId === providerId);
    if (known?.logout && isSameName(JSON.parse(known.logout) as NameId, nameId)) meant.push(sessionId);
  }
  return meant;
}

const isSameName = (one: NameId, other: NameId): boolean => one.value === other.value && one.nameQualifier === other.nameQualifier;

/** SAML core §3.7.2, §3.7.3.2 */
export async function logoutResponseTo(
  provider: ProviderSnapshot,
  rules: SamlRules,
  { id, count, isComplete }: AnsweredLogout,
  tools: SamlTools,
) {
  const { slo } = await tools.upstreams.read(provider, rules);
  const success = isComplete ? { code: STATUS.success } : { code: STATUS.success, subCode: STATUS.partialLogout };
  const status = count > 0 ? success : { code: STATUS.requester, subCode: STATUS.unknownPrincipal };
  const message = logoutResponseElement({
    ...{ id: newMessageId(), issueInstant: clock.now(), issuer: spEntityIdOf(tools.baseUrl, provider), inResponseTo: id, status },
    ...(slo && { destination: slo.responseLocation }),
  });
  return { slo, message, key: await signerOf(provider, rules, tools) };
}
