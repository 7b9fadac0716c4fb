import Type from "typebox";
import { pathsOfGroups } from "../../../directory/groups/index.ts";
import { aliasesOfOrganizations, organizationsByAlias } from "../../../directory/organizations/index.ts";
import { invalidFields } from "../../../kernel/errors.ts";
import { isId } from "../../../kernel/ids.ts";
import type { ReadCtx } from "../../../platform/context.ts";
import {
  CreateScimTarget,
  createTarget,
  openTargetSecret,
  removeTarget,
  saveTarget,
  searchTargets,
  targetDefaults,
} from "../../scim-targets/index.ts";
import { bodyOf, type Entry, everyRow, type Item, Secret, type Section, without } from "../section.ts";
import { groupNamed } from "./groups.ts";

interface TargetItem {
  readonly users?: Item & { readonly groups?: readonly string[]; readonly organizations?: readonly string[] };
  readonly groups?: Item & { readonly groups?: readonly string[] };
}

const { users, groups, ...members } = CreateScimTarget.properties;
const names = (description: string) => Type.Optional(Type.Array(Type.String(), { maxItems: 1000, uniqueItems: true, description }));
const closed = { additionalProperties: false };
type Members = Record<string, Type.TSchema>;

/** Groups are named by their paths in a document, organizations by their aliases. */
const schema = Type.Object(
  {
    ...members,
    users: Type.Optional(
      Type.Object(
        {
          ...without((users as unknown as { properties: Members }).properties, "groupIds", "organizationIds"),
          groups: names("Paths"),
          organizations: names("Aliases"),
        } as Members,
        closed,
      ),
    ),
    groups: Type.Optional(
      Type.Object(
        { ...without((groups as unknown as { properties: Members }).properties, "groupIds"), groups: names("Paths") } as Members,
        closed,
      ),
    ),
  } as Members,
  closed,
);

/** Replaces paths and aliases by ids. A document may name a deleted object by its id: the id is kept, and matches nobody. */
async function withIds(ctx: ReadCtx, item: Item): Promise<Item> {
  const { users: of = {}, groups: sent = {} } = item as TargetItem;
  const groupIds = async (field: string, paths: readonly string[]) => {
    const ids: string[] = [];
    for (const path of paths) ids.push(await groupNamed(ctx, field, path));
    return ids;
  };
  const byAlias = of.organizations?.length ? await organizationsByAlias(ctx.tx, ctx.realm, of.organizations) : new Map<string, string>();
  const organizationIds = (of.organizations ?? []).map((alias) => {
    const id = byAlias.get(alias) ?? (isId(alias) ? alias.toLowerCase() : null);
    const message = `users.organizations: there is no organization “${alias}” in this realm`;
    if (id === null) throw invalidFields([{ field: "users.organizations", code: "unknown_organization", message }]);
    return id;
  });
  return {
    ...item,
    users: { ...without(of, "groups", "organizations"), groupIds: await groupIds("users.groups", of.groups ?? []), organizationIds },
    groups: { ...without(sent, "groups"), groupIds: await groupIds("groups.groups", sent.groups ?? []) },
  };
}

export const scimTargets: Section = {
  name: "scimTargets",
  tables: ["scim_targets"],
  // The document itself needs manage-realm. Targets need view-users as well, because they get the data of users.
  permission: { read: "view-users", write: "view-users" },
  schema,
  keyOf: (item) => String(item.name),
  ignoresCase: true,
  defaults: () => {
    const { users: of, groups: sent, ...rest } = targetDefaults;
    return {
      ...{ ...rest, enabled: true },
      users: { ...without(of, "groupIds", "organizationIds"), groups: [], organizations: [] },
      groups: { ...without(sent, "groupIds"), groups: [] },
    };
  },
  async read(ctx, { vault }) {
    const entries: Entry[] = [];
    for (const row of await everyRow(ctx, searchTargets)) {
      const paths = await pathsOfGroups(ctx.tx, ctx.realm, [...(row.users.groupIds ?? []), ...(row.groups.groupIds ?? [])]);
      const aliases = await aliasesOfOrganizations(ctx.tx, ctx.realm, row.users.organizationIds ?? []);
      const named = (known: ReadonlyMap<string, string>, ids: readonly string[] = []) => ids.map((id) => known.get(id) ?? id).sort();
      const { sealed } = row;
      const item = {
        ...without(row, "id", "realmId", "secret", "secretSet", "createdAt", "status", "version", "sealed", "syncing"),
        users: {
          ...without(row.users, "groupIds", "organizationIds"),
          groups: named(paths, row.users.groupIds),
          organizations: named(aliases, row.users.organizationIds),
        },
        groups: { ...without(row.groups, "groupIds"), groups: named(paths, row.groups.groupIds) },
        ...(sealed !== null && { secret: new Secret(() => openTargetSecret(vault, row.realmId, row.id, sealed)) }),
      };
      entries.push({ key: row.name, id: row.id, item });
    }
    return entries;
  },
  create: async (ctx, tools, item) => (await createTarget(ctx, tools, bodyOf(await withIds(ctx, item)), { keepsGone: true })).id,
  async update(ctx, tools, { id }, item) {
    await saveTarget(ctx, tools, id, bodyOf(await withIds(ctx, item)), { keepsGone: true });
  },
  remove: (ctx, _tools, { id }) => removeTarget(ctx, id),
};
