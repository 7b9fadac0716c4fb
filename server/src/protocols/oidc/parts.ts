import type { Scopes } from "../../applications/client-scopes/index.ts";
import type { ClientSnapshot, Clients } from "../../applications/clients/index.ts";
import type { RealmCache } from "../../platform/cache/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { RateLimiter } from "../../platform/rate-limit/index.ts";
import type { Cookies } from "../../signin/sessions/index.ts";
import type { DecryptionKeys } from "../../tenancy/keys/index.ts";
import type { TokenEndpointParts } from "../token-endpoint/index.ts";

/** The clients of a realm, also those that are known by a document of their own alone (protocols/registration). */
export interface KnownClients extends Clients {
  /** A user allows it something: from now on it has a row, on which grants and tokens hang. */
  store(ctx: Ctx, client: ClientSnapshot): Promise<void>;
}

/** What the issuer of one realm works with, as the realm is configured now. */
export interface RealmParts extends TokenEndpointParts {
  readonly clients: KnownClients;
  readonly decryptionKeys: DecryptionKeys;
  /** Where clients are asked for certificates; null: at the issuer itself. */
  readonly mtlsBaseUrl: string | null;
  readonly outbound: Outbound;
  readonly limiter: RateLimiter;
  readonly cookies: Cookies;
  /** What the realm offers clients that come by themselves, as its discovery document says it. */
  readonly offered: Readonly<Record<string, unknown>>;
  /** The server is about to stop: answers end their connections. */
  isDraining(): boolean;
}

/** What issuers stand on, in every realm. */
export interface OidcParts extends Omit<RealmParts, "realm" | "issuer" | "scopesOfRealm" | "offered"> {
  readonly scopes: Scopes;
  readonly provisioning: RealmCache<{ readonly offered: Readonly<Record<string, unknown>> }>;
}
