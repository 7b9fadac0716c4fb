import type { ResourceServers } from "../../applications/authorization/index.ts";
import type { RealmCache } from "../../platform/cache/index.ts";
import type { Outages } from "../../platform/db/index.ts";
import type { SignInParts } from "../../signin/authenticators/index.ts";
import type { Flows } from "../../signin/flows/index.ts";
import type { Standings } from "../../signin/run/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import type { ClientAuthParts } from "../client-auth/index.ts";
import type { ProofParts } from "../proof/index.ts";
import type { IssuerParts } from "../tokens/index.ts";

/** The dependencies of the token endpoint of one realm, in its current configuration. */
export interface TokenEndpointParts extends SignInParts, IssuerParts, ClientAuthParts, ProofParts {
  readonly realm: IssuerParts["realm"];
  readonly db: SignInParts["db"];
  readonly issuer: string;
  readonly clientKeys: ClientAuthParts["clientKeys"];
  readonly tlsClientCertHeader: string | null;
  readonly realms: RealmSnapshots;
  readonly flows: Flows;
  readonly outages: Outages;
  /** Judges whether a session is sufficient for a request. */
  readonly standings: Standings;
  readonly resourceServers: ResourceServers;
}

export type TokenEndpoints = RealmCache<{ readonly parts: TokenEndpointParts }>;
