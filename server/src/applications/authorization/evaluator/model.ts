import type { AttributeConfig } from "./attribute.ts";
import type { TimeConfig } from "./time.ts";
import type { Strategy } from "./verdict.ts";

export const policyTypes = ["role", "user", "client", "group", "client-scope", "time", "regex", "attribute", "aggregate"] as const;
export type PolicyType = (typeof policyTypes)[number];

/** A role, user, client, group or client scope that a policy names, by its id. */
export interface Entry {
  readonly id: string;
  /** Every `required` role or scope must be there, and one of all. */
  readonly required: boolean;
  /** Groups: members of the groups below it, too. */
  readonly extendChildren: boolean;
  /** The object was deleted, so it is undecided whether the subject had it. */
  readonly isLost: boolean;
}

export interface RegexConfig {
  readonly targetClaim: string;
  readonly pattern: string;
  /** The claim is read from what the request pushed, instead of the subject. */
  readonly targetContextAttributes: boolean;
}

export interface PolicyConfig extends TimeConfig, Partial<RegexConfig>, Partial<AttributeConfig> {
  /** Aggregates: names. */
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
  /** Ids. */
  readonly resources: readonly string[];
  /** A scope permission for every resource. Not the same as naming none: those that it named may have been deleted. */
  readonly isGeneral: boolean;
  readonly resourceType: string | null;
  readonly scopes: readonly string[];
  readonly policies: readonly string[];
}

export interface ModelSettings {
  readonly policyEnforcementMode: "ENFORCING" | "PERMISSIVE" | "DISABLED";
  readonly decisionStrategy: "UNANIMOUS" | "AFFIRMATIVE";
}

/** The policies of one resource server, indexed by what permissions name. */
export interface Model {
  readonly settings: ModelSettings;
  readonly policies: ReadonlyMap<string, PolicyModel>;
  readonly byResource: ReadonlyMap<string, readonly PermissionModel[]>;
  readonly byType: ReadonlyMap<string, readonly PermissionModel[]>;
  /** Scope permissions for every resource. */
  readonly byScope: ReadonlyMap<string, readonly PermissionModel[]>;
}

export function modelOf(settings: ModelSettings, policies: readonly PolicyModel[], permissions: readonly PermissionModel[]): Model {
  const index = (keysOf: (permission: PermissionModel) => readonly string[]) => {
    const found = new Map<string, PermissionModel[]>();
    for (const permission of permissions) for (const key of keysOf(permission)) found.set(key, [...(found.get(key) ?? []), permission]);
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
