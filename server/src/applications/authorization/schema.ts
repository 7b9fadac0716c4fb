import Type, { type Static } from "typebox";
import { creationTime, fitsSchema, nullable, oneOf, pathName, shownText, visiblePathName } from "../../platform/http/index.ts";

const uri = Type.String({ minLength: 1, maxLength: 2048 });
export const description = nullable(Type.String({ maxLength: 1000 }));
export const strategies = ["UNANIMOUS", "AFFIRMATIVE", "CONSENSUS"] as const;

export const scopeName = pathName({
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\s,#\\p{C}\\p{Default_Ignorable_Code_Point}]+$",
  description: "the name of an authorization scope has no spaces, commas, # or invisible characters",
  examples: ["view"],
});
const resourceName = visiblePathName("A resource's name", "/invoices/*");
const resourceType = Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\s\\p{C}]+$", examples: ["invoice"] });
export const isScopeName = fitsSchema(scopeName);
export const isResourceName = fitsSchema(resourceName);
export const isResourceType = fitsSchema(resourceType);
const distinct = <T extends Type.TSchema>(items: T, maxItems: number, options: object = {}) =>
  Type.Array(items, { maxItems, uniqueItems: true, ...options });

const enabled = Type.Boolean({
  description: "True if the client is a resource server. Otherwise every other route of its authorization answers 409",
});
const settingsMembers = {
  enabled,
  policyEnforcementMode: oneOf(["ENFORCING", "PERMISSIVE", "DISABLED"], {
    default: "ENFORCING",
    description:
      "The result if no permission applies: denied (ENFORCING) or granted (PERMISSIVE). DISABLED grants everything to enabled users",
  }),
  decisionStrategy: oneOf(["UNANIMOUS", "AFFIRMATIVE"], {
    default: "UNANIMOUS",
    description: "The decision if several permissions apply: all of them must grant, or one",
  }),
  delegation: oneOf(["intersect", "subject"], {
    default: "intersect",
    description: "The rule for tokens with `act`: what both the subject and the actors may do is allowed, or what the subject alone may do",
  }),
  allowRemoteResourceManagement: Type.Boolean({
    default: true,
    description: "The client may register, change and delete its resources through the UMA protection API",
  }),
  subjectSearch: Type.Boolean({
    default: false,
    description: "The subject search of AuthZEN is offered. It returns ids only. Turning it on needs `view-users`",
  }),
  decisionLogPercent: Type.Number({
    minimum: 0,
    maximum: 100,
    default: 0,
    description: "The percentage of decisions, chosen at random, for which an audit event AUTHZ_DECISION is recorded",
  }),
};
export const AuthzSettings = Type.Object(
  { realmId: Type.String(), clientId: Type.String({ description: "The client's id in the admin API" }), ...settingsMembers },
  { $id: "AuthzSettings" },
);
export type AuthzSettings = Static<typeof AuthzSettings>;
export const UpdateAuthzSettings = Type.Object(
  { ...Type.Partial(AuthzSettings).properties, enabled },
  { $id: "UpdateAuthzSettings", additionalProperties: false },
);
export type UpdateAuthzSettings = Static<typeof UpdateAuthzSettings>;
export type AuthzSettingsState = Static<Type.TObject<typeof settingsMembers>>;

export const defaultSettings: AuthzSettingsState = {
  enabled: false,
  policyEnforcementMode: "ENFORCING",
  decisionStrategy: "UNANIMOUS",
  delegation: "intersect",
  allowRemoteResourceManagement: true,
  subjectSearch: false,
  decisionLogPercent: 0,
};

export const AuthzScope = Type.Object(
  { name: scopeName, displayName: nullable(shownText()), iconUri: nullable(uri), createdAt: creationTime },
  { $id: "AuthzScope" },
);
export type AuthzScope = Static<typeof AuthzScope>;
export const CreateAuthzScope = Type.Object(
  { name: scopeName, displayName: Type.Optional(AuthzScope.properties.displayName), iconUri: Type.Optional(nullable(uri)) },
  { $id: "CreateAuthzScope", additionalProperties: false, examples: [{ name: "view" }] },
);
export type CreateAuthzScope = Static<typeof CreateAuthzScope>;
export const UpdateAuthzScope = Type.Partial(AuthzScope, { $id: "UpdateAuthzScope", additionalProperties: false });
export type UpdateAuthzScope = Static<typeof UpdateAuthzScope>;

const resourceMembers = {
  displayName: nullable(shownText()),
  type: nullable(resourceType),
  uris: distinct(uri, 50),
  scopes: distinct(scopeName, 100, { description: "Authorization scopes of the client" }),
  iconUri: nullable(uri),
  owner: nullable(Type.String({ minLength: 1, maxLength: 320, description: "The owner, by username or id. If null, the client itself" })),
  ownerManagedAccess: Type.Boolean({ default: false, description: "The owner may do everything with it, and share it" }),
  attributes: Type.Record(Type.String({ minLength: 1, maxLength: 128 }), Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 50 }), {
    maxProperties: 50,
  }),
};
export const AuthzResource = Type.Object(
  { resourceId: Type.String({ format: "uuid" }), name: resourceName, ...resourceMembers, createdAt: creationTime },
  { $id: "AuthzResource" },
);
export type AuthzResource = Static<typeof AuthzResource>;
export const CreateAuthzResource = Type.Object(
  { name: resourceName, ...Type.Partial(Type.Object(resourceMembers)).properties },
  { $id: "CreateAuthzResource", additionalProperties: false, examples: [{ name: "/invoices/*", uris: ["/invoices/*"] }] },
);
export type CreateAuthzResource = Static<typeof CreateAuthzResource>;
export const UpdateAuthzResource = Type.Partial(AuthzResource, { $id: "UpdateAuthzResource", additionalProperties: false });
export type UpdateAuthzResource = Static<typeof UpdateAuthzResource>;

const permissionName = visiblePathName("A permission's name", "Staff view invoices");
const permissionMembers = {
  description,
  decisionStrategy: oneOf(strategies, { default: "UNANIMOUS" }),
  resources: distinct(Type.String({ minLength: 1, maxLength: 255 }), 100, { description: "Resources by name, or by id" }),
  resourceType: nullable(resourceType),
  scopes: distinct(scopeName, 100),
  policies: distinct(Type.String({ minLength: 1, maxLength: 255 }), 100, {
    description: "Policies by name. A permission without policies denies",
  }),
};
export const AuthzPermission = Type.Object(
  { name: permissionName, type: oneOf(["resource", "scope"]), ...permissionMembers, createdAt: creationTime },
  { $id: "AuthzPermission" },
);
export type AuthzPermission = Static<typeof AuthzPermission>;
export const CreateAuthzPermission = Type.Object(
  { name: permissionName, type: oneOf(["resource", "scope"]), ...Type.Partial(Type.Object(permissionMembers)).properties },
  {
    $id: "CreateAuthzPermission",
    additionalProperties: false,
    examples: [{ name: "All may view", type: "resource", resourceType: "invoice", policies: [] }],
  },
);
export type CreateAuthzPermission = Static<typeof CreateAuthzPermission>;
export const UpdateAuthzPermission = Type.Partial(AuthzPermission, { $id: "UpdateAuthzPermission", additionalProperties: false });
export type UpdateAuthzPermission = Static<typeof UpdateAuthzPermission>;
