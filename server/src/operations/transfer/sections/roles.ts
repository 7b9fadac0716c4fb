import Type from "typebox";
import {
  adminRoles,
  CreateRole,
  createRole,
  findRole,
  grantPermissions,
  listRoles,
  makeDefault,
  removeRole,
  saveRole,
  UpdateAdminRole,
} from "../../../directory/roles/index.ts";
import type { Permission } from "../../../tenancy/permissions/index.ts";
import { isSame } from "../compare.ts";
import { everyRow, type Item, type Section } from "../section.ts";

const schema = Type.Object(
  {
    ...CreateRole.properties,
    default: Type.Optional(Type.Boolean({ description: "Given to every new user; exactly one role is" })),
    permissions: Type.Optional(UpdateAdminRole.properties.permissions),
  },
  { additionalProperties: false },
);

interface RoleItem {
  readonly name: string;
  readonly description?: string | null;
  readonly default?: boolean;
  readonly compositeRoles?: string[];
  readonly compositeClientRoles?: { clientId: string; name: string }[];
  readonly permissions?: Permission[];
}
const roleOf = (item: Item) => item as unknown as RoleItem;

export const roles: Section = {
  name: "roles",
  tables: ["roles", "role_composites", "role_closure", "role_permissions"],
  permission: { read: "view-users", write: "manage-roles" },
  schema,
  keyOf: (item) => roleOf(item).name,
  ignoresCase: true,
  parts: ["permissions", "default"],
  defaults: () => ({ description: null, compositeRoles: [], compositeClientRoles: [] }),
  async read(ctx) {
    const rows = await everyRow(ctx, (read, query) => listRoles(read.tx, read.realm, query));
    const ids = rows.map(({ roleId }) => roleId);
    const granted = new Map((await adminRoles(ctx.tx, ctx.realm, ids)).map(({ roleId, permissions }) => [roleId, permissions]));
    return rows.map(({ roleId, name, description, compositeRoles, compositeClientRoles, default: isDefault }) => {
      const permissions = granted.get(roleId) ?? [];
      const item = { name, description, compositeRoles, compositeClientRoles, permissions, ...(isDefault && { default: true }) };
      return { key: name, id: roleId, item, isBuiltIn: isDefault || permissions.includes("realm-admin") };
    });
  },
  create: async (ctx, _tools, item) => (await createRole(ctx, { name: roleOf(item).name })).roleId,
  async update() {}, // done in `link`, when every role that it may include exists
  async link(ctx, _tools, id, item, current) {
    const { name, description = null, compositeRoles = [], compositeClientRoles = [], permissions, default: isDefault } = roleOf(item);
    const now = (await findRole(ctx.tx, ctx.realm, id))!;
    const state = { name, description, compositeRoles, compositeClientRoles };
    if (!isSame(state, { ...state, name: now.name, description: now.description, ...compositesOf(now) })) await saveRole(ctx, id, state);
    const granted = current ? roleOf(current.item).permissions : [];
    if (permissions && !isSame([...permissions].sort(), granted)) await grantPermissions(ctx, id, { permissions });
    if (isDefault && !now.default) await makeDefault(ctx, id);
  },
  remove: (ctx, _tools, { id }) => removeRole(ctx, id),
};

const compositesOf = (role: Required<Pick<RoleItem, "compositeRoles" | "compositeClientRoles">>) => ({
  compositeRoles: role.compositeRoles,
  compositeClientRoles: role.compositeClientRoles,
});
