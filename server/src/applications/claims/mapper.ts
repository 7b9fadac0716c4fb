/** Where a claim's value comes from. */
export type ClaimSource = "attribute" | "property" | "roles" | "groups" | "organizations" | "constant" | "session";

/** Where a claim goes. */
export type ClaimTarget = "idToken" | "accessToken" | "userinfo" | "introspection";

/** One claim, as configured: of the realm (attached to scopes) or of one client. */
export interface ClaimMapper {
  readonly claimId: string;
  readonly name: string;
  /** The member of the token; dots nest (`address.country`), `\.` is a dot. */
  readonly claim: string;
  readonly source: ClaimSource;
  /** Which attribute, property, session member or constant; the format of roles, groups and organizations: see schema.ts. */
  readonly value: string | null;
  readonly type: "string" | "number" | "boolean" | "json";
  /** All values as an array, or the first one. */
  readonly multivalued: boolean;
  readonly targets: readonly ClaimTarget[];
}

/** A scope with the claims it brings. */
export interface ClientScopeSnapshot {
  readonly scopeId: string;
  readonly name: string;
  readonly description: string | null;
  readonly consentText: string | null;
  readonly assignment: "DEFAULT" | "OPTIONAL" | "NONE";
  readonly mappers: readonly ClaimMapper[];
}
