import Type, { type Static } from "typebox";
import { oneOf } from "../../platform/http/index.ts";
import { permissions } from "../../tenancy/permissions/index.ts";

const name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\p{C}\\s]([^\\p{C}]*[^\\p{C}\\s])?$",
  description: "a role's name has no control or invisible characters and no space at either end",
  examples: ["billing"],
});
const description = Type.Union([Type.String({ maxLength: 1000 }), Type.Null()]);

export const Role = Type.Object(
  {
    realmId: Type.String(),
    roleId: Type.String({ format: "uuid" }),
    name: Type.String(),
    description,
    default: Type.Boolean({ description: "Given to every new user" }),
    createdAt: Type.Integer({ description: "Epoch milliseconds" }),
  },
  { $id: "Role" },
);
export type Role = Static<typeof Role>;

export const CreateRole = Type.Object(
  { name, description: Type.Optional(description) },
  { $id: "CreateRole", additionalProperties: false },
);
export type CreateRole = Static<typeof CreateRole>;

export const UpdateRole = Type.Object({ ...Type.Partial(Role).properties, name }, { $id: "UpdateRole", additionalProperties: false });
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
export const RoleMapping = Type.Object({ roleId: Type.String({ format: "uuid" }), name: Type.String() }, { $id: "RoleMapping" });
export type RoleMapping = Static<typeof RoleMapping>;

export const AssignRole = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 255 }) },
  { $id: "AssignRole", additionalProperties: false },
);
