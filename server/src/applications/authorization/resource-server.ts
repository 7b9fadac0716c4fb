import type { RecordCache } from "../../platform/cache/index.ts";
import type { Model, PermissionModel, PolicyModel } from "./evaluator/index.ts";
import type { AuthzSettingsState } from "./schema.ts";

/** A resource server as checks read it, kept until the realm's configuration changes. Its resources are not part of it. */
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

/** The resource servers by the client's id in the admin API. Null while authorization services are not enabled. */
export type ResourceServers = RecordCache<ResourceServer>;
