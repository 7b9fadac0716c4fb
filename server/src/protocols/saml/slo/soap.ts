import { newId } from "../../../kernel/ids.ts";
import { anonymousActor } from "../../../platform/context.ts";
import { readSoap, signed, soapEnvelope } from "../../../platform/saml/index.ts";
import { endSession, leaveSession } from "../../../signin/sessions/index.ts";
import { signingKeyOf } from "../identity.ts";
import { inNameOf } from "../refusals.ts";
import { useOnce } from "./browser.ts";
import { isNamedBy } from "./endpoints.ts";
import { type LogoutOutcome, logoutResponse } from "./messages.ts";
import { checkLogoutRequest } from "./requests.ts";
import { isComplete, type SloParts, settled } from "./standing.ts";
import { insertLogout, sessionsByNameId } from "./store.ts";

/**
 * Ends the sessions that a request over SOAP names by NameID and SessionIndex, in every browser. The other participants are notified over
 * SOAP as well. Those that only a browser can reach make it a partial logout.
 */
export async function logOutBySoap(parts: SloParts, realm: string, body: Uint8Array, sourceIp: string): Promise<string> {
  const received = await inNameOf(null, () => readSoap(body));
  const asked = await checkLogoutRequest(parts, realm, received);
  const { entityId, requestId, nameId, sessionIndexes } = asked;
  const origin = { realm, actor: anonymousActor(realm, entityId), sourceIp };
  const { count, more, logouts } = await parts.work.transact(origin, async (ctx) => {
    await useOnce(ctx, asked);
    const { joined, more } = await sessionsByNameId(ctx.tx, realm, { entityId, nameId: nameId.value, sessionIndexes }, ctx.now);
    const named = joined.filter((participant) => isNamedBy(asked, participant));
    const begun: string[] = [];
    for (const { sessionId, userId, username } of named) {
      await leaveSession(ctx.tx, realm, { sessionId, protocol: "saml", clientId: entityId });
      const ended = await endSession(ctx, sessionId, { askedBy: entityId, user: { id: userId, name: username } });
      const logout = { logoutId: newId(), browser: null, requester: null, next: "", frames: [], now: ctx.now };
      if (ended && (await insertLogout(ctx.tx, { ended, ...logout }))) begun.push(logout.logoutId);
    }
    return { count: named.length, more, logouts: begun.map((logoutId) => ({ realm, logoutId })) };
  });
  const isWhole = isComplete(await settled(parts, logouts)) && !more;
  const outcome: LogoutOutcome = count === 0 ? "unknown-principal" : isWhole ? "success" : "partial";
  return soapEnvelope(await signed(logoutResponse(parts, realm, { inResponseTo: requestId, outcome }), await signingKeyOf(parts, realm)));
}
