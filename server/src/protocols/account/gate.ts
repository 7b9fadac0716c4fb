import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { permissionsOfUser } from "../../directory/roles/index.ts";
import { clock } from "../../kernel/clock.ts";
import type { Actor, ReadCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { answerConditionally, refuseUnknownQuery } from "../../platform/http/index.ts";
import {
  actorOfSession,
  assertRecentAuthentication,
  type Cookies,
  CSRF_HEADER,
  type Csrf,
  resolveSession,
} from "../../signin/sessions/index.ts";
import { type RealmSnapshot, type RealmSnapshots, unknownRealm } from "../../tenancy/realms/index.ts";
import { allowOrigin, preflight } from "../gate/index.ts";
import { issuerOf } from "../tokens/index.ts";
import { type BearerParts, enterByToken } from "./bearer.ts";
import { accountErrors } from "./errors.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Routes of the user's own account; the gate declares it of each. */
    account?: boolean;
    /** Account routes that an administrator may use while they play the user. No other is open to them. */
    impersonated?: boolean;
  }
  interface FastifyRequest {
    /** The application whose token the user came with; null with a session. */
    broughtBy: ClientSnapshot | null;
  }
}

export interface AccountGateParts extends BearerParts {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly csrf: Csrf;
  readonly cookies: Cookies;
  readonly baseUrl: string;
}

const METHODS = "GET,POST,PUT,DELETE";

/** Put it around the account routes, below /realms/:realm. */
export function guardAccountRoutes(app: Parameters<FastifyPluginAsync>[0], parts: AccountGateParts): void {
  // What a page of another site can send without asking us first is not taken here at all.
  app.removeContentTypeParser(["application/x-www-form-urlencoded", "text/plain"]);
  app.decorateRequest("broughtBy", null);
  refuseUnknownQuery(app);
  answerConditionally(app);
  app.addHook("onRoute", (route) => {
    route.config = { ...route.config, account: true };
  });

  app.addHook("onRequest", async (request, reply) => {
    const realm = await parts.realms.get((request.params as { realm: string }).realm);
    if (!realm) throw unknownRealm();
    if (request.method === "OPTIONS") return;
    reply.header("cache-control", "no-store");
    request.realmId = realm.realmId;
    const isBearer = /^bearer(\s|$)/i.test(request.headers.authorization ?? "");
    request.actor = isBearer ? await actorOfBearer(parts, request, reply, realm) : await actorOfCookie(parts, request, reply, realm);
    if (request.actor.impersonator !== null && request.routeOptions.config.impersonated !== true) throw accountErrors.impersonated();
    if (request.routeOptions.config.recentAuthentication)
      await assertRecentAuthentication({ tx: parts.db, actor: request.actor, now: clock.now() });
  });

  // Only those who bring a token are answered across origins: a preflight allows no cookies.
  app.options("/*", { schema: { hide: true } }, preflight(METHODS));
}

/** Only the realm's own: an administrator of `master` is nobody here. */
async function actorOfCookie(parts: AccountGateParts, request: FastifyRequest, reply: FastifyReply, realm: RealmSnapshot): Promise<Actor> {
  const token = parts.cookies.sessionToken(request, realm.realmId);
  const session = await resolveSession(parts.db, realm.realmId, token, realm.settings.sessions, clock.now());
  if (!session) throw accountErrors.no_session(issuerOf(parts.baseUrl, realm.realmId));
  parts.cookies.moveSession(request, reply, session);
  const known = parts.cookies.csrf(request);
  if (["GET", "HEAD"].includes(request.method)) {
    if (!parts.csrf.fits(known, session.sessionId)) parts.cookies.setCsrf(reply, parts.csrf.issue(session.sessionId));
  } else {
    const sent = request.headers[CSRF_HEADER];
    if (!parts.csrf.accepts(known, Array.isArray(sent) ? undefined : sent, session.sessionId)) throw accountErrors.csrf();
  }
  // Whatever the user administers is no matter here.
  return { ...actorOfSession(session, realm.realmId), permissions: new Set() };
}

async function actorOfBearer(parts: AccountGateParts, request: FastifyRequest, reply: FastifyReply, realm: RealmSnapshot): Promise<Actor> {
  if (parts.cookies.sessionToken(request, realm.realmId) !== undefined) throw accountErrors.two_credentials();
  const issuer = issuerOf(parts.baseUrl, realm.realmId);
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (token === undefined) throw accountErrors.bearer(issuer);
  const { actor, client } = await enterByToken(parts, realm.realmId, issuer, token, request.raw);
  allowOrigin(request, reply, client);
  request.broughtBy = client;
  return actor;
}

/**
 * The escalation rule, seen from here: whoever configures an application could use the tokens that it gets to change how their owner signs
 * in, and so become them. Nobody with admin permissions changes that through an application.
 */
export async function assertMayChangeSignIn({ tx, realm, actor }: ReadCtx, broughtBy: ClientSnapshot | null): Promise<void> {
  if (broughtBy && (await permissionsOfUser(tx, realm, actor.id)).length > 0) throw accountErrors.administrator();
}
