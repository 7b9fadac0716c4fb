import Type from "typebox";
import {
  createGroup,
  existingGroups,
  findGroupId,
  GROUP_PATH,
  grantRole,
  groupPath,
  namesInPath,
  removeGroup,
  rolesOfGroup,
  rolesOfGroups,
  saveGroup,
  searchGroups,
  withdrawRole,
} from "../../../directory/groups/index.ts";
import type { MappedRole } from "../../../directory/roles/index.ts";
import { invalidFields } from "../../../kernel/errors.ts";
import { isId } from "../../../kernel/ids.ts";
import { loginKey } from "../../../kernel/text.ts";
import type { ReadCtx } from "../../../platform/context.ts";
import { nullable } from "../../../platform/http/index.ts";
import { organizationsOfGroups, replaceGroupOwner } from "../../../protocols/scim/index.ts";
import { everyRow, type Item, type Section } from "../section.ts";

export const clientRoleNames = Type.Array(
  Type.Object(
    { clientId: Type.String({ minLength: 1, maxLength: 255 }), name: Type.String({ minLength: 1, maxLength: 255 }) },
    { additionalProperties: false },
  ),
  { maxItems: 1000 },
);
export const roleNames = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 1000 });

export const namesOf = (given: readonly MappedRole[]) => given.filter(({ clientId }) => clientId === null).map(({ name }) => name);
export const clientNamesOf = (given: readonly MappedRole[]) =>
  given.flatMap(({ clientId, name }) => (clientId === null ? [] : [{ clientId, name }]));

interface GroupItem {
  readonly path: string;
  readonly description?: string | null;
  readonly roles?: string[];
  readonly clientRoles?: { clientId: string; name: string }[];
  readonly organization?: string | null;
}
const groupOf = (item: Item) => item as unknown as GroupItem;

/** Returns the path of the group above, and the group's own name. */
function splitPath(path: string): { readonly above: string; readonly name: string } {
  const names = namesInPath(path);
  return { above: groupPath(names.slice(0, -1)), name: names.at(-1)! };
}

async function idAt(ctx: ReadCtx, path: string): Promise<string | null> {
  if (path === "") return null;
  const id = await findGroupId(ctx.tx, ctx.realm, path);
  if (id === null) throw invalidFields([{ field: "path", code: "unknown_group", message: `There is no group ${path} above this one` }]);
  return id;
}

/** Returns the id of a group that an item names by its path. A deleted group may be named by its id: the id is kept, and matches nobody. */
export async function groupNamed(ctx: ReadCtx, field: string, text: string): Promise<string> {
  const id = (await findGroupId(ctx.tx, ctx.realm, text)) ?? (isId(text) ? text.toLowerCase() : null);
  if (id === null) throw invalidFields([{ field, code: "unknown_group", message: `${field}: there is no group “${text}” in this realm` }]);
  return id;
}

export const groups: Section = {
  name: "groups",
  tables: ["groups", "group_ancestors", "group_roles", "scim_organization_groups"],
  permission: { read: "view-users", write: "manage-organizations" },
  schema: Type.Object(
    {
      path: Type.String({
        minLength: 2,
        maxLength: 13_000,
        pattern: GROUP_PATH,
        description:
          "the names from the top down, such as /Sales/Europe; a slash that is part of a name is written ~/, and each ~ before it or at the end of a name twice",
      }),
      description: Type.Optional(nullable(Type.String({ maxLength: 1000 }))),
      roles: Type.Optional(roleNames),
      clientRoles: Type.Optional(clientRoleNames),
      organization: Type.Optional(
        nullable(Type.String({ minLength: 1, maxLength: 63 }), "the alias of the organization whose SCIM tokens provision the group"),
      ),
    },
    { additionalProperties: false },
  ),
  keyOf: (item) => groupPath(namesInPath(groupOf(item).path)),
  ignoresCase: true,
  parts: ["roles", "clientRoles", "organization"],
  defaults: () => ({ description: null }),
  async read(ctx) {
    const rows = await everyRow(ctx, searchGroups);
    const byId = new Map(rows.map((row) => [row.groupId, row]));
    const given = await rolesOfGroups(ctx.tx, ctx.realm);
    const owners = await organizationsOfGroups(ctx.tx, ctx.realm);
    const namesTo = (id: string | null): string[] => {
      const group = id === null ? undefined : byId.get(id);
      return group ? [...namesTo(group.parentId), group.name] : [];
    };
    return rows.map(({ groupId, description }) => {
      const roles = given.get(groupId) ?? [];
      const path = groupPath(namesTo(groupId));
      const item = { path, description, roles: namesOf(roles), clientRoles: clientNamesOf(roles), organization: owners.get(groupId) };
      return { key: path, id: groupId, item };
    });
  },
  async create(ctx, _tools, item) {
    const { path, description = null } = groupOf(item);
    const { above, name } = splitPath(path);
    return (await createGroup(ctx, { name, description, parentId: await idAt(ctx, above) })).groupId;
  },
  async update(ctx, _tools, { id, item: before }, item) {
    const { path, description = null } = groupOf(item);
    const { above, name } = splitPath(path);
    if (groupPath(namesInPath(path)) === before.path && description === before.description) return;
    await saveGroup(ctx, id, { name, description, parentId: await idAt(ctx, above) });
  },
  async link(ctx, _tools, id, item, current) {
    const { roles, clientRoles, organization } = groupOf(item);
    const now = await rolesOfGroup(ctx.tx, ctx.realm, id);
    const spell = (clientId: string | null, name: string) => `${clientId ?? ""}\u0000${loginKey(name)}`;
    const wanted = [...(roles ?? []).map((name) => ({ clientId: null, name })), ...(clientRoles ?? [])];
    const isSaid = ({ clientId }: MappedRole) => (clientId === null ? roles : clientRoles) !== undefined;
    const then = new Set(wanted.map(({ clientId, name }) => spell(clientId, name)));
    const held = new Set(now.map(({ clientId, name }) => spell(clientId, name)));
    for (const role of now) if (isSaid(role) && !then.has(spell(role.clientId, role.name))) await withdrawRole(ctx, id, role.roleId);
    for (const role of wanted) if (!held.has(spell(role.clientId, role.name))) await grantRole(ctx, id, role);
    const owner = current ? (groupOf(current.item).organization ?? null) : null;
    if (organization !== undefined && organization !== owner) await replaceGroupOwner(ctx, id, organization);
  },
  async remove(ctx, _tools, { id }) {
    // The groups of an organization were deleted with it.
    if ((await existingGroups(ctx.tx, ctx.realm, [id])).length > 0) await removeGroup(ctx, id);
  },
};
