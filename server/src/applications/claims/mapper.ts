import type { ClaimSourceName } from "./sources/index.ts";
import type { ClaimType } from "./sources/source.ts";

/** The places of a claim. */
export type ClaimTarget = "idToken" | "accessToken" | "userinfo" | "introspection";

/** One claim, as configured: of the realm (attached to scopes) or of one client. */
export interface ClaimMapper {
  readonly claimId: string;
  readonly name: string;
  /** The member of the token; dots nest (`address.country`), `\.` is a dot. */
  readonly claim: string;
  readonly source: ClaimSourceName;
  /** The attribute, property, constant, form or other choice of the source. Null: its first choice. */
  readonly value: string | null;
  readonly type: ClaimType;
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
