import { addTo } from "../../../kernel/lists.ts";
import type { AttributeConfig } from "./attribute.ts";
import type { TimeConfig } from "./time.ts";
import type { Strategy } from "./verdict.ts";

export const policyTypes = ["role", "user", "client", "group", "client-scope", "time", "regex", "attribute", "aggregate"] as const;
export type PolicyType = (typeof policyTypes)[number];

/** A role, user, client, group or client scope that a policy names, by its id. */
export interface Entry {
  readonly id: string;
  /** True for a role or scope that the subject must have. Without any required one, one of all is enough. */
  readonly required: boolean;
  /** For groups: true if members of the groups below it count too. */
  readonly extendChildren: boolean;
  /** True if the object was deleted, so it is undecided whether the subject had it. */
  readonly isLost: boolean;
}

export interface RegexConfig {
  readonly targetClaim: string;
  readonly pattern: string;
  /** True if the claim is read from the pushed claims of the request, instead of the subject. */
  readonly targetContextAttributes: boolean;
}

export interface PolicyConfig extends TimeConfig, Partial<RegexConfig>, Partial<AttributeConfig> {
  /** The names of policies, for aggregates. */
  readonly policies?: readonly string[];
}

export interface PolicyModel {
  readonly name: string;
  readonly type: PolicyType;
  readonly logic: "POSITIVE" | "NEGATIVE";
  readonly decisionStrategy: Strategy;
  readonly entries: readonly Entry[];
  readonly config: PolicyConfig;
}

export interface PermissionModel {
  readonly name: string;
  readonly type: "resource" | "scope";
  readonly decisionStrategy: Strategy;
  /** The ids of resources. */
  readonly resources: readonly string[];
  /**
   * True for a scope permission for every resource. A permission without resources may be another case, because those that it named may
   * have been deleted.
   */
  readonly isGeneral: boolean;
  readonly resourceType: string | null;
  readonly scopes: readonly string[];
  readonly policies: readonly string[];
}

export interface ModelSettings {
  readonly policyEnforcementMode: "ENFORCING" | "PERMISSIVE" | "DISABLED";
  readonly decisionStrategy: "UNANIMOUS" | "AFFIRMATIVE";
}

/** The policies of one resource server, indexed by the resources, types and scopes that permissions name. */
export interface Model {
  readonly settings: ModelSettings;
  readonly policies: ReadonlyMap<string, PolicyModel>;
  readonly byResource: ReadonlyMap<string, readonly PermissionModel[]>;
  readonly byType: ReadonlyMap<string, readonly PermissionModel[]>;
  /** The scope permissions for every resource. */
  readonly byScope: ReadonlyMap<string, readonly PermissionModel[]>;
}

export function modelOf(settings: ModelSettings, policies: readonly PolicyModel[], permissions: readonly PermissionModel[]): Model {
  const index = (keysOf: (permission: PermissionModel) => readonly string[]) => {
    const found = new Map<string, PermissionModel[]>();
    for (const permission of permissions) for (const key of keysOf(permission)) addTo(found, key, permission);
    return found;
  };
  return {
    settings,
    policies: new Map(policies.map((policy) => [policy.name, policy])),
    byResource: index(({ resources }) => resources),
    byType: index(({ resourceType }) => (resourceType === null ? [] : [resourceType])),
    byScope: index(({ isGeneral, scopes }) => (isGeneral ? scopes : [])),
  };
}
