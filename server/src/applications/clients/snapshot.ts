import type { ClaimMapper } from "../claims/index.ts";
import type { GrantType } from "./grant-types.ts";
import type { ClientSettings } from "./schema.ts";

/** The agent that a client belongs to (applications/agents). */
export interface ClientAgent {
  readonly id: string;
  /** Its tokens have no more; empty: those of the client. */
  readonly scopes: readonly string[];
  /** The state at the time of the snapshot. Issuing a token reads it again. */
  readonly isActive: boolean;
  readonly expiresAt: number | null;
}

/** A client as protocols meet it: immutable, with its secrets open, cached until the realm's configuration changes. */
export interface ClientSnapshot {
  readonly realmId: string;
  /** The id in paths of the admin API. */
  readonly id: string;
  /** The OAuth client id. */
  readonly clientId: string;
  readonly name: string | null;
  readonly enabled: boolean;
  /** Its tokens of an earlier epoch do not count: it was disabled since, or is another client of the same name. */
  readonly tokenEpoch: number;
  readonly publicClient: boolean;
  /** The valid secrets: the current one, and the one before it while a rotation overlaps. */
  readonly secrets: readonly { readonly value: string; readonly until: number | null }[];
  readonly grantTypes: readonly GrantType[];
  readonly redirectUris: readonly string[];
  readonly webOrigins: readonly string[];
  /** The configured scopes; empty: the realm's (see decision 7). */
  readonly scopes: readonly string[];
  /** The scopes that a workload credential limits the client to; undefined: no further limit. */
  readonly scopeLimit?: readonly string[];
  readonly allowedResources: readonly string[];
  /** Null: no agent's. */
  readonly agent: ClientAgent | null;
  readonly settings: ClientSettings;
  /** The client's own mappers. */
  readonly mappers: readonly ClaimMapper[];
}

/** Tells whether a client may be used at all: it is enabled, and its agent is active. */
export const isUsable = ({ enabled, agent }: Pick<ClientSnapshot, "enabled" | "agent">, now: number): boolean =>
  enabled && (agent === null || (agent.isActive && (agent.expiresAt === null || agent.expiresAt > now)));

/** As the audit trail names a client that acts in its own name. */
export const kindOfClient = ({ agent }: Pick<ClientSnapshot, "agent">): "agent" | "client" => (agent === null ? "client" : "agent");
