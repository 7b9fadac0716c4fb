import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { clock } from "../../kernel/clock.ts";
import type { Actor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { actorOfSession, type Cookies, CSRF_HEADER, type Csrf, resolveSession } from "../../signin/sessions/index.ts";
import { type RealmSnapshot, type RealmSnapshots, unknownRealm } from "../../tenancy/realms/index.ts";
import { accountErrors } from "./errors.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Account routes that an administrator may use while they play the user. No other is open to them. */
    impersonated?: boolean;
  }
}

/** Which user of this realm a bearer token stands for; null when it is not valid here. */
export type AccountBearer = (token: string, realm: string) => Promise<Actor | null>;

export interface AccountParts {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly csrf: Csrf;
  readonly cookies: Cookies;
  /** Asked in turn; empty until the realm issues tokens. */
  readonly bearers: readonly AccountBearer[];
}

/** Put it around the account routes, below /realms/:realm. */
export function guardAccountRoutes(app: Parameters<FastifyPluginAsync>[0], parts: AccountParts): void {
  // What a page of another site can send without asking us first is not taken here at all.
  app.removeContentTypeParser(["application/x-www-form-urlencoded", "text/plain"]);

  app.addHook("onRequest", async (request, reply) => {
    const realm = await parts.realms.get((request.params as { realm: string }).realm);
    if (!realm) throw unknownRealm();
    reply.header("cache-control", "no-store");
    request.realmId = realm.realmId;
    const isBearer = /^bearer(\s|$)/i.test(request.headers.authorization ?? "");
    request.actor = isBearer ? await actorOfBearer(parts, request, realm) : await actorOfCookie(parts, request, reply, realm);
    if (request.actor.impersonator !== null && request.routeOptions.config.impersonated !== true) throw accountErrors.impersonated();
  });
}

/** Only the realm's own: an administrator of `master` is nobody here. */
async function actorOfCookie(parts: AccountParts, request: FastifyRequest, reply: FastifyReply, realm: RealmSnapshot): Promise<Actor> {
  const token = parts.cookies.sessionToken(request, realm.realmId);
  const session = await resolveSession(parts.db, realm.realmId, token, realm.settings.sessions, clock.now());
  if (!session) throw accountErrors.no_session();
  const known = parts.cookies.csrf(request);
  if (["GET", "HEAD", "OPTIONS"].includes(request.method)) {
    if (!parts.csrf.fits(known, session.sessionId)) parts.cookies.setCsrf(reply, parts.csrf.issue(session.sessionId));
  } else {
    const sent = request.headers[CSRF_HEADER];
    if (!parts.csrf.accepts(known, Array.isArray(sent) ? undefined : sent, session.sessionId)) throw accountErrors.csrf();
  }
  // Whatever the user administers is no matter here.
  return { ...actorOfSession(session, realm.realmId), permissions: new Set() };
}

async function actorOfBearer(parts: AccountParts, request: FastifyRequest, realm: RealmSnapshot): Promise<Actor> {
  if (parts.cookies.sessionToken(request, realm.realmId) !== undefined) throw accountErrors.two_credentials();
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? "")?.[1];
  for (const authenticate of token === undefined ? [] : parts.bearers) {
    const actor = await authenticate(token!, realm.realmId);
    if (actor) return actor;
  }
  throw accountErrors.bearer();
}
