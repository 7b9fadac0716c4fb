import type { Scopes } from "../../applications/client-scopes/index.ts";
import type { RealmCache } from "../../platform/cache/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { RateLimiter } from "../../platform/rate-limit/index.ts";
import type { Cookies } from "../../signin/sessions/index.ts";
import type { DecryptionKeys } from "../../tenancy/keys/index.ts";
import type { DocumentClients } from "../registration/index.ts";
import type { TokenEndpointParts } from "../token-endpoint/index.ts";

/** The dependencies of the issuer of one realm, in its current configuration. */
export interface RealmParts extends TokenEndpointParts {
  readonly clients: DocumentClients;
  readonly decryptionKeys: DecryptionKeys;
  readonly outbound: Outbound;
  readonly limiter: RateLimiter;
  readonly cookies: Cookies;
  /** The discovery members for dynamic registration and metadata documents. */
  readonly offered: Readonly<Record<string, unknown>>;
  /** Tells whether the server is shutting down, so that responses close their connections. */
  isDraining(): boolean;
}

/** The dependencies that all realms share. */
export interface OidcParts extends Omit<RealmParts, "realm" | "issuer" | "scopesOfRealm" | "offered"> {
  readonly scopes: Scopes;
  readonly provisioning: RealmCache<{ readonly offered: Readonly<Record<string, unknown>> }>;
}
