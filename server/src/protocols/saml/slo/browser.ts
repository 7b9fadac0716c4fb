import { prepareUpstreamLogout, recordUpstreamLogout } from "../../../federation/index.ts";
import { clock } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import { anonymousActor, type Ctx } from "../../../platform/context.ts";
import { requestSource } from "../../../platform/unit-of-work.ts";
import { seeOther, signedOutPath, signOutHere } from "../../../signin/login/index.ts";
import { type LiveSession, leaveSession } from "../../../signin/sessions/index.ts";
import { Refusal } from "../refusals.ts";
import { isFirstAnswer } from "../sso/index.ts";
import { beginLogout, progressPath } from "./begin.ts";
import { type BrowserBinding, isNamedBy } from "./endpoints.ts";
import { answerRequester, type Exchange } from "./progress.ts";
import type { CheckedRequest, CheckedResponse } from "./requests.ts";
import type { SloParts } from "./standing.ts";
import { findAsked, participantIn, settleAsked } from "./store.ts";

/** Ends the browser's session at once when a service provider requests it by the browser. The others are notified afterwards. */
export async function logOutBrowser(parts: SloParts, exchange: Exchange, asked: CheckedRequest, binding: BrowserBinding) {
  const { realmId, visitor } = exchange.request;
  const { entityId, requestId, relayState } = asked;
  const { session } = visitor;
  const requester = { entityId, requestId, relayState, binding };
  if (!session) {
    // The session has ended already, so there is nothing to sign out of.
    await parts.work.transact({ realm: realmId, actor: anonymousActor(realmId, entityId), ...requestSource(exchange.request) }, (ctx) =>
      useOnce(ctx, asked),
    );
    return answerRequester(parts, exchange, requester, "success");
  }
  const frames = await parts.logoutFrames(realmId, session.sessionId);
  const upstream = await prepareUpstreamLogout(parts, realmId, session.sessionId);
  const path = await signOutHere(parts, exchange, { visitor, session, askedBy: entityId }, async (ctx, end) => {
    await useOnce(ctx, asked);
    if (!(await isOfSession(ctx, asked, session))) return null;
    await leaveSession(ctx.tx, realmId, { sessionId: session.sessionId, protocol: "saml", clientId: entityId });
    const ended = await end();
    if (!ended) return null;
    const [logoutId, browser] = [newId(), visitor.preSession];
    const answer = `${progressPath(realmId, logoutId)}?answer=1`;
    // The other applications come first, then the identity provider of the session, and at last the response to the requester.
    const next = upstream ? await recordUpstreamLogout(ctx, parts.vault, upstream, { browser, next: answer }) : signedOutPath(realmId);
    return beginLogout(ctx, ended, { logoutId, browser, next, frames, requester });
  });
  return path === null ? answerRequester(parts, exchange, requester, "unknown-principal") : seeOther(exchange.reply, path);
}

/** Accepts a request ID only once, at any time and on any node. */
export async function useOnce(ctx: Ctx, { entityId, requestId, acceptedUntil }: CheckedRequest): Promise<void> {
  if (!(await isFirstAnswer(ctx.tx, ctx.realm, entityId, requestId, acceptedUntil)))
    throw new Refusal("replay", "The request was used already", entityId);
}

async function isOfSession(ctx: Ctx, asked: CheckedRequest, { sessionId }: LiveSession): Promise<boolean> {
  const participant = await participantIn(ctx.tx, ctx.realm, sessionId, asked.entityId);
  return participant !== null && isNamedBy(asked, participant);
}

/** Continues the logout whose request a service provider answers. */
export async function takeAnswer(parts: SloParts, exchange: Exchange, { entityId, inResponseTo, isDone }: CheckedResponse) {
  const { realmId, visitor } = exchange.request;
  const found = await findAsked(parts.db, realmId, inResponseTo, { browsers: visitor.preSessions, now: clock.now() });
  if (!found || found.entityId !== entityId) throw new Refusal("in_response_to", "The message answers no request of ours", entityId);
  await settleAsked(parts.db, realmId, inResponseTo, isDone ? "done" : "failed");
  return seeOther(exchange.reply, progressPath(realmId, found.logoutId));
}
