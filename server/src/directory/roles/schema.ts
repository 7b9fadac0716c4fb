import Type, { type Static } from "typebox";
import { creationTime, nullable, oneOf, visiblePathName } from "../../platform/http/index.ts";
import type { ShortList } from "../../platform/paging/index.ts";
import { permissions } from "../../tenancy/permissions/index.ts";

const name = visiblePathName("a role's name", "billing");
const description = nullable(Type.String({ maxLength: 1000 }));
const compositeRoles = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 1000,
  description: "The names of the roles that this role includes. Its holders have them, too",
});
const ClientRoleName = Type.Object(
  { clientId: Type.String({ minLength: 1, maxLength: 255 }), name: Type.String({ minLength: 1, maxLength: 255 }) },
  { $id: "ClientRoleName", additionalProperties: false },
);
const compositeClientRoles = Type.Array(ClientRoleName, {
  maxItems: 1000,
  description: "The client roles that this role includes, each with the OAuth client id",
});

export const Role = Type.Object(
  {
    realmId: Type.String(),
    roleId: Type.String({ format: "uuid" }),
    name: Type.String(),
    description,
    default: Type.Boolean({ description: "True if every new user gets the role" }),
    compositeRoles: Type.Array(Type.String(), { description: "The names of the roles that this role includes" }),
    compositeClientRoles: Type.Array(ClientRoleName, { description: "The client roles that this role includes" }),
    createdAt: creationTime,
  },
  { $id: "Role" },
);
export type Role = Static<typeof Role>;

export const CreateRole = Type.Object(
  {
    name,
    description: Type.Optional(description),
    compositeRoles: Type.Optional(compositeRoles),
    compositeClientRoles: Type.Optional(compositeClientRoles),
  },
  { $id: "CreateRole", additionalProperties: false },
);
export type CreateRole = Static<typeof CreateRole>;

/** The full state of a role: without `compositeRoles` it includes no role of the realm, without `compositeClientRoles` none of a client. */
export const UpdateRole = Type.Object(
  {
    ...Type.Partial(Role).properties,
    name,
    compositeRoles: Type.Optional(compositeRoles),
    compositeClientRoles: Type.Optional(compositeClientRoles),
  },
  { $id: "UpdateRole", additionalProperties: false },
);
export type UpdateRole = Static<typeof UpdateRole>;

const permission = oneOf(permissions);

export const AdminRole = Type.Object(
  { realmId: Type.String(), roleId: Type.String({ format: "uuid" }), roleName: Type.String(), permissions: Type.Array(permission) },
  { $id: "AdminRole" },
);
export type AdminRole = Static<typeof AdminRole>;

export const UpdateAdminRole = Type.Object(
  { ...Type.Partial(AdminRole).properties, permissions: Type.Array(permission, { uniqueItems: true, maxItems: permissions.length }) },
  { $id: "UpdateAdminRole", additionalProperties: false },
);
export type UpdateAdminRole = Static<typeof UpdateAdminRole>;

export const CataloguedPermission = Type.Object({ key: permission, label: Type.String() }, { $id: "Permission" });

/** The way in which a user got a role. */
const RoleOrigin = Type.Object(
  {
    type: oneOf(["direct", "group", "composite"]),
    id: nullable(
      Type.String({ format: "uuid" }),
      "The id of the group that grants it, or of the role that includes it. Null if the user has it directly",
    ),
    name: nullable(Type.String()),
  },
  { $id: "RoleOrigin" },
);

export const RoleMapping = Type.Object(
  {
    roleId: Type.String({ format: "uuid" }),
    name: Type.String(),
    clientId: nullable(Type.String(), "The id of the client that the role belongs to. Null for a role of the realm"),
    direct: Type.Boolean({
      description: "True if the role was given to the user directly. Only such a role can be removed from the user here",
    }),
    default: Type.Boolean({ description: "True for the realm's default role" }),
    origins: Type.Array(RoleOrigin, { description: "Every way in which the user has the role" }),
  },
  { $id: "RoleMapping" },
);
export type RoleMapping = Static<typeof RoleMapping>;

/** The order and search of the roles of a user, group, client or composite, which are paged in memory. */
export const givenRoles: ShortList<{ readonly roleId: string; readonly name: string }> = {
  sorts: { name: ({ name }) => name },
  names: ({ name }) => [name],
  ids: ({ roleId }) => [roleId],
};

/** The form in which a request names a role. */
export const roleNameMembers = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  clientId: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 255 }), "The client id of a client role. Null or omitted for a role of the realm"),
  ),
};

export const AssignRole = Type.Object(roleNameMembers, { $id: "AssignRole", additionalProperties: false });
