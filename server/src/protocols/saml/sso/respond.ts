import type { FastifyReply, FastifyRequest } from "fastify";
import { type AccessRefusal, refusalOf } from "../../../applications/access/index.ts";
import { subjectData, withOwnAddress } from "../../../applications/claims/index.ts";
import { needsOfSamlClient, samlClientName } from "../../../applications/saml-clients/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { artifactUrl, type Fragment, postFields, STATUS } from "../../../platform/saml/index.ts";
import type { Origin } from "../../../platform/unit-of-work.ts";
import { seeOther, showPostForm } from "../../../signin/login/index.ts";
import { actorOfSession, joinSession, type LiveSession } from "../../../signin/sessions/index.ts";
import { keepMessage } from "../artifact/index.ts";
import { entityIdOf, signingKeyOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import { Refusal, type RefusalReason } from "../refusals.ts";
import { type About, makeResponse, releasedAttributes, sessionIndexOf } from "./assertion.ts";
import { assertConsent } from "./consent.ts";
import type { Exchange } from "./decide.ts";
import { type ChosenNameId, chooseNameId, isSubject, nameIdKind } from "./name-id.ts";
import type { ErrorStatus } from "./requests.ts";
import { findNameId, insertNameId, isFirstAnswer } from "./store.ts";

/** The error if the user cannot get an assertion. The service provider gets the status, and the audit trail the reason. */
export class Unanswerable extends Error {
  readonly reason: RefusalReason;
  readonly status: ErrorStatus;

  constructor(reason: RefusalReason, why: string, status: ErrorStatus) {
    super(why);
    this.name = "Unanswerable";
    this.reason = reason;
    this.status = status;
  }
}

interface Proven {
  readonly session: LiveSession;
  readonly classRef: string;
  readonly from: Pick<Origin, "sourceIp" | "requestId">;
  /** Stores data for the delivery, in the transaction that records the sign-in. */
  readonly keep: ((db: Db, message: Fragment) => Promise<void>) | null;
}

/** The error of the later of two first sign-ins, which has to use the NameID of the earlier one. */
class NameIdTaken extends Error {}

/**
 * Makes the response with its assertion. It is made before the transaction that records it, because signing is slow, and is sent
 * afterwards: an assertion that was not recorded never leaves the server.
 */
export async function respond(parts: SamlParts, exchange: Exchange, proven: Proven): Promise<Fragment> {
  const { realmId } = exchange.realm;
  const who = await whoItIs(parts, exchange, proven.session);
  const { client } = exchange;
  if (client.options.consentRequired)
    await assertConsent(parts.db, exchange, proven.session.userId, releasedAttributes(client, who.subject, proven.session));
  const message = await makeResponse(parts, exchange, await signingKeyOf(parts, realmId), { ...proven, ...who });
  const origin = { realm: realmId, actor: actorOfSession(proven.session, realmId), ...proven.from };
  try {
    await parts.work.transact(origin, (ctx) => record(ctx, parts, exchange, { ...proven, ...who, message }));
    return message;
  } catch (error) {
    if (error instanceof NameIdTaken) return respond(parts, exchange, proven);
    throw error;
  }
}

type Recorded = Proven & About & ChosenNameId & { readonly message: Fragment };

/** Records the assertion. A request gets only one, and only a live session gives one, even if other requests are concurrent. */
async function record(ctx: Ctx, { metrics }: SamlParts, { client, request }: Exchange, recorded: Recorded): Promise<void> {
  const { entityId } = client;
  const { session, nameId, isNew, message, keep, classRef } = recorded;
  const { requestId, answerableUntil } = request;
  if (requestId !== null && !(await isFirstAnswer(ctx.tx, ctx.realm, entityId, requestId, answerableUntil)))
    throw new Refusal("replay", "The request was answered already", entityId);
  if (isNew && !(await insertNameId(ctx.tx, { realm: ctx.realm, entityId, userId: session.userId }, nameId.value, ctx.now)))
    throw new NameIdTaken();
  const participant = { sessionIndex: sessionIndexOf(session.sessionId, entityId), nameId };
  const join = { sessionId: session.sessionId, protocol: "saml", clientId: entityId, participant, now: ctx.now };
  if (!(await joinSession(ctx.tx, ctx.realm, join)))
    throw new Refusal("session_ended", "The session ended while the answer was made", entityId);
  await keep?.(ctx.tx, message);
  ctx.audit({ category: "AUTHN", type: "SAML_LOGIN", resourceType: "saml-clients", resourceId: entityId, detail: classRef });
  ctx.afterCommit(() => metrics.samlLogin(ctx.realm, "success"));
}

/** The refusals of the policy step in the audit trail. The service provider gets one status for all: RequestDenied (SAML core §3.2.2.2). */
const WHY: Readonly<Record<AccessRefusal, string>> = {
  "no-access": "the user may not use the application",
  "agent-inactive": "the agent of the application is not active",
  "user-removed": "the user's account was removed or disabled",
  "directory-unreachable": "the user's directory does not answer",
  impersonated: "only the user can decide this, and an administrator acts as them",
};

/** Returns the user as the service provider will know them. */
async function whoItIs({ db, baseUrl }: SamlParts, { realm: { realmId }, client, request }: Exchange, { userId, sessionId }: LiveSession) {
  const { entityId } = client;
  const { nameIdPolicy: policy } = request;
  const kind = nameIdKind(client, policy);
  const invalidPolicy = (why: string) =>
    new Unanswerable("name_id_policy", why, { code: STATUS.requester, subCode: STATUS.invalidNameIdPolicy, message: why });
  if (kind === null) throw invalidPolicy("the requested NameID is not supported");
  const [refusal, subject, known] = await Promise.all([
    refusalOf(db, { realm: realmId, userId, application: client.options }),
    subjectData(db, realmId, userId, needsOfSamlClient(client)),
    kind === "persistent" || request.subject !== null ? findNameId(db, { realm: realmId, entityId, userId }) : null,
  ]);
  if (!subject?.user) throw new Refusal("session_ended", "The user was deleted while the answer was made", entityId);
  const user = await withOwnAddress(db, realmId, subject.user);
  if (refusal) throw new Unanswerable("access_denied", WHY[refusal], { code: STATUS.responder, subCode: STATUS.requestDenied });
  const facts = { client, issuer: entityIdOf(baseUrl, realmId), user, sessionId, known, policy };
  if (request.subject && !isSubject(request.subject, facts))
    throw new Unanswerable("unknown_principal", "the user is not the one whom the request names", {
      ...{ code: STATUS.responder, subCode: STATUS.unknownPrincipal },
    });
  const chosen = chooseNameId(kind, facts);
  if (chosen.nameId === null) throw invalidPolicy(chosen.why);
  return { ...chosen, subject: { ...subject, user } };
}

type Asked = Pick<Exchange, "realm" | "client" | "request">;

/** Delivers a response to its service provider: stores it if needed, then sends it. */
export interface Delivery {
  readonly keep: ((db: Db, message: Fragment) => Promise<void>) | null;
  send(message: Fragment): FastifyReply;
}

export function deliveryOf(
  parts: SamlParts,
  asked: Asked,
  at: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Delivery {
  const { location, binding } = asked.request.consumer;
  const { relayState } = asked.request;
  if (binding === "post") {
    const name = samlClientName(asked.client);
    return { keep: null, send: (message) => showPostForm(parts.visitors, at, { name, location, form: postFields(message, relayState) }) };
  }
  let artifact = "";
  return {
    async keep(db, message) {
      const place = { realm: asked.realm.realmId, entityId: asked.client.entityId };
      artifact = await keepMessage(db, parts.vault, place, entityIdOf(parts.baseUrl, place.realm), message);
    },
    send: () => seeOther(at.reply, artifactUrl(location, artifact, relayState)),
  };
}
