import Type from "typebox";
import {
  CreateOrganization,
  createOrganization,
  removeOrganization,
  saveOrganization,
  searchOrganizations,
} from "../../../directory/organizations/index.ts";
import { bodyOf, everyRow, type Section, without } from "../section.ts";

const { alias, ...members } = CreateOrganization.properties;

export const organizations: Section = {
  name: "organizations",
  tables: ["organizations", "organization_domains"],
  permission: { read: "view-users", write: "manage-organizations" },
  schema: Type.Object({ ...members, alias: Type.Required(Type.Object({ alias })).properties.alias }, { additionalProperties: false }),
  keyOf: (item) => String(item.alias),
  defaults: () => ({
    ...{ displayName: null, domains: [], attributes: {}, identityProvider: null, enabled: true },
    branding: { displayName: null, logoUrl: null, primaryColor: null, backgroundColor: null, welcomeText: null, customCss: null },
  }),
  read: async (ctx) =>
    (await everyRow(ctx, searchOrganizations)).map((row) => ({
      key: row.alias,
      id: row.organizationId,
      item: {
        ...without(row, "realmId", "organizationId", "memberCount", "createdAt", "version"),
        // The proof of a domain belongs to the server that verified it.
        domains: row.domains.map(({ domain, verified }) => ({ domain, verified })),
      },
    })),
  create: async (ctx, _tools, item) => (await createOrganization(ctx, bodyOf(item))).organizationId,
  async update(ctx, _tools, { id }, item) {
    await saveOrganization(ctx, id, bodyOf(item));
  },
  remove: (ctx, _tools, { id }) => removeOrganization(ctx, id),
};
