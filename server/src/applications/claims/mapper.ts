import type { ClaimSourceName } from "./sources/index.ts";
import type { ClaimType } from "./sources/source.ts";

/** The places in which a claim can appear. */
export type ClaimTarget = "idToken" | "accessToken" | "userinfo" | "introspection";

/** One claim, as configured: of the realm (attached to scopes) or of one client. */
export interface ClaimMapper {
  readonly claimId: string;
  readonly name: string;
  /** The member of the token. Dots nest (`address.country`), `\.` is a dot. */
  readonly claim: string;
  readonly source: ClaimSourceName;
  /** The attribute, property, constant, form or other choice of the source. Null means its first choice. */
  readonly value: string | null;
  readonly type: ClaimType;
  /** True to write all values as an array, false to write the first one. */
  readonly multivalued: boolean;
  readonly targets: readonly ClaimTarget[];
}

/** A scope with its claims. */
export interface ClientScopeSnapshot {
  readonly scopeId: string;
  readonly name: string;
  readonly description: string | null;
  readonly consentText: string | null;
  readonly assignment: "DEFAULT" | "OPTIONAL" | "NONE";
  readonly mappers: readonly ClaimMapper[];
}
