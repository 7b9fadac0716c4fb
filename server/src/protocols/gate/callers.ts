import type { FastifyContextConfig, FastifyReply, FastifyRequest } from "fastify";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import type { AppError } from "../../kernel/errors.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { oncePer } from "../../kernel/once.ts";
import { type Actor, actorOf, assertRecent } from "../../platform/context.ts";
import { type Caller, callersOf, isWrite, type SessionCaller } from "../../platform/http/index.ts";
import { askedSecondFactors, type Flows } from "../../signin/flows/index.ts";
import type { RequestFacts, Standings } from "../../signin/run/index.ts";
import * as sessions from "../../signin/sessions/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { PresentedToken } from "../proof/index.ts";
import { issuerOf, type LiveToken, provenWithoutSession } from "../tokens/index.ts";
import {
  type AccessTokenParts,
  type Audience,
  actorOfToken,
  challengeOf,
  missingTokenOf,
  type PresentedAccess,
  readPresented,
  refusalOf,
} from "./access-token.ts";
import { single } from "./oauth.ts";
import { schemeOf, tokenInHeader } from "./presented.ts";
import { noSession, refuse } from "./refusals.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The authenticated client, or the one the presented token was issued to. It is null with a session. */
    client: ClientSnapshot | null;
    /** The presented access token. */
    accessToken: LiveToken | null;
    /** The cookie that identifies a known browser, with a session on an API. */
    deviceToken: string | null;
  }
}

export interface CallerParts extends AccessTokenParts {
  readonly csrf: sessions.Csrf;
  readonly cookies: sessions.Cookies;
  readonly flows: Flows;
  /** Judges whether a session is sufficient for a request. */
  readonly standings: Standings;
  /** The audiences by the name in `bearer({ audience })`. */
  readonly audiences: Readonly<Record<string, Audience>>;
}

/** The differences between the gate of a realm and that of the admin API. */
export interface SessionRules {
  /** Returns the realms whose sessions are accepted. The first session that fits is used, or else the first one. */
  realms(realm: RealmSnapshot): Promise<readonly RealmSnapshot[]>;
  fits(session: sessions.LiveSession): boolean;
  actorOf(session: sessions.LiveSession, realm: string): Actor;
}

/** The rules for the realm's own session, without the user's admin permissions. */
export const ownSession: SessionRules = {
  realms: async (realm) => [realm],
  fits: () => true,
  actorOf: (session, realm) => actorOf({ ...sessions.actorOfSession(session, realm), permissions: new Set() }),
};

export interface Entering {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly realm: RealmSnapshot;
  /** The route's config. It is passed on because Fastify creates an object at each access of `request.routeOptions`. */
  readonly declaration: FastifyContextConfig;
}

export type Callers = ReturnType<typeof createCallers>;

/** Authenticates the caller of an API by session or token. Only this code reads `Authorization` and the session cookie. */
export function createCallers(parts: CallerParts, rules: SessionRules = ownSession) {
  const { db, csrf, cookies } = parts;
  const audienceOf = (caller: Caller): Audience | undefined => (caller.by === "bearer" ? parts.audiences[caller.audience] : undefined);

  const acceptedBy = oncePer(
    (declaration: FastifyContextConfig): { audience: Audience | undefined; session: SessionCaller | undefined; takesClients: boolean } => {
      const callers = callersOf(declaration);
      return {
        audience: callers.map(audienceOf).find((each) => each !== undefined),
        session: callers.find((caller): caller is SessionCaller => caller.by === "session"),
        takesClients: callers.some(({ by }) => by === "client"),
      };
    },
  );

  /** Finds a session and tells whether it stands for its user in its realm. */
  const findSession = async (request: FastifyRequest, realm: RealmSnapshot): Promise<Judged | null> => {
    let other: Judged | null = null;
    for (const of of await rules.realms(realm)) {
      const token = cookies.sessionToken(request, of.realmId);
      const session = await sessions.resolveSession(db, of.realmId, token, of.settings.sessions, clock.now());
      if (!session) continue;
      const isEnough = await standsFor(of, session, request);
      if (isEnough && rules.fits(session)) return { session, isEnough };
      other ??= { session, isEnough };
    }
    return other;
  };

  /** Tells whether a session is sufficient. Pages ask for open required actions, and an API does not wait for them. */
  const standsFor = async (realm: RealmSnapshot, session: sessions.LiveSession, request: FastifyRequest): Promise<boolean> =>
    (await parts.standings(realm, session, factsOf(request, realm.realmId))) !== "proof";

  const factsOf = (request: FastifyRequest, realm: string): RequestFacts => ({
    sourceIp: request.ip,
    userAgent: request.headers["user-agent"] ?? null,
    deviceToken: cookies.device(request, realm) ?? null,
  });

  /** Checks a double-submit CSRF token, which is in the cookie and in a header that only scripts of this origin can set. */
  const hasHeaderToken = (request: FastifyRequest, binding: string): boolean => {
    const sent = request.headers[sessions.CSRF_HEADER];
    return csrf.accepts(cookies.csrf(request), Array.isArray(sent) ? undefined : sent, binding);
  };

  const bySession = async ({ request, reply, realm }: Entering, wwwAuthenticate: string): Promise<void> => {
    const found = await findSession(request, realm);
    if (!found) throw noSession(request, wwwAuthenticate);
    const { session, isEnough } = found;
    cookies.moveSession(request, reply, session);
    request.deviceToken = cookies.device(request, realm.realmId) ?? null;
    // The actor is set before the checks, so that a refusal is recorded with the session's user.
    request.actor = await withRecency(rules.actorOf(session, realm.realmId), session.realm, session);
    if (!isEnough) throw await insufficient(session);
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
    await byTokenOf(entering, audience, access);
  };

  /** Sets the actor of a token. If the audience requires it, the session of a user's token is judged like its cookie. */
  const byTokenOf = async ({ request, realm }: Entering, audience: Audience, access: PresentedAccess): Promise<void> => {
    const { holder, realm: of } = access.live;
    const isJudged = audience.session !== undefined && holder !== null;
    const session = isJudged && holder.sessionId !== null ? await sessions.findSessionBehind(db, of, holder.sessionId, clock.now()) : null;
    const actor = actorOfToken(access, realm.realmId, await audience.permissions?.(access, session));
    request.actor = isJudged ? await withRecency(actor, of, session) : actor;
    if (!isJudged) return;
    if (!session && audience.session === "required") {
      const description = "The token has no session behind it: get one by signing in, without offline access";
      throw refusalOf(audience, request, issuerOf(parts.baseUrl, realm.realmId), "Bearer", { error: "invalid_token", description });
    }
    const ofSession = of === realm.realmId ? realm : await parts.realms.get(of);
    const proven = session ?? (await provenWithoutSession(db, access.live, clock.now()));
    if (proven && ofSession && !(await standsFor(ofSession, proven, request))) throw await insufficient(proven);
  };

  const withRecency = async (actor: Actor, of: string, session: sessions.LiveSession | null): Promise<Actor> => {
    const asked = await askedSecondFactors(parts.flows, of);
    return Object.assign({}, actor, sessions.recencyOf(session, { realm: of, asked, baseUrl: parts.baseUrl, now: clock.now() }));
  };

  const insufficient = async (session: Pick<sessions.LiveSession, "realm" | "user">): Promise<AppError> =>
    sessions.insufficientAuthentication(session, await askedSecondFactors(parts.flows, session.realm), parts.baseUrl);

  /** Refuses a request without the required token. */
  const refuseMissing = ({ request, realm }: Entering, audience: Audience): never => {
    throw missingTokenOf(audience, request, issuerOf(parts.baseUrl, realm.realmId));
  };

  /** RFC 6750 §2.2: reads a token in the form. Refuses it beside one in the header. */
  const byForm = async (entering: Entering, audience: Audience): Promise<void> => {
    const token = single((entering.request.body ?? {}) as Record<string, string>, "access_token");
    if (token === undefined) return entering.request.accessToken ? undefined : refuseMissing(entering, audience);
    if (entering.request.headers.authorization !== undefined)
      throw oauthErrors.invalidRequest("access token must only be provided using one mechanism");
    await byToken(entering, audience, { scheme: "bearer", token });
  };

  return {
    standsFor,
    withRecency,
    insufficient,
    hasHeaderToken,
    byForm,
    acceptedBy,
    /** Returns true if the caller was authenticated, and false if the route takes neither session nor token as an API. Throws a refusal. */
    async enter(entering: Entering, isPage: boolean): Promise<boolean> {
      const { request, realm, declaration } = entering;
      const { audience, session, takesClients } = acceptedBy(declaration);
      const scheme = schemeOf(request);
      if (audience && (scheme === "bearer" || scheme === "dpop")) {
        await byToken(entering, audience, tokenInHeader(request));
        return true;
      }
      if (session && isPage) return false;
      if (session && !session.onlyPages) {
        if (declaration.csrf !== "header") return false;
        await bySession(entering, audience ? challengeOf(audience, issuerOf(parts.baseUrl, realm.realmId), "Bearer") : "Bearer");
        return true;
      }
      // A client authenticates when the form is read.
      if (!audience || takesClients) return false;
      if (scheme !== null && declaration.errors === "oauth") throw oauthErrors.invalidRequest("invalid authorization header value format");
      // The form is parsed later and may contain the token.
      return (audience.takesForm && request.method === "POST") || refuseMissing(entering, audience);
    },
    /** Runs the checks of every authenticated caller: impersonation and recent authentication. */
    admit({ request, declaration }: Entering): void {
      const { impersonated = false, recentAuthentication = false, permission } = declaration;
      const { actor } = request;
      if (actor === null) return;
      // An impersonator has no permissions on the admin API, but may call anonymous routes.
      const isOwners = permission === undefined && callersOf(declaration).some(({ by }) => by === "session" || by === "bearer");
      if (actor.impersonator !== null && isOwners && !impersonated) throw refuse(request, "impersonated");
      if (recentAuthentication) assertRecent(actor);
    },
  };
}

interface Judged {
  readonly session: sessions.LiveSession;
  readonly isEnough: boolean;
}
