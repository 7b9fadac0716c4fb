import type { FastifyReply, FastifyRequest } from "fastify";
import { type ClientSnapshot, type Clients, kindOfClient } from "../../applications/clients/index.ts";
import { OAuthError } from "../../kernel/oauth-error.ts";
import { type Actor, actorOf, kindOfUser, type NamedImpersonator } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { LiveSession } from "../../signin/sessions/index.ts";
import type { RealmSnapshot, RealmSnapshots } from "../../tenancy/realms/index.ts";
import { checkPossession, hasShown, type PresentedToken } from "../proof/index.ts";
import { type Act, type Impersonator, issuerOf, type LiveToken, readAccessToken } from "../tokens/index.ts";
import { allowOrigin } from "./oauth.ts";
import { challenge, refuseToken, type TokenRefusal } from "./refusals.ts";

/** An API's requirements for access tokens. Each room defines its own; app/realm-routes.ts lists them by the name that routes declare. */
export interface Audience {
  /** Returns the names of which a token must have one in `aud`. */
  names(issuer: string): readonly string[];
  /** Returns the realms whose tokens are accepted. The default is only the realm itself. */
  realms?(realm: string): readonly string[];
  /** The error description of an invalid token. */
  readonly invalid: string;
  /** Returns why a valid token is refused, or null if it is accepted. */
  check?(token: PresentedAccess, request: FastifyRequest): TokenRefusal | null;
  /** Returns the caller's permissions, which are read at each request. `session` is the one of a user's token. */
  permissions?(token: PresentedAccess, session: LiveSession | null): Promise<readonly string[]>;
  /**
   * The session of a user's token must stand for its user in the realm, as its cookie would have to. `required` refuses a token without a
   * session (offline access, the password grant). Without this member the session is not read.
   */
  readonly session?: "required" | "if-any";
  /** True if a session cookie beside the token is ignored. Otherwise both together are a 400. */
  readonly ignoresCookies?: boolean;
  /** True if a token in a form is accepted, too (RFC 6750 §2.2). */
  readonly takesForm?: boolean;
  /** True if the challenge of a 401 has only the scheme and the error. */
  readonly isBare?: boolean;
  /** False if the client's `webOrigins` do not decide about CORS here. */
  readonly allowsOrigins?: boolean;
}

/** A live access token and the client it was issued to. */
export interface PresentedAccess {
  readonly live: LiveToken;
  readonly client: ClientSnapshot;
}

export interface AccessTokenParts {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly clients: Clients;
  readonly baseUrl: string;
  readonly mtlsBaseUrl: string | null;
  readonly tlsClientCertHeader: string | null;
}

/** RFC 6750, RFC 9068 §4, RFC 9449 §7, RFC 8705 §3: checks signature, liveness, audience and proof of possession. */
export async function readPresented(
  parts: AccessTokenParts,
  audience: Audience,
  presented: PresentedToken,
  { request, reply, realm }: { request: FastifyRequest; reply: FastifyReply; realm: RealmSnapshot },
): Promise<PresentedAccess> {
  const issuer = issuerOf(parts.baseUrl, realm.realmId);
  const scheme = presented.scheme === "dpop" ? "DPoP" : "Bearer";
  const refused = (refusal: TokenRefusal) => refusalOf(audience, request, issuer, scheme, refusal);
  const invalid = (description = audience.invalid) => refused({ error: "invalid_token", description });

  const live = await findLive(parts, audience, realm, presented.token);
  const client = live && (await parts.clients.get(live.realm, live.clientId));
  if (!client || !audience.names(issuer).some((name) => live.audience.includes(name))) throw invalid();
  if (audience.allowsOrigins !== false) allowOrigin(request, reply, client);
  const unproven = await reasonAgainstPossession(parts, { request, realm }, live, presented);
  if (unproven !== null) throw invalid(unproven);
  const refusal = audience.check?.({ live, client }, request) ?? null;
  if (refusal) throw refused(refusal);
  return { live, client };
}

/** Makes the refusal of an invalid token, with the audience's challenge. */
export function refusalOf(audience: Audience, request: FastifyRequest, issuer: string, scheme: string, refusal: TokenRefusal): Error {
  return refuseToken(request, refusal, challengeOf(audience, issuer, scheme, refusal), readableAt(audience));
}

/** RFC 6750 §3.1: makes the refusal of a missing token, whose challenge has no error code. */
export const missingTokenOf = (audience: Audience, request: FastifyRequest, issuer: string): Error =>
  refuseToken(
    request,
    { error: "invalid_token", description: audience.invalid },
    challengeOf(audience, issuer, "Bearer"),
    readableAt(audience),
  );

const readableAt = ({ allowsOrigins }: Audience): Readonly<Record<string, string>> => (allowsOrigins === false ? {} : READABLE);

const READABLE = { "access-control-allow-origin": "*", "access-control-expose-headers": "WWW-Authenticate" };

export const challengeOf = ({ isBare = false }: Audience, issuer: string, scheme: string, refusal?: TokenRefusal): string =>
  isBare ? `${scheme}${refusal ? ` error="${refusal.error}"` : ""}` : challenge(issuer, scheme, refusal);

async function findLive(parts: AccessTokenParts, { realms }: Audience, realm: RealmSnapshot, token: string): Promise<LiveToken | null> {
  if (!realms) return readAccessToken(parts, realm, issuerOf(parts.baseUrl, realm.realmId), token);
  for (const name of realms(realm.realmId)) {
    const of = name === realm.realmId ? realm : await parts.realms.get(name);
    const live = of && (await readAccessToken(parts, of, issuerOf(parts.baseUrl, name), token));
    if (live) return live;
  }
  return null;
}

/** Returns why proof of possession fails, or null if it succeeds, or the token is not sender-constrained. */
async function reasonAgainstPossession(
  parts: AccessTokenParts,
  { request, realm }: { readonly request: FastifyRequest; readonly realm: RealmSnapshot },
  live: LiveToken,
  presented: PresentedToken,
): Promise<string | null> {
  if (live.confirmation === null && presented.scheme === "bearer") return null;
  const { jkt, "x5t#S256": thumbprint, ...unknown } = live.confirmation ?? {};
  if (Object.keys(unknown).length > 0) return "The token is bound in a way that is not known here";
  if (jkt !== undefined && presented.scheme === "bearer") return "The token is bound to a key and cannot be used as a bearer token";
  if (thumbprint !== undefined && !hasShown(request.raw, parts.tlsClientCertHeader, thumbprint))
    return "The token is bound to a certificate, which was not shown with this request";
  if (presented.scheme === "bearer") return null;
  const { headers, method } = request;
  const url = parts.baseUrl + request.url.split("?", 1)[0];
  return checkPossession(
    { ...parts, realm: { realmId: live.realm, settings: realm.settings } },
    { headers, method, url },
    live,
    presented,
  ).then(
    () => null,
    (error) => {
      if (error instanceof OAuthError && request.routeOptions.config.errors !== "oauth") return error.message;
      throw error;
    },
  );
}

function impersonatorOf(impersonator: Impersonator | null, act: Act | null): NamedImpersonator | null {
  if (impersonator) return { id: impersonator.userId, name: impersonator.name };
  return act && { id: String(act.sub), name: String(act.sub) };
}

/** Returns the actor of a token: its user, or the client itself (RFC 6749 §4.4). */
export function actorOfToken({ live, client }: PresentedAccess, realm: string, permissions: readonly string[] = []): Actor {
  const spell = (name: string) => (live.realm === realm ? name : `${live.realm}/${name}`);
  const { holder, actor, realm: of } = live;
  const granted = new Set(permissions);
  const kind = kindOfClient(client);
  if (!holder) return actorOf({ realm: of, permissions: granted, id: client.id, name: spell(client.clientId), isClient: true, kind });
  return actorOf({
    realm: of,
    permissions: granted,
    id: holder.userId,
    kind: kindOfUser(of, realm),
    name: spell(holder.username),
    sessionId: holder.sessionId,
    // RFC 8693 §4.1: the audit trail names the user and the party that acts for them.
    impersonator: impersonatorOf(holder.impersonator, actor),
  });
}
