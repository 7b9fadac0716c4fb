import { readSubjectClaim, replaceSubjectClaim, UpdateSubjectClaim } from "../../../applications/subject-claim/index.ts";
import { readProvisioning, replaceProvisioning, UpdateProvisioning } from "../../../protocols/registration/index.ts";
import { defaultSettings, readSettings, saveSettings, UpdateSettings } from "../../../tenancy/settings/index.ts";
import { bodyOf, type Entry, type Item, type Section, without } from "../section.ts";

const realmWide = { read: "manage-realm", write: "manage-realm" } as const;
const single = (record: object, ...omitted: readonly string[]): Entry[] => [
  { key: "", id: "", item: without(record, "version", ...omitted) },
];

export const settings: Section = {
  name: "settings",
  tables: ["realm_settings"],
  permission: realmWide,
  schema: UpdateSettings,
  defaults: (_item, realm) => without(defaultSettings(realm), "realmId"),
  read: async (ctx) => single((await readSettings(ctx.tx, ctx.realm)).settings, "realmId"),
  async update(ctx, { baseUrl }, _current, item) {
    await saveSettings(ctx, bodyOf(item), baseUrl);
  },
};

export const subjectClaim: Section = {
  name: "subjectClaim",
  // The salt of pairwise subjects stays behind: another realm makes others.
  tables: ["realm_oidc"],
  permission: { read: "manage-authorization", write: "manage-authorization" },
  schema: UpdateSubjectClaim,
  defaults: () => ({ attribute: null }),
  read: async (ctx) => single(await readSubjectClaim(ctx)),
  async update(ctx, _tools, _current, item) {
    await replaceSubjectClaim(ctx, bodyOf(item));
  },
};

export const provisioning: Section = {
  name: "provisioning",
  tables: ["realm_oidc"],
  permission: realmWide,
  schema: UpdateProvisioning,
  read: async (ctx) => single(await readProvisioning(ctx)),
  async update(ctx, _tools, _current, item: Item) {
    await replaceProvisioning(ctx, bodyOf(item));
  },
};
