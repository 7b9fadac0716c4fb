import type { Clients } from "../../applications/clients/index.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { RealmCache } from "../../platform/cache/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { Flows } from "../../signin/flows/index.ts";
import type { Standings } from "../../signin/run/index.ts";
import type { IssuerParts } from "../tokens/index.ts";

/** The dependencies of the device flow and CIBA in one realm. */
export interface DecoupledParts extends IssuerParts {
  readonly clients: Clients;
  readonly vault: Vault;
  readonly outbound: Outbound;
  readonly flows: Flows;
  /** Judges whether a session is sufficient for a request. */
  readonly standings: Standings;
}

export type DecoupledIssuers = RealmCache<{ readonly parts: DecoupledParts }>;
