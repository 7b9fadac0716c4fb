import type { Account, Client, KoaContextWithOIDC } from "oidc-provider";
import {
  type ClaimMapper,
  type ClaimSubject,
  type ClaimTarget,
  claimsOf,
  needsOf,
  type SubjectNeeds,
  type SubjectSession,
  type SubjectUser,
  serviceAccountData,
  subjectData,
} from "../../applications/claims/index.ts";
import { mappersOf, type ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { SECOND } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import { snapshotOf } from "./client.ts";
import { liveGrantOf } from "./grant.ts";
import { allowedScopes } from "./scopes.ts";

export interface ClaimParts {
  readonly db: Db;
  readonly realm: string;
  readonly scopes: ScopesSnapshot;
}

/** A code, a refresh token or the like: what tokens are made of. */
interface Source {
  readonly scope?: string | undefined;
  readonly acr?: string | undefined;
  readonly amr?: readonly string[] | undefined;
  readonly authTime?: number | undefined;
  readonly sid?: string | undefined;
}

/** A client's own mappers come after its scopes': they may say it otherwise. */
export function mappersFor({ scopes }: ClaimParts, client: ClientSnapshot, names: readonly string[]): readonly ClaimMapper[] {
  const allowed = allowedScopes(scopes, client);
  const left = names.filter((name) => allowed.has(name));
  return [...mappersOf(scopes, left), ...client.mappers];
}

/**
 * OpenID Connect Core §5.5: claims that were asked for one by one, wherever their scope would put them. Only those of scopes that the client
 * may ask for: otherwise this would be the way around what its administrator allows it.
 */
function requestedMappers(
  { scopes }: ClaimParts,
  client: ClientSnapshot,
  names: readonly string[],
  target: ClaimTarget,
): readonly ClaimMapper[] {
  if (names.length === 0) return [];
  const wanted = new Set(names);
  const allowed = allowedScopes(scopes, client);
  return scopes.scopes
    .filter(({ name }) => allowed.has(name))
    .flatMap(({ mappers }) =>
      mappers.filter(({ claim }) => wanted.has(memberOf(claim))).map((mapper) => ({ ...mapper, targets: [target] })),
    );
}

/** `address` of `address.country`. */
export const memberOf = (claim: string): string => /^(?:[^.\\]|\\.)*/.exec(claim)![0].replace(/\\(.)/g, "$1");

/** The claims of each scope, as the engine wants to know them for the `claims` parameter and its metadata. */
export const claimNames = ({ scopes }: ScopesSnapshot): Record<string, string[]> =>
  Object.fromEntries(scopes.map(({ name, mappers }) => [name, [...new Set(mappers.map(({ claim }) => memberOf(claim)))]]));

export interface OidcAccount extends Account {
  accessTokenClaims(client: ClientSnapshot, scope: string): Promise<Record<string, unknown>>;
}

/** The user's own row may be known already; roles, groups and organizations have to be asked for. Null: no such user. */
export async function subjectOf(
  { db, realm }: Pick<ClaimParts, "db" | "realm">,
  userId: string,
  user: SubjectUser | undefined,
  needs: SubjectNeeds,
): Promise<ClaimSubject | null> {
  if (user?.userId !== userId || needs.roles || needs.groups || needs.organizations) return subjectData(db, realm, userId, needs);
  return { user, realmRoles: [], clientRoles: new Map(), groups: [], organizations: [] };
}

const split = (scope: string | undefined): string[] => (scope ? scope.split(" ") : []);

/**
 * Whom a token is about. That the user may still sign in is known already, from the session at /authorize and from the grant at /token;
 * what is known about them is read once, when the first claim is asked for.
 */
export function accountOf(parts: ClaimParts, ctx: KoaContextWithOIDC, userId: string, source?: Source): OidcAccount {
  let read: Promise<ClaimSubject | null> | undefined;
  const clientOf = (): ClientSnapshot => snapshotOf(ctx.oidc.client as Client);
  const subject = async (requested: readonly ClaimMapper[]): Promise<ClaimSubject> => {
    const mappers = [...mappersFor(parts, clientOf(), split(source?.scope)), ...requested];
    read ??= subjectOf(parts, userId, liveGrantOf(ctx.oidc.grant)?.user, needsOf(mappers, "idToken", "accessToken", "userinfo"));
    const found = await read;
    if (!found) throw new Error("The user of a live grant was deleted while a token was made");
    return found;
  };
  const session = (): SubjectSession | null =>
    source?.authTime === undefined
      ? null
      : {
          authTime: source.authTime * SECOND,
          acr: source.acr ?? null,
          amr: source.amr ?? [],
          sid: source.sid ?? null,
          impersonator: liveGrantOf(ctx.oidc.grant)?.impersonator ?? null,
        };
  return {
    accountId: userId,
    async claims(use, scope, claims) {
      const target: ClaimTarget = use === "id_token" ? "idToken" : "userinfo";
      const requested = requestedMappers(parts, clientOf(), Object.keys(claims ?? {}), target);
      const mappers = [...mappersFor(parts, clientOf(), split(scope)), ...requested];
      const context = { clientId: clientOf().clientId, session: session() };
      return { ...claimsOf(mappers, target, await subject(requested), context), sub: userId };
    },
    async accessTokenClaims(client, scope) {
      const mappers = mappersFor(parts, client, split(scope));
      if (!mappers.some(({ targets }) => targets.includes("accessToken"))) return {};
      return claimsOf(mappers, "accessToken", await subject([]), { clientId: client.clientId, session: session() });
    },
  };
}

/** The same for a client that acts in its own name. */
export async function serviceAccountClaims(parts: ClaimParts, client: ClientSnapshot, scope: string): Promise<Record<string, unknown>> {
  const mappers = mappersFor(parts, client, split(scope)).filter(({ targets }) => targets.includes("accessToken"));
  if (mappers.length === 0) return {};
  const subject = await serviceAccountData(parts.db, parts.realm, client.id, needsOf(mappers, "accessToken"));
  return claimsOf(mappers, "accessToken", subject, { clientId: client.clientId });
}

/** What userinfo tells; `requested` are the claims that were asked for one by one. */
export async function userinfoClaims(
  parts: ClaimParts,
  client: ClientSnapshot,
  user: SubjectUser,
  { scopes, requested, session }: { scopes: readonly string[]; requested: readonly string[]; session: SubjectSession | null },
): Promise<Record<string, unknown> | null> {
  const mappers = [...mappersFor(parts, client, scopes), ...requestedMappers(parts, client, requested, "userinfo")];
  const subject = await subjectOf(parts, user.userId, user, needsOf(mappers, "userinfo"));
  return subject && claimsOf(mappers, "userinfo", subject, { clientId: client.clientId, session });
}
