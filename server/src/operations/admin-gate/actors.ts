import type { FastifyReply, FastifyRequest } from "fastify";
import { clock } from "../../kernel/clock.ts";
import type { Actor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { actorOfSession, type Cookies, CSRF_HEADER, type Csrf, type LiveSession, resolveSession } from "../../signin/sessions/index.ts";
import { MASTER, type RealmSnapshot, type RealmSnapshots } from "../../tenancy/realms/index.ts";
import type { BearerAuthenticator } from "./bearer.ts";
import { gateErrors } from "./errors.ts";

export interface ActorParts {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly csrf: Csrf;
  readonly cookies: Cookies;
  readonly bearer: BearerAuthenticator;
}

export const isWrite = (request: FastifyRequest): boolean => !["GET", "HEAD", "OPTIONS"].includes(request.method);

/** Who is asking: whoever the bearer token or the cookies stand for. Other schemes (a proxy's Basic) are not ours to judge. */
export const actorOf = (parts: ActorParts, request: FastifyRequest, reply: FastifyReply, realm: RealmSnapshot): Promise<Actor> =>
  /^bearer(\s|$)/i.test(request.headers.authorization ?? "")
    ? actorOfBearer(parts, request, realm)
    : actorOfCookies(parts, request, reply, realm);

async function actorOfCookies(parts: ActorParts, request: FastifyRequest, reply: FastifyReply, realm: RealmSnapshot): Promise<Actor> {
  const session = await sessionFor(parts, request, realm);
  if (!session) throw gateErrors.no_session();
  parts.cookies.moveSession(request, reply, session);
  const actor = actorOfSession(session, realm.realmId);
  const sent = parts.cookies.csrf(request);
  if (!isWrite(request)) {
    if (!parts.csrf.fits(sent, session.sessionId)) parts.cookies.setCsrf(reply, parts.csrf.issue(session.sessionId));
    return actor;
  }
  const header = request.headers[CSRF_HEADER];
  if (!parts.csrf.accepts(sent, Array.isArray(header) ? undefined : header, session.sessionId)) {
    request.actor = actor; // The refusal is recorded against whoever's session it was.
    throw gateErrors.csrf();
  }
  return actor;
}

/** The realm's own session first; `master`'s where that is absent or carries no admin permission. */
async function sessionFor(parts: ActorParts, request: FastifyRequest, realm: RealmSnapshot): Promise<LiveSession | null> {
  const find = async (of: RealmSnapshot) =>
    resolveSession(parts.db, of.realmId, parts.cookies.sessionToken(request, of.realmId), of.settings.sessions, clock.now());
  const own = await find(realm);
  if ((own && mayAdminister(own)) || realm.realmId === MASTER) return own;
  const masters = await find((await parts.realms.get(MASTER))!);
  return masters && mayAdminister(masters) ? masters : (own ?? masters);
}

/** An impersonated session never reaches the admin API, whatever the user may do. */
const mayAdminister = (session: LiveSession) => session.impersonator === null && session.permissions.size > 0;

async function actorOfBearer(parts: ActorParts, request: FastifyRequest, realm: RealmSnapshot): Promise<Actor> {
  const cookie = parts.cookies.sessionToken(request, realm.realmId) ?? parts.cookies.sessionToken(request, MASTER);
  if (cookie !== undefined) throw gateErrors.two_credentials();
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? "")?.[1];
  const actor = token === undefined ? null : await parts.bearer(token, realm.realmId, request.raw);
  if (!actor) throw gateErrors.bearer();
  return actor;
}
