import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientSnapshot, Clients } from "../../applications/clients/index.ts";
import { OAuthError } from "../../kernel/oauth-error.ts";
import { type Actor, actorOf } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { RealmSnapshot, RealmSnapshots } from "../../tenancy/realms/index.ts";
import { checkPossession, hasShown, type PresentedToken } from "../proof/index.ts";
import { issuerOf, type LiveToken, readAccessToken } from "../tokens/index.ts";
import { allowOrigin } from "./oauth.ts";
import { challenge, refuseToken, type TokenRefusal } from "./refusals.ts";

/** What an API asks of the access tokens that it takes. Each room describes its own; app/realm-routes.ts lists them by the name that routes declare. */
export interface Audience {
  /** The values of `aud` of which a token has to name one. */
  names(issuer: string): readonly string[];
  /** The realms whose tokens count for this one; itself alone, if left out. */
  realms?(realm: string): readonly string[];
  /** What is said of a token that is not valid here. */
  readonly invalid: string;
  /** Why a valid one is not enough; null when it is. */
  check?(token: PresentedAccess, request: FastifyRequest): TokenRefusal | null;
  /** What the caller may do, where that counts. Read fresh. */
  permissions?(token: PresentedAccess): Promise<readonly string[]>;
  /** Clients that keep cookies of ours besides a token are served; elsewhere both together are a 400. */
  readonly ignoresCookies?: boolean;
  /** RFC 6750 §2.2: a form may bring the token, too. */
  readonly takesForm?: boolean;
  /** The challenge of a 401 says no more than the scheme and the error. */
  readonly isBare?: boolean;
  /** False: which pages of other origins may read the answer is decided elsewhere, not by the client's `webOrigins`. */
  readonly allowsOrigins?: boolean;
}

/** A token that is alive, and the client it was issued to. */
export interface PresentedAccess {
  readonly live: LiveToken;
  readonly client: ClientSnapshot;
}

export interface AccessTokenParts {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly clients: Clients;
  readonly baseUrl: string;
  readonly tlsClientCertHeader: string | null;
}

/** RFC 6750, RFC 9068 §4, RFC 9449 §7, RFC 8705 §3: verified, alive, meant for this audience and brought by its owner, or the refusal. */
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
  const unproven = await whyNotOwner(parts, request, live, presented);
  if (unproven !== null) throw invalid(unproven);
  const refusal = audience.check?.({ live, client }, request) ?? null;
  if (refusal) throw refused(refusal);
  return { live, client };
}

/** The refusal of a token, or of its absence, as the audience tells it. */
export function refusalOf(audience: Audience, request: FastifyRequest, issuer: string, scheme: string, refusal: TokenRefusal): Error {
  return refuseToken(request, refusal, challengeOf(audience, issuer, scheme, refusal), audience.allowsOrigins === false ? {} : READABLE);
}

const READABLE = { "access-control-allow-origin": "*", "access-control-expose-headers": "WWW-Authenticate" };

export const challengeOf = ({ isBare = false }: Audience, issuer: string, scheme: string, refusal?: TokenRefusal): string =>
  isBare ? `${scheme}${refusal ? ` error="${refusal.error}"` : ""}` : challenge(issuer, scheme, refusal);

async function findLive(parts: AccessTokenParts, { realms }: Audience, realm: RealmSnapshot, token: string): Promise<LiveToken | null> {
  for (const name of realms?.(realm.realmId) ?? [realm.realmId]) {
    const of = name === realm.realmId ? realm : await parts.realms.get(name);
    const live = of && (await readAccessToken(parts, of, issuerOf(parts.baseUrl, name), token));
    if (live) return live;
  }
  return null;
}

/** Null: what it is bound to was shown, or it is bound to nothing. */
async function whyNotOwner(
  parts: AccessTokenParts,
  request: FastifyRequest,
  live: LiveToken,
  presented: PresentedToken,
): Promise<string | null> {
  const { jkt, "x5t#S256": thumbprint, ...unknown } = live.confirmation ?? {};
  if (Object.keys(unknown).length > 0) return "The token is bound in a way that is not known here";
  if (jkt !== undefined && presented.scheme === "bearer") return "The token is bound to a key and cannot be used as a bearer token";
  if (thumbprint !== undefined && !hasShown(request.raw, parts.tlsClientCertHeader, thumbprint))
    return "The token is bound to a certificate, which was not shown with this request";
  if (presented.scheme === "bearer") return null;
  const { headers, method } = request;
  const url = parts.baseUrl + request.url.split("?", 1)[0];
  const proving = { db: parts.db, realm: { realmId: live.realm }, tlsClientCertHeader: parts.tlsClientCertHeader };
  return checkPossession(proving, { headers, method, url }, live, presented).then(
    () => null,
    (error) => {
      if (error instanceof OAuthError && request.routeOptions.config.errors !== "oauth") return error.message;
      throw error;
    },
  );
}

/** Who acts by a token: its user, or the client in its own name (RFC 6749 §4.4). */
export function actorOfToken({ live, client }: PresentedAccess, realm: string, permissions: readonly string[] = []): Actor {
  const spell = (name: string) => (live.realm === realm ? name : `${live.realm}/${name}`);
  const { holder, actor, realm: of } = live;
  const granted = new Set(permissions);
  if (!holder) return actorOf({ realm: of, permissions: granted, id: client.id, name: spell(client.clientId), isClient: true });
  return actorOf({
    realm: of,
    permissions: granted,
    id: holder.userId,
    name: spell(holder.username),
    sessionId: holder.sessionId,
    // RFC 8693 §4.1: who acts for the user is not the user, and the trail names both.
    impersonator: holder.impersonator ?? (actor === null ? null : String(actor.sub)),
  });
}
