import * as claims from "../../../applications/claims/index.ts";
import { mappersOf, type ScopesSnapshot } from "../../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { SECOND } from "../../../kernel/clock.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { IssuerParts } from "../parts.ts";
import { perClient } from "../per-client.ts";
import { allowedScopes } from "./scopes.ts";

type ClaimParts = Pick<IssuerParts, "db" | "realm" | "scopesOfRealm">;

/** The mappers of the claims in which libraries for Keycloak look for roles. */
const keycloakRoles: readonly claims.ClaimMapper[] = (
  [
    { claim: "realm_access.roles", value: "realm", type: "string", multivalued: true },
    { claim: "resource_access", value: "clients", type: "json", multivalued: false },
  ] as const
).map((mapper) => ({ ...mapper, claimId: "", name: mapper.claim, source: "roles", targets: ["accessToken", "introspection"] }));

/** Returns the mappers of these scopes and of the client. The client's own come last, because they override those of its scopes. */
function mappersFor(scopes: ScopesSnapshot, client: ClientSnapshot, names: readonly string[]): readonly claims.ClaimMapper[] {
  const allowed = allowedScopes(scopes, client);
  return [
    ...(client.settings.tokenProfile === "keycloak" ? keycloakRoles : []),
    ...mappersOf(
      scopes,
      names.filter((name) => allowed.has(name)),
    ),
    ...client.mappers,
  ];
}

/**
 * OpenID Connect Core §5.5: returns the mappers of individually requested claims for this target. Only scopes that the client may request
 * count: otherwise the `claims` parameter would bypass its allowed scopes.
 */
function requestedMappers(
  scopes: ScopesSnapshot,
  client: ClientSnapshot,
  names: readonly string[],
  target: claims.ClaimTarget,
): readonly claims.ClaimMapper[] {
  if (names.length === 0) return [];
  const requested = new Set(names);
  const allowed = allowedScopes(scopes, client);
  return scopes.scopes
    .filter(({ name }) => allowed.has(name))
    .flatMap(({ mappers }) =>
      mappers.filter(({ claim }) => requested.has(memberOf(claim))).map((mapper) => ({ ...mapper, targets: [target] })),
    );
}

/** Returns the top-level member of a claim: `address` of `address.country`. */
const memberOf = (claim: string): string => /^(?:[^.\\]|\\.)*/.exec(claim)![0].replace(/\\(.)/g, "$1");

/** Returns the names of the claims that these scopes add. */
export const claimsOfScopes = ({ byName }: ScopesSnapshot, scopes: readonly string[]): ReadonlySet<string> =>
  new Set(scopes.flatMap((name) => byName.get(name)?.mappers.map(({ claim }) => memberOf(claim)) ?? []));

/** Returns claim names by scope, for `claims_supported` and the engine's configuration. */
export const claimNames = ({ scopes }: ScopesSnapshot): Record<string, string[]> =>
  Object.fromEntries(scopes.map(({ name, mappers }) => [name, [...new Set(mappers.map(({ claim }) => memberOf(claim)))]]));

/** The mappers of one target, and the data that they need from the database. */
interface Mapped {
  readonly mappers: readonly claims.ClaimMapper[];
  readonly needs: claims.SubjectNeeds;
}
type MappedByTarget = Readonly<Record<claims.ClaimTarget, Mapped>>;

const mapped = (mappers: readonly claims.ClaimMapper[]): Mapped => ({ mappers, needs: claims.needsOf(mappers) });

const TARGETS: readonly claims.ClaimTarget[] = ["idToken", "accessToken", "userinfo", "introspection"];

const byTarget = perClient(({ scopesOfRealm }: ClaimParts, client, scope): MappedByTarget => {
  const mappers = mappersFor(scopesOfRealm, client, scope.split(" "));
  const of = (target: claims.ClaimTarget) => mapped(mappers.filter(({ targets }) => targets.includes(target)));
  return Object.fromEntries(TARGETS.map((target) => [target, of(target)])) as MappedByTarget;
});

function mappedFor(parts: ClaimParts, client: ClientSnapshot, { target, scopes, requested = [] }: ClaimRequest): Mapped {
  const byScopes = byTarget(parts, client, scopes.join(" "))[target];
  const individually = requestedMappers(parts.scopesOfRealm, client, requested, target);
  return individually.length === 0 ? byScopes : mapped([...byScopes.mappers, ...individually]);
}

/** The user that claims are about, and their session. */
export interface AboutUser {
  readonly userId: string;
  /** The user's row, if it was read already. */
  readonly user: claims.SubjectUser | undefined;
  readonly session: claims.SubjectSession | null;
}

/** The user's authentication. `authTime` is in seconds. */
export interface Authentication {
  readonly authTime?: number | undefined;
  readonly acr?: string | undefined;
  readonly amr?: readonly string[] | undefined;
  readonly sid?: string | undefined;
}

/** Returns the session that claims are made from, or null if the authentication is not known. */
export function sessionOf(authentication: Authentication, impersonator: string | null): claims.SubjectSession | null {
  const { authTime, acr = null, amr = [], sid = null } = authentication;
  return authTime === undefined ? null : { authTime: authTime * SECOND, acr, amr, sid, impersonator };
}

/** Reads the data that the mappers need, without a query if that is only the known row of the user. Returns null for an unknown user. */
async function readSubject(
  db: Db,
  realm: string,
  { userId, user }: AboutUser,
  needs: claims.SubjectNeeds,
): Promise<claims.ClaimSubject | null> {
  if (user?.userId !== userId || needs.length > 0) return claims.subjectData(db, realm, userId, needs);
  return { user, read: {} };
}

/** The claims of one target, by scopes and individually requested. */
export interface ClaimRequest {
  readonly target: claims.ClaimTarget;
  readonly scopes: readonly string[];
  readonly requested?: readonly string[];
}

/** Returns the claims of several targets from one read of the user, or null if the user was deleted. */
export async function userClaims(
  parts: ClaimParts,
  client: ClientSnapshot,
  about: AboutUser,
  requests: readonly ClaimRequest[],
): Promise<readonly Record<string, unknown>[] | null> {
  const { db, realm } = parts;
  const asked = requests.map((request) => mappedFor(parts, client, request));
  const subject = await readSubject(db, realm.realmId, about, claims.needsOfAll(asked.map(({ needs }) => needs)));
  const context = { clientId: client.clientId, session: about.session };
  return subject && requests.map(({ target }, at) => claims.claimsOf(asked[at]!.mappers, target, subject, context));
}

/** Returns the claims of a client credentials token, which are about the service account. */
export async function clientClaims(
  parts: ClaimParts,
  client: ClientSnapshot,
  target: claims.ClaimTarget,
  scopes: readonly string[],
): Promise<Record<string, unknown>> {
  const { mappers, needs } = byTarget(parts, client, scopes.join(" "))[target];
  if (mappers.length === 0) return {};
  const subject = await claims.serviceAccountData(parts.db, parts.realm.realmId, client.id, needs);
  return claims.claimsOf(mappers, target, subject, { clientId: client.clientId });
}
