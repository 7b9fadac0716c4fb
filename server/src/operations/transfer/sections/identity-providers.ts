import Type from "typebox";
import { findGroupId, pathsOfGroups } from "../../../directory/groups/index.ts";
import { existingRoleNames } from "../../../directory/roles/index.ts";
import {
  CreateIdentityProvider,
  CreateProviderMapper,
  createMapper,
  createProvider,
  openProvider,
  protocolOf,
  readMappers,
  removeMapper,
  removeProvider,
  saveMapper,
  saveProvider,
  searchProviders,
} from "../../../federation/index.ts";
import { invalidFields } from "../../../kernel/errors.ts";
import type { ReadCtx } from "../../../platform/context.ts";
import { isSame } from "../compare.ts";
import { bodyOf, type Entry, everyRow, type Item, reconcile, Secret, type Section, without } from "../section.ts";

interface ProviderItem {
  readonly alias: string;
  readonly protocol: string;
  readonly enabled: boolean;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly mappers?: CreateProviderMapper[];
}
const providerOf = (item: Item) => item as unknown as ProviderItem;

/** Returns the id of a group, which a document names by its path. */
async function idOfGroup(ctx: ReadCtx, path: string, field: string): Promise<string> {
  const id = await findGroupId(ctx.tx, ctx.realm, path);
  if (id === null) throw invalidFields([{ field, code: "unknown_group", message: `${field}: there is no group “${path}” in this realm` }]);
  return id;
}

async function withIds<T extends Item>(ctx: ReadCtx, config: T): Promise<T> {
  const groups = config.defaultGroups as string[] | undefined;
  if (!groups?.length) return config;
  const ids = [];
  for (const path of groups) ids.push(await idOfGroup(ctx, path, "config.defaultGroups"));
  return { ...config, defaultGroups: ids };
}

const mapperOf = async (ctx: ReadCtx, mapper: CreateProviderMapper): Promise<CreateProviderMapper> =>
  mapper.group === undefined ? mapper : { ...mapper, group: await idOfGroup(ctx, mapper.group, "mappers.group") };

export const identityProviders: Section = {
  name: "identityProviders",
  tables: ["identity_providers", "identity_provider_secrets", "identity_provider_mappers"],
  permission: { read: "manage-identity-providers", write: "manage-identity-providers" },
  schema: Type.Object(
    {
      ...without(CreateIdentityProvider.properties, "realmId"),
      mappers: Type.Optional(Type.Array(CreateProviderMapper, { maxItems: 100 })),
    } as never,
    { additionalProperties: false, allOf: (CreateIdentityProvider as unknown as { allOf: object[] }).allOf },
  ),
  keyOf: (item) => providerOf(item).alias,
  parts: ["mappers"],
  defaults: (item) => {
    const { alias, protocol } = providerOf(item);
    return { displayName: alias, enabled: true, config: protocolOf(protocol).defaults };
  },
  async read(ctx, { vault }) {
    const entries: Entry[] = [];
    for (const row of await everyRow(ctx, searchProviders)) {
      const { secrets } = protocolOf(row.protocol);
      const stored = secrets.filter((member) => row.config[`${member}Set`] === true);
      const opened = stored.length > 0 ? await openProvider(ctx, vault, row.alias) : null;
      const mappers = await readMappers(ctx, row.alias);
      const { defaultRoles, defaultGroups } = row.config as Readonly<Record<string, string[] | undefined>>;
      const groups = [...(defaultGroups ?? []), ...mappers.flatMap(({ group }) => group ?? [])];
      const paths = await pathsOfGroups(ctx.tx, ctx.realm, groups);
      const named = [...(defaultRoles ?? []), ...mappers.flatMap(({ role }) => role ?? [])];
      const roles = new Set(await existingRoleNames(ctx.tx, ctx.realm, named));
      // Roles and groups that no longer exist are left out of the document, because nobody gets them.
      const isThere = ({ role, group }: (typeof mappers)[number]) =>
        (role === undefined || roles.has(role)) && (group === undefined || paths.has(group));
      const config = {
        ...without(row.config, ...secrets.map((member) => `${member}Set`)),
        ...(defaultRoles && { defaultRoles: defaultRoles.filter((name) => roles.has(name)) }),
        ...(defaultGroups && { defaultGroups: defaultGroups.flatMap((id) => paths.get(id) ?? []) }),
        ...Object.fromEntries(stored.map((member) => [member, new Secret(() => opened!.secrets[member]!)])),
      };
      const item = {
        ...{ alias: row.alias, protocol: row.protocol, displayName: row.displayName, enabled: row.enabled, config },
        mappers: mappers
          .filter(isThere)
          .map(({ mapperId: _, createdAt: __, version: ___, ...mapper }) => ({
            ...mapper,
            ...(mapper.group !== undefined && { group: paths.get(mapper.group) }),
          }))
          .sort((one, other) => (one.name < other.name ? -1 : 1)),
      };
      entries.push({ key: row.alias, id: row.alias, item });
    }
    return entries;
  },
  async create(ctx, tools, item) {
    const { config = {}, ...rest } = without(item, "mappers") as Item & { config?: Item };
    await createProvider(ctx, bodyOf({ ...rest, config: await withIds(ctx, config) }), tools);
    return providerOf(item).alias;
  },
  async update(ctx, tools, { id, item: before }, item) {
    const { config = {}, ...rest } = without(item, "mappers") as Item & { config?: Item };
    if (isSame({ ...rest, config }, without(before, "mappers"))) return;
    await saveProvider(ctx, id, bodyOf({ ...rest, config: await withIds(ctx, config) }), tools);
  },
  async link(ctx, _tools, id, item) {
    const { mappers } = providerOf(item);
    if (!mappers) return;
    const wanted = [];
    for (const mapper of mappers) wanted.push({ sync: "force" as const, ...(await mapperOf(ctx, mapper)) });
    await reconcile(await readMappers(ctx, id), wanted, {
      create: (mapper) => createMapper(ctx, id, mapper),
      update: ({ mapperId }, mapper) => saveMapper(ctx, id, mapperId, mapper),
      remove: ({ mapperId }) => removeMapper(ctx, id, mapperId),
      same: (now, mapper) => isSame(mapper, without(now, "mapperId", "createdAt", "version")),
    });
  },
  remove: (ctx, _tools, { id }) => removeProvider(ctx, id),
};
