import Type from "typebox";
import { spellAccess } from "../../../applications/access/index.ts";
import type { ClaimMapperInput } from "../../../applications/claims/index.ts";
import {
  AllowedResources,
  type ClientRow,
  CreateClient,
  CreateClientMapper,
  clientMappers,
  completeSettings,
  createClient,
  createClientRole,
  grantToServiceAccount,
  listClients,
  openSecrets,
  removeClient,
  removeClientRole,
  rolesOfServiceAccounts,
  saveAllowedResources,
  saveClient,
  saveClientRole,
  showClient,
  spellGrantType,
  takeFromServiceAccount,
} from "../../../applications/clients/index.ts";
import { CreateRole, listClientRoles, type RoleRow } from "../../../directory/roles/index.ts";
import { isSame, lean } from "../compare.ts";
import { bodyOf, type Entry, everyRow, type Item, reconcile, Secret, type Section, without } from "../section.ts";
import { clientNamesOf, clientRoleNames, namesOf, roleNames } from "./groups.ts";
import { mapperDefaults, mapperItem } from "./scopes.ts";

/** Members with their own routes. They stay as they are if the document leaves them out. */
const parts = ["roles", "mappers", "serviceAccountRoles", "serviceAccountClientRoles", "allowedResources"] as const;
const access = ["allowedRoles", "allowedGroups"] as const;

interface ClientItem {
  readonly clientId: string;
  readonly publicClient: boolean;
  readonly profile?: never;
  readonly allowedResources?: string[];
  readonly allowedRoles?: string[];
  readonly allowedGroups?: string[];
  readonly roles?: CreateRole[];
  readonly mappers?: ClaimMapperInput[];
  readonly serviceAccountRoles?: string[];
  readonly serviceAccountClientRoles?: { clientId: string; name: string }[];
}
const clientOf = (item: Item) => item as unknown as ClientItem;

const roleDefaults = { description: null, compositeRoles: [], compositeClientRoles: [] };
const roleItem = ({ name, description, compositeRoles, compositeClientRoles }: RoleRow) =>
  lean({ name, description, compositeRoles, compositeClientRoles }, roleDefaults);

export const clients: Section = {
  name: "clients",
  tables: ["clients", "client_resources", "service_account_roles"],
  permission: { read: "view-clients", write: "manage-clients" },
  schema: Type.Object(
    {
      ...CreateClient.properties,
      allowedResources: Type.Optional(AllowedResources.properties.allowedResources),
      roles: Type.Optional(Type.Array(CreateRole, { maxItems: 1000 })),
      mappers: Type.Optional(Type.Array(CreateClientMapper, { maxItems: 100 })),
      serviceAccountRoles: Type.Optional(roleNames),
      serviceAccountClientRoles: Type.Optional(clientRoleNames),
    },
    { additionalProperties: false },
  ),
  keyOf: (item) => clientOf(item).clientId,
  parts,
  defaults(item) {
    const { publicClient = false, profile } = clientOf(item);
    // The profile has no default here, because the realm's settings decide the profile of a new client.
    const { profile: _, grantTypes, ...settings } = completeSettings(profile === undefined ? {} : { profile }, publicClient);
    return { name: null, enabled: true, publicClient: false, ...settings, grantTypes: grantTypes.map(spellGrantType) };
  },
  async read(ctx, { vault }) {
    const rows = await everyRow(ctx, (read, query) => listClients(read.tx, read.realm, query));
    const shown = await spellAccess(ctx.tx, ctx.realm, rows.map(showClient));
    const roles = new Map<string, RoleRow[]>(rows.map(({ id }) => [id, []]));
    for (const role of await listClientRoles(ctx.tx, ctx.realm)) roles.get(role.client!)?.push(role);
    const mappers = await clientMappers.listInRealm(ctx);
    const accounts = await rolesOfServiceAccounts(ctx.tx, ctx.realm);
    return rows.map((row, at): Entry => {
      const given = accounts.get(row.id) ?? [];
      const item = {
        ...without(shown[at]!, "id", "realmId", "agentId", "createdAt", "updatedAt", "version"),
        ...secretOf(row, () => openSecrets(vault, ctx.realm, row.id, row.sealed)[0]!.value),
        allowedResources: row.allowedResources,
        roles: (roles.get(row.id) ?? []).map(roleItem),
        mappers: (mappers.get(row.id) ?? []).map((mapper) => lean(mapperItem(mapper), mapperDefaults)),
        serviceAccountRoles: namesOf(given),
        serviceAccountClientRoles: clientNamesOf(given),
      };
      return { key: row.clientId, id: row.id, item };
    });
  },
  // The allowed roles and groups are set in `link`, when all of them exist.
  create: async (ctx, tools, item) => {
    const { client } = await createClient(ctx, tools, bodyOf(without(item, ...parts, ...access)));
    for (const role of clientOf(item).roles ?? []) await createClientRole(ctx, client.id, { name: role.name });
    return client.id;
  },
  async update(ctx, _tools, { id, item: before }, item) {
    const known = new Set((clientOf(before).roles ?? []).map(({ name }) => name));
    for (const { name } of clientOf(item).roles ?? []) if (!known.has(name)) await createClientRole(ctx, id, { name });
  },
  async link(ctx, tools, id, item, current) {
    const wanted = clientOf(item);
    const { allowedRoles = [], allowedGroups = [], allowedResources, roles, mappers } = wanted;
    const before: Item = current?.item ?? {};
    const isNew = current === null;
    const state = without(item, ...parts);
    const isChanged = isNew ? allowedRoles.length + allowedGroups.length > 0 : !isSame(state, without(before, ...parts));
    // A new client got its secret when it was created.
    if (isChanged) await saveClient(ctx, tools, id, bodyOf(isNew ? without(state, "secret") : state), { keepsGone: true });
    if (allowedResources && !isSame(allowedResources, before.allowedResources ?? []))
      await saveAllowedResources(ctx, tools, id, { allowedResources });
    if (roles) {
      const known = new Map((clientOf(before).roles ?? []).map((role) => [role.name, role]));
      for (const role of roles) {
        const now = lean({ ...(known.get(role.name) ?? { name: role.name }) }, roleDefaults);
        if (!isSame(lean(bodyOf({ ...role }), roleDefaults), now)) await saveClientRole(ctx, id, role.name, role);
      }
      for (const name of known.keys()) if (!roles.some((role) => role.name === name)) await removeClientRole(ctx, id, name);
    }
    if (mappers)
      await reconcile(await clientMappers.list(ctx, id), mappers, {
        create: (mapper) => clientMappers.create(ctx, id, mapper),
        update: ({ mapperId }, mapper) => clientMappers.save(ctx, id, mapperId, mapper),
        remove: ({ mapperId }) => clientMappers.remove(ctx, id, mapperId),
        same: (now, mapper) => isSame(lean(bodyOf({ ...mapper }), mapperDefaults), lean(mapperItem(now), mapperDefaults)),
      });
    const { serviceAccountRoles, serviceAccountClientRoles } = wanted;
    const held = clientOf(before);
    if (serviceAccountRoles) await give(ctx, id, named(serviceAccountRoles), named(held.serviceAccountRoles ?? []));
    if (serviceAccountClientRoles) await give(ctx, id, serviceAccountClientRoles, held.serviceAccountClientRoles ?? []);
  },
  remove: (ctx, tools, { id }) => removeClient(ctx, tools, id),
};

const secretOf = ({ sealed }: ClientRow, open: () => string) => (sealed.secret === null ? {} : { secret: new Secret(open) });

interface Named {
  readonly clientId: string | null;
  readonly name: string;
}
const named = (names: readonly string[]): Named[] => names.map((name) => ({ clientId: null, name }));

/** Gives the service account these roles, and takes the others of the same kind. */
async function give(
  ctx: Parameters<typeof grantToServiceAccount>[0],
  id: string,
  wanted: readonly Named[],
  held: readonly Named[],
): Promise<void> {
  const has = (list: readonly Named[], { clientId, name }: Named) => list.some((one) => one.clientId === clientId && one.name === name);
  for (const role of held) if (!has(wanted, role)) await takeFromServiceAccount(ctx, id, role);
  for (const role of wanted) if (!has(held, role)) await grantToServiceAccount(ctx, id, role);
}
