import type { FastifyReply, FastifyRequest } from "fastify";
import { samlClientName } from "../../../applications/saml-clients/index.ts";
import { clock } from "../../../kernel/clock.ts";
import { renderNoAccess, sendPage } from "../../../pages/index.ts";
import { STATUS } from "../../../platform/saml/index.ts";
import { requestSource } from "../../../platform/unit-of-work.ts";
import type { SignInRequest } from "../../../signin/authenticators/index.ts";
import { assertMayBegin, loginPath, seeOther } from "../../../signin/login/index.ts";
import { interactionErrors, startInteraction, takeResult } from "../../../signin/run/index.ts";
import type { LiveSession } from "../../../signin/sessions/index.ts";
import { PATHS } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import { clientOf, Refusal, type RefusalReason, type Refusals } from "../refusals.ts";
import { makeError } from "./assertion.ts";
import { type AskedConsent, askedConsents, ConsentNeeded } from "./consent.ts";
import { isRegistered } from "./consumer-service.ts";
import { askToSignIn, decide, type Exchange } from "./decide.ts";
import type { ErrorStatus, PendingRequest } from "./requests.ts";
import { deliveryOf, respond, Unanswerable } from "./respond.ts";

export interface SsoParts extends SamlParts {
  readonly refusals: Refusals;
}

interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The SAML status for each error of a sign-in. */
const FAILURES: Readonly<Record<string, { readonly reason: RefusalReason; readonly status: ErrorStatus }>> = {
  unmet_authentication_requirements: { reason: "authn_context", status: { code: STATUS.responder, subCode: STATUS.noAuthnContext } },
  access_denied: { reason: "authn_failed", status: { code: STATUS.responder, subCode: STATUS.authnFailed } },
};

/** Continues a request in its browser, with a response or a sign-in. */
export async function proceed(parts: SsoParts, visit: Visit, pending: PendingRequest, isCounted: boolean) {
  return proceedWith(parts, visit, await exchangeOf(parts, visit, pending, null), isCounted);
}

/** Continues with another account than the signed-in one. */
export async function proceedAsOther(parts: SsoParts, visit: Visit, pending: PendingRequest) {
  const exchange = await exchangeOf(parts, visit, pending, null);
  const asked = askToSignIn(exchange, null, true);
  return asked.next === "sign-in" ? signIn(parts, visit, exchange, asked.request, false) : proceedWith(parts, visit, exchange, false);
}

/** Resumes after the sign-in, whose result is taken only once. */
export async function resume(parts: SsoParts, visit: Visit, interactionId: string) {
  const { realm, visitor } = visit.request;
  const place = { tx: parts.db, realm: realm.realmId, now: clock.now() };
  const { request, result } = await takeResult(place, interactionId, visitor.preSessions);
  const pending = request.saml as PendingRequest | undefined;
  if (!pending) throw interactionErrors.gone();
  const exchange = await exchangeOf(parts, visit, pending, typeof result?.sessionId === "string" ? result.sessionId : null);
  if (typeof result?.error !== "string") return proceedWith(parts, visit, exchange, true);
  const { reason, status } = FAILURES[result.error] ?? FAILURES.access_denied!;
  return fail(parts, visit, exchange, status, { reason, message: "the user did not sign in as requested" });
}

async function exchangeOf(parts: SsoParts, { request }: Visit, pending: PendingRequest, signedIn: string | null): Promise<Exchange> {
  const { realm, visitor } = request;
  const client = await clientOf(parts, realm.realmId, pending.entityId);
  if (clock.now() >= pending.answerableUntil) throw new Refusal("expired", "The user took too long to sign in", pending.entityId);
  // The request may have been stored before the service provider was changed.
  if (!isRegistered(client, pending.consumer.location))
    throw new Refusal("acs", "The assertion consumer service is not registered any more", pending.entityId);
  const { session, preSession, deviceToken } = visitor;
  const facts = { session, preSession, deviceToken, ...requestSource(request), userAgent: request.headers["user-agent"] ?? null };
  return { realm, client, request: pending, visitor: { ...facts, locale: parts.visitors.localeOf(request, realm) }, signedIn };
}

async function proceedWith(parts: SsoParts, visit: Visit, exchange: Exchange, isCounted: boolean) {
  const decision = await decide(parts, exchange);
  if (decision.next === "sign-in") return signIn(parts, visit, exchange, decision.request, isCounted);
  if (decision.next === "error") return fail(parts, visit, exchange, decision.status, null);
  const delivery = deliveryOf(parts, exchange, visit);
  try {
    const { session, classRef } = decision;
    const proven = { session, classRef, from: requestSource(visit.request), keep: delivery.keep };
    return delivery.send(await respond(parts, exchange, proven));
  } catch (error) {
    if (error instanceof ConsentNeeded) return askConsent(parts, visit, exchange, decision.session, error);
    if (!(error instanceof Unanswerable)) throw error;
    const { reason, message, status } = error;
    // The request may name another user.
    if (reason === "unknown_principal" && exchange.signedIn === null && !exchange.request.isPassive) {
      const asked = askToSignIn(exchange, null, true);
      if (asked.next === "sign-in") return signIn(parts, visit, exchange, asked.request, isCounted);
    }
    if (reason === "access_denied" && exchange.request.requestId === null)
      return showNoAccess(parts, visit, exchange, decision.session, { reason, message });
    return fail(parts, visit, exchange, status, { reason, message });
  }
}

/** Shows the refusal of an IdP-initiated sign-in to the user, because no service provider waits for a response. */
async function showNoAccess(
  { refusals, visitors }: SsoParts,
  { request, reply }: Visit,
  { realm: { realmId, settings }, client, request: { relayState } }: Exchange,
  { username }: LiveSession,
  refusal: { readonly reason: RefusalReason; readonly message: string },
) {
  const { entityId } = client;
  await refusals.record(request, { ...refusal, entityId }, request.actor);
  const path = `/realms/${realmId}${PATHS.start}/${encodeURIComponent(entityId)}`;
  const kept = relayState === null ? {} : { RelayState: relayState };
  const html = renderNoAccess({
    ...visitors.frameAt(request, reply, request.visitor, path, kept),
    ...{ client: samlClientName(client), account: username },
    otherAccountUrl: `${path}?${new URLSearchParams({ account: "other", ...kept })}`,
  });
  return sendPage(reply, 403, html, { logoUrl: settings.logoUrl });
}

/** Asks for consent, unless IsPassive forbids a page (SAML core §3.4.1). */
async function askConsent(parts: SsoParts, visit: Visit, exchange: Exchange, { userId }: LiveSession, { attributes }: ConsentNeeded) {
  const { realm, request, signedIn } = exchange;
  if (request.isPassive) return fail(parts, visit, exchange, { code: STATUS.responder, subCode: STATUS.noPassive }, null);
  const id = await askedConsents.keep(parts, realm.realmId, { request, signedIn, userId, attributes });
  return seeOther(visit.reply, `/realms/${realm.realmId}${PATHS.consent}/${id}`);
}

/** Continues after the consent page. The decision is made again, because another user may be signed in. */
export async function proceedAfterConsent(parts: SsoParts, visit: Visit, { request, signedIn }: AskedConsent) {
  return proceedWith(parts, visit, await exchangeOf(parts, visit, request, signedIn), true);
}

export async function refuseConsent(parts: SsoParts, visit: Visit, { request }: AskedConsent, status: ErrorStatus) {
  const refusal = { reason: "access_denied", message: "the user did not allow it" } as const;
  return fail(parts, visit, await exchangeOf(parts, visit, request, null), status, refusal);
}

async function signIn(
  parts: SsoParts,
  { request, reply }: Visit,
  { realm, request: pending }: Exchange,
  asked: SignInRequest,
  isCounted: boolean,
) {
  const { visitor } = request;
  if (!visitor.session && !isCounted) await assertMayBegin({ limiter: parts.limiter, realm }, request.ip);
  const { realmId } = realm;
  const id = await startInteraction(
    { tx: parts.db, realm: realmId, now: clock.now() },
    {
      ...{ kind: "saml", browser: visitor.preSession, request: { ...asked, saml: pending } },
      returnTo: (interaction) => `/realms/${realmId}${PATHS.continue}?interaction=${interaction}`,
    },
  );
  return seeOther(reply, loginPath(realmId, id));
}

/** Answers a request with an error response. Without a request (IdP-initiated), the user gets a page. */
async function fail(
  parts: SsoParts,
  visit: Visit,
  exchange: Exchange,
  status: ErrorStatus,
  refusal: { readonly reason: RefusalReason; readonly message: string } | null,
) {
  const { client, request } = exchange;
  const { entityId } = client;
  if (request.requestId === null) throw new Refusal(refusal?.reason ?? "status", refusal?.message ?? status.subCode, entityId);
  if (refusal) await parts.refusals.record(visit.request, { ...refusal, entityId }, visit.request.actor);
  const delivery = deliveryOf(parts, exchange, visit);
  const message = await makeError(parts, exchange, status);
  await delivery.keep?.(parts.db, message);
  return delivery.send(message);
}
