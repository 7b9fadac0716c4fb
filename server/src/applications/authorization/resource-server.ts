import type { RecordCache } from "../../platform/cache/index.ts";
import type { Model, PermissionModel, PolicyModel } from "./evaluator/index.ts";
import type { AuthzSettingsState } from "./schema.ts";

/** A resource server as checks meet it: read once, kept until the realm's configuration changes. Its resources are not in it. */
export interface ResourceServer {
  readonly realm: string;
  /** The client's id in the admin API. */
  readonly client: string;
  readonly clientId: string;
  readonly settings: AuthzSettingsState;
  readonly scopes: ReadonlySet<string>;
  readonly policies: readonly PolicyModel[];
  readonly permissions: readonly PermissionModel[];
  readonly model: Model;
}

/** By the client's id in the admin API; null while authorization services are not enabled. */
export type ResourceServers = RecordCache<ResourceServer>;
