import type { SamlClients } from "../../applications/saml-clients/index.ts";
import type { RateLimiter } from "../../platform/rate-limit/index.ts";
import type { SignInParts } from "../../signin/authenticators/index.ts";
import type { Flows } from "../../signin/flows/index.ts";
import type { Visitors } from "../../signin/login/index.ts";
import type { SigningKeys } from "../../tenancy/keys/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";

/** The dependencies of the SAML identity provider, in every realm. */
export interface SamlParts extends SignInParts {
  readonly realms: RealmSnapshots;
  readonly samlClients: SamlClients;
  readonly signingKeys: SigningKeys;
  readonly flows: Flows;
  readonly visitors: Visitors;
  readonly limiter: RateLimiter;
}
