import Type, { type Static } from "typebox";
import { oneOf, visibleName } from "../../platform/http/index.ts";
import { permissions } from "../../tenancy/permissions/index.ts";

const name = visibleName("a role's name", "billing");
const description = Type.Union([Type.String({ maxLength: 1000 }), Type.Null()]);
const compositeRoles = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 1000,
  description: "Names of the roles that this one includes: whoever holds it holds them, too",
});

export const Role = Type.Object(
  {
    realmId: Type.String(),
    roleId: Type.String({ format: "uuid" }),
    name: Type.String(),
    description,
    default: Type.Boolean({ description: "Given to every new user" }),
    compositeRoles: Type.Array(Type.String(), { description: "Names of the roles that this one includes" }),
    createdAt: Type.Integer({ description: "Epoch milliseconds" }),
  },
  { $id: "Role" },
);
export type Role = Static<typeof Role>;

export const CreateRole = Type.Object(
  { name, description: Type.Optional(description), compositeRoles: Type.Optional(compositeRoles) },
  { $id: "CreateRole", additionalProperties: false },
);
export type CreateRole = Static<typeof CreateRole>;

/** The full state; roles that are not named at all stay included. */
export const UpdateRole = Type.Object(
  { ...Type.Partial(Role).properties, name, compositeRoles: Type.Optional(compositeRoles) },
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

/** How a user comes by a role. */
const RoleOrigin = Type.Object(
  {
    type: oneOf(["direct", "group", "composite"]),
    id: Type.Union([Type.String({ format: "uuid" }), Type.Null()], {
      description: "Of the group that grants it, or of the role that includes it; null where the user was given it directly",
    }),
    name: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: "RoleOrigin" },
);

export const RoleMapping = Type.Object(
  {
    roleId: Type.String({ format: "uuid" }),
    name: Type.String(),
    direct: Type.Boolean({ description: "Given to this very user: only such a role can be taken from the user here" }),
    default: Type.Boolean({ description: "The realm's default role" }),
    origins: Type.Array(RoleOrigin, { description: "Every way by which the user comes by it" }),
  },
  { $id: "RoleMapping" },
);
export type RoleMapping = Static<typeof RoleMapping>;

export const AssignRole = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 255 }) },
  { $id: "AssignRole", additionalProperties: false },
);
