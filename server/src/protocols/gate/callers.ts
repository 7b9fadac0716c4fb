import type { FastifyContextConfig, FastifyReply, FastifyRequest } from "fastify";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { type Actor, actorOf } from "../../platform/context.ts";
import { type Caller, callersOf, isWrite, type SessionCaller } from "../../platform/http/index.ts";
import {
  actorOfSession,
  assertRecentAuthentication,
  type Cookies,
  CSRF_HEADER,
  type Csrf,
  type LiveSession,
  resolveSession,
} from "../../signin/sessions/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { PresentedToken } from "../proof/index.ts";
import { issuerOf, type LiveToken } from "../tokens/index.ts";
import { type AccessTokenParts, type Audience, actorOfToken, challengeOf, readPresented, refusalOf } from "./access-token.ts";
import { single } from "./oauth.ts";
import { schemeOf, tokenInHeader } from "./presented.ts";
import { NoToken, noSession, refuse } from "./refusals.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The client that authenticated itself, or that brought a user's token; null with a session. */
    client: ClientSnapshot | null;
    /** The access token that was presented. */
    accessToken: LiveToken | null;
    /** With a session on an API: by which the browser is known again. */
    deviceToken: string | null;
  }
}

export interface CallerParts extends AccessTokenParts {
  readonly csrf: Csrf;
  readonly cookies: Cookies;
  /** By the name that routes declare. */
  readonly audiences: Readonly<Record<string, Audience>>;
}

/** What differs between the gates of the realms and of the admin API. */
export interface SessionRules {
  /** The realms whose sessions count, the first one that fits. Of a session that does not fit, the last is taken where there is no other. */
  realms(realm: RealmSnapshot): Promise<readonly RealmSnapshot[]>;
  fits(session: LiveSession): boolean;
  actorOf(session: LiveSession, realm: string): Actor;
}

/** Only the realm's own, and whatever the user administers is no matter there. */
export const ownSession: SessionRules = {
  realms: async (realm) => [realm],
  fits: () => true,
  actorOf: (session, realm) => actorOf({ ...actorOfSession(session, realm), permissions: new Set() }),
};

export interface Entering {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly realm: RealmSnapshot;
  /** Of the route. Kept: Fastify makes an object of each look at a request's route. */
  readonly declaration: FastifyContextConfig;
}

export type Callers = ReturnType<typeof createCallers>;

/** Who calls an API, by session or by token: the one place that reads `Authorization` and the session's cookie, and makes `request.actor`. */
export function createCallers(parts: CallerParts, rules: SessionRules = ownSession) {
  const { db, csrf, cookies } = parts;
  const audienceOf = (caller: Caller): Audience | undefined => (caller.by === "bearer" ? parts.audiences[caller.audience] : undefined);

  const findSession = async (request: FastifyRequest, realm: RealmSnapshot): Promise<LiveSession | null> => {
    let other: LiveSession | null = null;
    for (const of of await rules.realms(realm)) {
      const token = cookies.sessionToken(request, of.realmId);
      const session = await resolveSession(db, of.realmId, token, of.settings.sessions, clock.now());
      if (session && rules.fits(session)) return session;
      other ??= session;
    }
    return other;
  };

  /** A write needs the token twice: in the cookie, and in the header, where only our own pages can put it. */
  const hasHeaderToken = (request: FastifyRequest, binding: string): boolean => {
    const sent = request.headers[CSRF_HEADER];
    return csrf.accepts(cookies.csrf(request), Array.isArray(sent) ? undefined : sent, binding);
  };

  const bySession = async ({ request, reply, realm }: Entering, wwwAuthenticate: string): Promise<void> => {
    const session = await findSession(request, realm);
    if (!session) throw noSession(request, wwwAuthenticate);
    cookies.moveSession(request, reply, session);
    request.deviceToken = cookies.device(request, realm.realmId) ?? null;
    // Before CSRF: a refusal is recorded against the session's user.
    request.actor = rules.actorOf(session, realm.realmId);
    if (isWrite(request)) {
      if (!hasHeaderToken(request, session.sessionId)) throw refuse(request, "csrf");
    } else if (!csrf.fits(cookies.csrf(request), session.sessionId)) cookies.setCsrf(reply, csrf.issue(session.sessionId));
  };

  const byToken = async (entering: Entering, audience: Audience, presented: PresentedToken | null): Promise<void> => {
    const { request, realm, declaration } = entering;
    const issuer = issuerOf(parts.baseUrl, realm.realmId);
    if (!audience.ignoresCookies)
      for (const of of await rules.realms(realm))
        if (cookies.sessionToken(request, of.realmId) !== undefined) throw refuse(request, "two_credentials");
    if (!presented) {
      if (declaration.errors === "oauth") throw oauthErrors.invalidRequest("invalid authorization header value format");
      throw refusalOf(audience, request, issuer, "Bearer", { error: "invalid_token", description: audience.invalid });
    }
    const access = await readPresented(parts, audience, presented, entering);
    request.client = access.client;
    request.accessToken = access.live;
    request.actor = actorOfToken(access, realm.realmId, await audience.permissions?.(access));
  };

  /** Nothing was presented, and a token is needed. */
  const refuseMissing = ({ request, realm, declaration }: Entering, audience: Audience): never => {
    const issuer = issuerOf(parts.baseUrl, realm.realmId);
    if (declaration.errors === "oauth")
      throw new NoToken("invalid_token", "no access token provided", { headers: { "www-authenticate": `Bearer realm="${issuer}"` } });
    throw refusalOf(audience, request, issuer, "Bearer", { error: "invalid_token", description: audience.invalid });
  };

  /** RFC 6750 §2.2: a token in the form, never beside one in the header. */
  const byForm = async (entering: Entering, audience: Audience): Promise<void> => {
    const token = single((entering.request.body ?? {}) as Record<string, string>, "access_token");
    if (token === undefined) return entering.request.accessToken ? undefined : refuseMissing(entering, audience);
    if (entering.request.headers.authorization !== undefined)
      throw oauthErrors.invalidRequest("access token must only be provided using one mechanism");
    await byToken(entering, audience, { scheme: "bearer", token });
  };

  return {
    findSession,
    hasHeaderToken,
    byForm,
    audienceOf,
    /** True: a caller of an API came in, or was refused. False: neither session nor token are for this route to take by itself. */
    async enter(entering: Entering, isPage: boolean): Promise<boolean> {
      const { request, realm, declaration } = entering;
      const callers = callersOf(declaration);
      const audience = callers.map(audienceOf).find((each) => each !== undefined);
      const scheme = schemeOf(request);
      if (audience && (scheme === "bearer" || scheme === "dpop")) {
        await byToken(entering, audience, tokenInHeader(request));
        return true;
      }
      const session = callers.find((caller): caller is SessionCaller => caller.by === "session");
      if (session && isPage) return false;
      if (session && !session.onlyPages) {
        if (declaration.csrf !== "header") return false;
        await bySession(entering, audience ? challengeOf(audience, issuerOf(parts.baseUrl, realm.realmId), "Bearer") : "Bearer");
        return true;
      }
      if (!audience) return false;
      if (scheme !== null && declaration.errors === "oauth") throw oauthErrors.invalidRequest("invalid authorization header value format");
      // In a form it may come yet.
      return (audience.takesForm && request.method === "POST") || refuseMissing(entering, audience);
    },
    /** What holds for every authenticated caller. */
    async admit({ request, declaration }: Entering): Promise<void> {
      const { impersonated = false, recentAuthentication = false, permission } = declaration;
      const { actor } = request;
      if (actor === null) return;
      // On the admin API an impersonator has no permissions at all; anonymous pages are open to them, too.
      const isOwners = permission === undefined && callersOf(declaration).some(({ by }) => by === "session" || by === "bearer");
      if (actor.impersonator !== null && isOwners && !impersonated) throw refuse(request, "impersonated");
      if (recentAuthentication) await assertRecentAuthentication({ tx: db, actor, now: clock.now() });
    },
  };
}
