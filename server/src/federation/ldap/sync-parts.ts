import type { Vault } from "../../kernel/vault.ts";
import type { Actor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { DirectoryMetrics } from "./metrics.ts";
import type { DirectoryPools } from "./pools.ts";

export interface SyncParts {
  /** Connections for background work, which have longer deadlines. */
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly vault: Vault;
  readonly pools: DirectoryPools;
  readonly metrics: DirectoryMetrics;
  readonly log: { warn(fields: object, message: string): void };
}

export interface SyncOptions {
  readonly full: boolean;
  readonly dryRun: boolean;
  /** True to disable users even if suspiciously many are gone. */
  readonly confirm: boolean;
  readonly actor: Actor;
  readonly sourceIp: string | null;
}
