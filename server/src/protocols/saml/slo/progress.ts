import type { FastifyReply, FastifyRequest } from "fastify";
import { samlClientName } from "../../../applications/saml-clients/index.ts";
import { clock } from "../../../kernel/clock.ts";
import { type SigningOut, seeOther, showPostForm, showSigningOut, signedOutPath } from "../../../signin/login/index.ts";
import { interactionErrors } from "../../../signin/run/index.ts";
import { progressPath } from "./begin.ts";
import { browserEndpoint } from "./endpoints.ts";
import { hopTo, type LogoutOutcome, logoutRequest, logoutResponse } from "./messages.ts";
import { hasFailed, isComplete, outcomeOf, type SloParts, type Standing, settled, standingOf } from "./standing.ts";
import { askAgain, findLogout, type Logout, markAsked, type Requester } from "./store.ts";

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * A logout and its next step: to ask an application again, by its place in the list, to finish, or, after the identity provider of the
 * session, to answer the service provider that requested the logout.
 */
export interface ProgressRequest {
  readonly logoutId: string;
  readonly again: number | null;
  readonly to: "finish" | "answer" | null;
}

/**
 * Shows the page of a logout. It takes the browser to one service provider at a time, which sends it back here, and then ends. A service
 * provider is asked only once by itself: a browser that returns without its response goes on to the next.
 */
export async function showProgress(parts: SloParts, exchange: Exchange, { logoutId, again, to }: ProgressRequest) {
  const { realmId, visitor } = exchange.request;
  const logout = await findLogout(parts.db, realmId, logoutId, { browsers: visitor.preSessions, now: clock.now() });
  if (!logout) throw interactionErrors.gone();
  const path = progressPath(realmId, logoutId);
  if (to !== null) return endLogout(parts, exchange, logout, to);
  const participants = await standingOf(parts, logout);
  const wanted = again === null ? undefined : participants[again];
  if (wanted) {
    await askAgain(parts.db, logout, wanted.entityId);
    return seeOther(exchange.reply, path);
  }
  const next = participants.find(({ by, state }) => by === "browser" && state === "waiting");
  if (next) return askNext(parts, exchange, logout, { participants, next });
  const all = await settled(parts, [logout]);
  // An application that requested the logout gets the outcome with its response. Our own page shows the user which applications remain.
  const isOwn = !logout.requester && logout.next === signedOutPath(realmId);
  const isUnclear = isOwn ? !isComplete(all) : all.some(hasFailed);
  if (logout.frames.length === 0 && !isUnclear) return endLogout(parts, exchange, logout);
  return show(parts, exchange, { frames: logout.frames, applications: shown(all, path), next: `${path}?finish=1` });
}

/** SAML profiles §4.4.3.3: sends a LogoutRequest by the browser. */
async function askNext(
  parts: SloParts,
  exchange: Exchange,
  logout: Logout,
  { participants, next }: { participants: readonly Standing[]; next: Standing },
) {
  const { client, endpoint, entityId } = next;
  const { binding, location } = endpoint!;
  const path = progressPath(logout.realm, logout.logoutId);
  const { id, message } = logoutRequest(parts, logout.realm, next, location);
  const hop = await hopTo(parts, client!, { binding, location }, message);
  // Another tab of the browser is asking the service provider.
  if (!(await markAsked(parts.db, logout, entityId, id))) return seeOther(exchange.reply, path);
  const applications = participants.map((each) => ({ name: nameOf(each), outcome: each === next ? ("asked" as const) : outcomeOf(each) }));
  return show(parts, exchange, { frames: [], applications, hop, next: path });
}

const nameOf = ({ client, entityId }: Standing): string => samlClientName(client ?? { entityId });

const shown = (participants: readonly Standing[], path: string) =>
  participants.map((each, place) => ({
    ...{ name: nameOf(each), outcome: outcomeOf(each) },
    ...(each.by === "browser" && each.state !== "done" && { again: `${path}?again=${place}` }),
  }));

const show = ({ visitors }: SloParts, exchange: Exchange, page: SigningOut) =>
  showSigningOut(visitors, exchange, exchange.request.visitor, page);

async function endLogout(parts: SloParts, exchange: Exchange, logout: Logout, to: "finish" | "answer" = "finish") {
  const { realm, requester, next } = logout;
  const goesUpstream = to === "finish" && next !== signedOutPath(realm);
  if (!requester || goesUpstream) return seeOther(exchange.reply, next);
  const outcome = isComplete(await standingOf(parts, logout)) ? "success" : "partial";
  return answerRequester(parts, exchange, requester, outcome);
}

/** SAML profiles §4.4.3.5: answers the service provider that requested the logout, with its RelayState. */
export async function answerRequester(parts: SloParts, exchange: Exchange, requester: Requester, outcome: LogoutOutcome) {
  const { realmId } = exchange.request;
  const { entityId, requestId, relayState } = requester;
  const client = await parts.samlClients.get(realmId, entityId);
  const endpoint = client?.enabled ? browserEndpoint(client, requester.binding) : null;
  // It has no address for a response, or none any more.
  if (!client || !endpoint) return seeOther(exchange.reply, signedOutPath(realmId));
  const { binding, responseLocation: location } = endpoint;
  const message = logoutResponse(parts, realmId, { inResponseTo: requestId, outcome, destination: location });
  const hop = await hopTo(parts, client, { binding, location, relayState }, message);
  const { form } = hop;
  return form ? showPostForm(parts.visitors, exchange, { ...hop, form }) : seeOther(exchange.reply, hop.location);
}
