import type { Logger } from "pino";
import type { DirectoryPasswords, PasswordSource } from "../../directory/credentials/index.ts";
import type { BrokerParts, EntryChecks } from "../../federation/index.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import type { BreachedPasswords, PasswordHasher } from "../../platform/passwords/index.ts";
import type { Places } from "../../platform/places.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { Messages } from "../../tenancy/messaging/index.ts";
import type { PasswordUpgrades } from "./password-upgrades.ts";

/** The dependencies of sign-in steps. */
export interface SignInParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly metrics: Metrics;
  readonly vault: Vault;
  readonly hasher: PasswordHasher;
  readonly breaches: BreachedPasswords;
  readonly messages: Messages;
  readonly places: Places;
  readonly sources: readonly PasswordSource[];
  readonly directoryPasswords: DirectoryPasswords;
  readonly entryChecks: EntryChecks;
  readonly upgrades: PasswordUpgrades;
  readonly brokers: BrokerParts;
  readonly baseUrl: string;
  readonly log: Logger;
}
