import type { Scopes, ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import type { ClientSnapshot, Clients } from "../../applications/clients/index.ts";
import type { RealmCache } from "../../platform/cache/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { RateLimiter } from "../../platform/rate-limit/index.ts";
import type { SignInParts } from "../../signin/authenticators/index.ts";
import type { Flows } from "../../signin/flows/index.ts";
import type { Cookies } from "../../signin/sessions/index.ts";
import type { SigningKeys } from "../../tenancy/keys/index.ts";
import type { RealmSnapshot, RealmSnapshots } from "../../tenancy/realms/index.ts";
import type { ClientActivity } from "./activity.ts";
import type { SubjectOf } from "./subjects.ts";

/** The clients of a realm, also those that are known by a document of their own alone (protocols/registration). */
export interface KnownClients extends Clients {
  /** A user allows it something: from now on it has a row, on which grants and tokens hang. */
  settle(ctx: Ctx, client: ClientSnapshot): Promise<void>;
}

/** What the issuer stands on, in every realm. */
export interface OidcParts extends SignInParts {
  readonly flows: Flows;
  readonly realms: RealmSnapshots;
  readonly clients: KnownClients;
  /** What a realm offers clients that come by themselves, as its discovery document says it. */
  readonly provisioning: RealmCache<{ readonly offered: Readonly<Record<string, unknown>> }>;
  readonly scopes: Scopes;
  readonly signingKeys: SigningKeys;
  readonly outbound: Outbound;
  readonly limiter: RateLimiter;
  readonly cookies: Cookies;
  readonly activity: ClientActivity;
  /** The header in which the proxy tells the client's certificate; null: mutual TLS is off. */
  readonly tlsClientCertHeader: string | null;
  readonly subjectOf: SubjectOf;
  /** The server is about to stop: answers end their connections. */
  isDraining(): boolean;
}

/** The same, of one realm as it is configured now. */
export interface RealmParts extends OidcParts {
  readonly realm: RealmSnapshot;
  readonly issuer: string;
  readonly scopesOfRealm: ScopesSnapshot;
  readonly offered: Readonly<Record<string, unknown>>;
}

export const issuerOf = (baseUrl: string, realm: string): string => `${baseUrl}/realms/${realm}`;
