import type { ClaimMapper } from "../claims/index.ts";
import type { GrantType } from "./grant-types.ts";
import type { ClientSettings } from "./schema.ts";

/** The agent to which a client belongs (applications/agents). */
export interface ClientAgent {
  readonly id: string;
  /** The scopes that limit its tokens. Empty means those of the client. */
  readonly scopes: readonly string[];
  /** The state at the time of the snapshot. It is read again when a token is issued. */
  readonly isActive: boolean;
  readonly expiresAt: number | null;
}

/** A client as protocols use it: immutable, with its secrets decrypted, cached until the realm's configuration changes. */
export interface ClientSnapshot {
  readonly realmId: string;
  /** The id in paths of the admin API. */
  readonly id: string;
  /** The OAuth client id. */
  readonly clientId: string;
  readonly name: string | null;
  readonly enabled: boolean;
  /** Tokens of an earlier epoch do not count: the client was disabled since, or is another client of the same name. */
  readonly tokenEpoch: number;
  readonly publicClient: boolean;
  /** The valid secrets: the current one, and the one before it while a rotation overlaps. */
  readonly secrets: readonly { readonly value: string; readonly until: number | null }[];
  readonly grantTypes: readonly GrantType[];
  readonly redirectUris: readonly string[];
  readonly webOrigins: readonly string[];
  /** The configured scopes. Empty means the realm's (see decision 7). */
  readonly scopes: readonly string[];
  /** The scopes to which a workload credential limits the client. Undefined means no further limit. */
  readonly scopeLimit?: readonly string[];
  readonly allowedResources: readonly string[];
  /** Null if it belongs to no agent. */
  readonly agent: ClientAgent | null;
  readonly settings: ClientSettings;
  /** The client's own mappers. */
  readonly mappers: readonly ClaimMapper[];
}

/** Tells whether a client may be used at all: it is enabled, and its agent is active. */
export const isUsable = ({ enabled, agent }: Pick<ClientSnapshot, "enabled" | "agent">, now: number): boolean =>
  enabled && (agent === null || (agent.isActive && (agent.expiresAt === null || agent.expiresAt > now)));

/** Returns the kind of actor for the audit trail, for a client that acts in its own name. */
export const kindOfClient = ({ agent }: Pick<ClientSnapshot, "agent">): "agent" | "client" => (agent === null ? "client" : "agent");
