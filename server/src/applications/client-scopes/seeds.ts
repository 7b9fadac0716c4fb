import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import type { ClaimMapper, ClaimTarget, MapperState } from "../claims/index.ts";
import type { ClientScope } from "./schema.ts";

/** What every realm begins with. Migration 0004 gave the same to the realms that were there before it. */
const scopes: readonly (Pick<ClientScope, "name" | "description" | "assignment"> & { readonly builtIn?: true })[] = [
  { name: "openid", description: "Sign in", assignment: "DEFAULT", builtIn: true },
  { name: "profile", description: "Name and other details of the profile", assignment: "DEFAULT" },
  { name: "email", description: "Mail address", assignment: "DEFAULT" },
  { name: "roles", description: "Roles in the realm and in its applications", assignment: "DEFAULT" },
  { name: "address", description: "Postal address", assignment: "OPTIONAL" },
  { name: "phone", description: "Phone number", assignment: "OPTIONAL" },
  { name: "offline_access", description: "Access while the user is not signed in", assignment: "OPTIONAL", builtIn: true },
  { name: "groups", description: "Groups", assignment: "OPTIONAL" },
  { name: "organizations", description: "Organizations", assignment: "OPTIONAL" },
];

interface Seed extends MapperState {
  /** Null: there to be attached. */
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

/** OpenID Connect Core §5.4, and who somebody is in the realm; each named as its claim. */
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
  // For programs that were written for Keycloak: one PUT attaches it.
  list(null, "realm_access.roles", "roles", "realm"),
  list("groups", "groups", "groups", "path"),
  list("organizations", "organizations", "organizations", "alias"),
];

/** `realm.created` */
export async function seedScopes(ctx: Ctx, { realm }: { readonly realm: string }): Promise<void> {
  const ids = new Map(scopes.map(({ name }) => [name, newId()]));
  await ctx.tx
    .insertInto("client_scopes")
    .values(
      scopes.map(({ name, description, assignment, builtIn = false }) => ({
        ...{ realm_id: realm, scope_id: ids.get(name)!, name, description, consent_text: null },
        ...{ assignment, built_in: builtIn, created_at: ctx.now },
      })),
    )
    .execute();
  const claims = mappers.map(({ scope, ...mapper }) => ({ scope, claimId: newId(), mapper }));
  await ctx.tx
    .insertInto("claim_mappers")
    .values(
      claims.map(({ claimId, mapper }) => ({
        ...{ realm_id: realm, claim_id: claimId, name: mapper.claim, name_key: loginKey(mapper.claim) },
        ...{ mapper: JSON.stringify(mapper), created_at: ctx.now },
      })),
    )
    .execute();
  await ctx.tx
    .insertInto("client_scope_claims")
    .values(claims.flatMap(({ scope, claimId }) => (scope ? [{ realm_id: realm, scope_id: ids.get(scope)!, claim_id: claimId }] : [])))
    .execute();
}
