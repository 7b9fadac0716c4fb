import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import { type Db, lockRealm, type Tx } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { ClaimMapper, ClaimTarget, MapperState } from "../claims/index.ts";
import type { ClientScope } from "./schema.ts";

/** The scopes of a new realm. Migration 0004 added the same scopes to the realms that existed before it. */
const scopes: readonly (Pick<ClientScope, "name" | "description" | "assignment"> & { readonly builtIn?: true })[] = [
  { name: "openid", description: "Sign in", assignment: "DEFAULT", builtIn: true },
  { name: "profile", description: "Name and other details of the profile", assignment: "DEFAULT" },
  { name: "email", description: "Mail address", assignment: "DEFAULT" },
  { name: "roles", description: "Roles in the realm and in its applications", assignment: "DEFAULT" },
  { name: "address", description: "Postal address", assignment: "OPTIONAL" },
  { name: "phone", description: "Phone number", assignment: "OPTIONAL" },
  { name: "offline_access", description: "Access while the user is not signed in", assignment: "OPTIONAL", builtIn: true },
  // Only clients to which an administrator gives it have this scope.
  { name: "account", description: "Change the account: profile, password, ways to sign in", assignment: "NONE", builtIn: true },
  { name: "groups", description: "Groups", assignment: "OPTIONAL" },
  { name: "organizations", description: "Organizations", assignment: "OPTIONAL" },
];

/** A scope that every realm has. It cannot be deleted. */
const FIRST = "openid";

interface Seed extends MapperState {
  /** The scope of the mapper. Null if it is only offered for attachment. */
  readonly scope: string | null;
}

const aboutPeople: readonly ClaimTarget[] = ["idToken", "userinfo"];
const everywhere: readonly ClaimTarget[] = ["idToken", "accessToken", "userinfo", "introspection"];

const plain = { source: "attribute", type: "string", multivalued: false, targets: aboutPeople } as const;
const of = (scope: string, claim: string, value: string, more: Partial<Pick<ClaimMapper, "source" | "type" | "targets">> = {}): Seed => ({
  ...plain,
  scope,
  claim,
  value,
  ...more,
});
const list = (scope: string | null, claim: string, source: ClaimMapper["source"], value: string): Seed => ({
  scope,
  claim,
  source,
  value,
  type: "string",
  multivalued: true,
  targets: everywhere,
});

/** The mappers of OpenID Connect Core §5.4, and of roles, groups and organizations. Each is named as its claim. */
const mappers: readonly Seed[] = [
  of("profile", "name", "name", { source: "property" }),
  of("profile", "given_name", "firstName"),
  of("profile", "family_name", "lastName"),
  of("profile", "middle_name", "middleName"),
  of("profile", "nickname", "nickname"),
  of("profile", "preferred_username", "username", { source: "property", targets: ["idToken", "userinfo", "introspection"] }),
  of("profile", "profile", "profile"),
  of("profile", "picture", "picture"),
  of("profile", "website", "website"),
  of("profile", "gender", "gender"),
  of("profile", "birthdate", "birthdate"),
  of("profile", "zoneinfo", "zoneinfo"),
  of("profile", "locale", "locale"),
  of("profile", "updated_at", "updatedAt", { source: "property", type: "number" }),
  of("email", "email", "email", { source: "property" }),
  of("email", "email_verified", "emailVerified", { source: "property", type: "boolean" }),
  of("address", "address.formatted", "formattedAddress"),
  of("address", "address.street_address", "streetAddress"),
  of("address", "address.locality", "locality"),
  of("address", "address.region", "region"),
  of("address", "address.postal_code", "postalCode"),
  of("address", "address.country", "country"),
  of("phone", "phone_number", "phoneNumber"),
  of("phone", "phone_number_verified", "phoneNumberVerified", { type: "boolean" }),
  list("roles", "roles", "roles", "realm"),
  { ...list("roles", "resource_access", "roles", "clients"), type: "json" },
  // Programs that were written for Keycloak need this claim. One PUT attaches it.
  list(null, "realm_access.roles", "roles", "realm"),
  list("groups", "groups", "groups", "path"),
  list("organizations", "organizations", "organizations", "alias"),
];

/** Adds the scopes and mappers of a new realm on `realm.created`. */
export const seedScopes = (ctx: Ctx, { realm }: { readonly realm: string }): Promise<void> => seed(ctx, realm, new Set(), new Set());

/** Adds missing scopes and mappers. Existing scopes of these names are kept. */
async function seed(ctx: Ctx, realm: string, knownScopes: ReadonlySet<string>, knownClaims: ReadonlySet<string>): Promise<void> {
  const missing = scopes.filter(({ name }) => !knownScopes.has(name));
  const ids = new Map(missing.map(({ name }) => [name, newId()]));
  await ctx.tx
    .insertInto("client_scopes")
    .values(
      missing.map(({ name, description, assignment, builtIn = false }) => ({
        ...{ realm_id: realm, scope_id: ids.get(name)!, name, description, consent_text: null },
        ...{ assignment, built_in: builtIn, created_at: ctx.now },
      })),
    )
    .execute();
  const claims = mappers
    .filter(({ scope, claim }) => ids.has(scope ?? FIRST) && !knownClaims.has(loginKey(claim)))
    .map(({ scope, ...mapper }) => ({ scope, claimId: newId(), mapper }));
  if (claims.length === 0) return;
  await ctx.tx
    .insertInto("claim_mappers")
    .values(
      claims.map(({ claimId, mapper }) => ({
        ...{ realm_id: realm, claim_id: claimId, name: mapper.claim, name_key: loginKey(mapper.claim) },
        ...{ mapper: JSON.stringify(mapper), created_at: ctx.now },
      })),
    )
    .execute();
  const attached = claims.flatMap(({ scope, claimId }) =>
    scope ? [{ realm_id: realm, scope_id: ids.get(scope)!, claim_id: claimId }] : [],
  );
  if (attached.length > 0) await ctx.tx.insertInto("client_scope_claims").values(attached).execute();
}

/** A scope that came with a later release. A realm that has the first one and not this one gets this one only. */
const LATER = "account";

/**
 * Adds the scopes that are missing in realms of the previous release, and in realms that its nodes create while they still run.
 * Administrators need not look for them.
 */
export async function completeRealms({ db, work }: { readonly db: Db; readonly work: UnitOfWork }): Promise<void> {
  const bare = await db
    .selectFrom("realms as r")
    .select("r.realm_id")
    .where("r.deleted_at", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("client_scopes as s").select("s.name").whereRef("s.realm_id", "=", "r.realm_id").where("s.name", "=", LATER))),
    )
    .limit(AT_ONCE)
    .execute();
  for (const { realm_id: realm } of bare)
    await work.transact({ realm, actor: systemActor(realm), sourceIp: null }, async (ctx) => {
      await lockRealm(ctx.tx, realm); // of two nodes that found it, one does it
      const known = await namesIn(ctx.tx, realm);
      if (known.scopes.has(LATER)) return;
      // Mappers that an administrator has deleted are not restored.
      const there = known.scopes.has(FIRST) ? new Set(scopes.map(({ name }) => name).filter((name) => name !== LATER)) : known.scopes;
      await seed(ctx, realm, there, known.claims);
      await ctx.configChanged();
    });
}

/** The number of realms per run. The others have their turn in the next run. */
const AT_ONCE = 100;

async function namesIn(tx: Tx, realm: string): Promise<{ scopes: ReadonlySet<string>; claims: ReadonlySet<string> }> {
  const scopesThere = await tx.selectFrom("client_scopes").select("name").where("realm_id", "=", realm).execute();
  const claimsThere = await tx
    .selectFrom("claim_mappers")
    .select("name_key")
    .where("realm_id", "=", realm)
    .where("client_id", "is", null)
    .execute();
  return { scopes: new Set(scopesThere.map(({ name }) => name)), claims: new Set(claimsThere.map(({ name_key }) => name_key)) };
}
