import { readSubjectClaim, replaceSubjectClaim, UpdateSubjectClaim } from "../../../applications/subject-claim/index.ts";
import { readProvisioning, replaceProvisioning, UpdateProvisioning } from "../../../protocols/registration/index.ts";
import { CarriedImage, cleanImage, type ImageName, readCarriedImages, removeImage, storeImage } from "../../../tenancy/images/index.ts";
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
  async read(ctx) {
    const { settings: shown } = await readSettings(ctx.tx, ctx.realm);
    return single({ ...shown, logoUrl: shown.logoUrl?.replace(`/realms/${ctx.realm}/images/`, OWN_IMAGES) ?? null }, "realmId");
  },
  async update(ctx, { baseUrl }, _current, item) {
    const { logoUrl } = item as { logoUrl?: string | null };
    const own = logoUrl?.replace(OWN_IMAGES, `/realms/${ctx.realm}/images/`);
    await saveSettings(ctx, bodyOf({ ...item, ...(own !== undefined && { logoUrl: own }) }), baseUrl);
  },
};

/** The path of the realm's own images in a document, which may be for a realm of another name. */
const OWN_IMAGES = "/realms/{realm}/images/";

export const images: Section = {
  name: "images",
  tables: ["realm_images"],
  permission: realmWide,
  schema: CarriedImage,
  keyOf: ({ name }) => String(name),
  read: async (ctx) => (await readCarriedImages(ctx)).map((item) => ({ key: item.name, id: item.name, item: { ...item } })),
  async create(ctx, _tools, item) {
    const { name, mediaType, data } = bodyOf<CarriedImage>(item);
    await storeImage(ctx, name, await cleanImage(Buffer.from(data, "base64"), mediaType));
    return name;
  },
  async update(ctx, tools, _current, item) {
    await images.create!(ctx, tools, item);
  },
  remove: (ctx, _tools, { id }) => removeImage(ctx, id as ImageName),
};

export const subjectClaim: Section = {
  name: "subjectClaim",
  // The salt of pairwise subjects is not exported: another realm makes other subjects.
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
