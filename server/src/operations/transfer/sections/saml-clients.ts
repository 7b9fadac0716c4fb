import Type from "typebox";
import {
  CreateSamlClient,
  CreateSamlMapper,
  createSamlClient,
  defaultOptions,
  findSamlClient,
  removeSamlClient,
  samlClientMappers,
  saveSamlClient,
  searchSamlClients,
} from "../../../applications/saml-clients/index.ts";
import { isSame, lean } from "../compare.ts";
import { bodyOf, everyRow, type Item, reconcile, type Section, without } from "../section.ts";
import { mapperDefaults, mapperItem } from "./scopes.ts";

/** Members that are not transferred. Metadata is not, but the settings that came from it are. */
const own = ["realmId", "applicationId", "metadata", "createdAt", "updatedAt", "version"] as const;
const samlMapperDefaults = { ...mapperDefaults, samlFriendlyName: null };

const mappersOf = (item: Item) => item.mappers as CreateSamlMapper[] | undefined;

export const samlClients: Section = {
  name: "samlClients",
  tables: ["saml_clients", "saml_client_mappers"],
  permission: { read: "view-clients", write: "manage-clients" },
  schema: Type.Object(
    { ...CreateSamlClient.properties, mappers: Type.Optional(Type.Array(CreateSamlMapper, { maxItems: 100 })) },
    { additionalProperties: false },
  ),
  keyOf: (item) => String(item.entityId),
  parts: ["mappers"],
  defaults: () => ({
    enabled: true,
    defaultAuthnContextClassRef: null,
    singleLogoutServiceUrl: null,
    signingCertificate: null,
    options: { ...defaultOptions, name: null },
  }),
  async read(ctx) {
    const mappers = await samlClientMappers.listInRealm(ctx);
    const rows = await everyRow(ctx, searchSamlClients);
    const entries = [];
    for (const row of rows) {
      const { id } = (await findSamlClient(ctx.tx, ctx.realm, row.entityId))!;
      const of = (mappers.get(id) ?? []).map((mapper) => lean(mapperItem(mapper), samlMapperDefaults));
      entries.push({ key: row.entityId, id: row.entityId, item: { ...without(row, ...own), mappers: of } });
    }
    return entries;
  },
  async create(ctx, tools, item) {
    return (await createSamlClient(ctx, tools, bodyOf(without(item, "mappers")), { keepsGone: true })).entityId;
  },
  async update(ctx, tools, { id, item: before }, item) {
    const state = without(item, "mappers");
    if (!isSame(state, without(before, "mappers"))) await saveSamlClient(ctx, tools, id, bodyOf(state), { keepsGone: true });
  },
  async link(ctx, _tools, id, item) {
    const mappers = mappersOf(item);
    if (!mappers) return;
    await reconcile(await samlClientMappers.list(ctx, id), mappers, {
      create: (mapper) => samlClientMappers.create(ctx, id, mapper),
      update: ({ mapperId }, mapper) => samlClientMappers.save(ctx, id, mapperId, mapper),
      remove: ({ mapperId }) => samlClientMappers.remove(ctx, id, mapperId),
      same: (now, mapper) => isSame(lean(bodyOf({ ...mapper }), samlMapperDefaults), lean(mapperItem(now), samlMapperDefaults)),
    });
  },
  remove: (ctx, _tools, { id }) => removeSamlClient(ctx, id),
};
