import { createHash } from "node:crypto";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { pointLogoAt, type Settings } from "../settings/index.ts";
import { imageErrors, imageFault } from "./errors.ts";
import { cleanPng, isPng } from "./png.ts";
import type { CarriedImage, ImageMediaType, ImageName, RealmImage } from "./schema.ts";
import { deleteImage, findImage, findImages, type PublishedImage, type StoredImage, upsertImage } from "./store.ts";
import { cleanSvg } from "./svg.ts";

export const MAX_IMAGE = 512 * 1024;

/** A picture that the server has rewritten. */
type CleanImage = Pick<StoredImage, "mediaType" | "body" | "hash" | "width" | "height">;

/** Checks and rewrites a picture. It takes time, so it must not run within a transaction. */
export async function cleanImage(bytes: Buffer, mediaType: ImageMediaType): Promise<CleanImage> {
  if (bytes.length === 0) throw imageFault("it is empty");
  if (bytes.length > MAX_IMAGE) throw imageErrors.too_large();
  if (mediaType === "image/png" && !isPng(bytes)) throw imageFault("it is not a PNG, though its type says so");
  const { body, width, height } = mediaType === "image/png" ? await cleanPng(bytes) : cleanSvg(bytes);
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { mediaType, body: body.toString("base64"), hash, width, height };
}

/** Returns the path of an image, without the part that depends on its content. */
const imagePath = (realm: string, name: ImageName): string => `/realms/${encodeURIComponent(realm)}/images/${name}`;
const imageHref = (realm: string, { name, hash }: Pick<StoredImage, "name" | "hash">): string => `${imagePath(realm, name)}?v=${hash}`;

const record = (realm: string, { body, hash, ...image }: StoredImage): RealmImage => ({
  ...image,
  href: imageHref(realm, { name: image.name, hash }),
  bytes: Buffer.byteLength(body, "base64"),
});

export const listImages = async (ctx: ReadCtx): Promise<RealmImage[]> =>
  (await findImages(ctx.tx, ctx.realm)).map((image) => record(ctx.realm, image));

export async function readImage(ctx: ReadCtx, name: ImageName): Promise<RealmImage> {
  const image = await findImage(ctx.tx, ctx.realm, name);
  if (!image) throw imageErrors.not_found();
  return record(ctx.realm, image);
}

/** Stores an image. A logo becomes the one that pages show. */
export async function saveImage(ctx: Ctx, name: ImageName, image: CleanImage): Promise<RealmImage> {
  const stored = await storeImage(ctx, name, image);
  if (name === "logo") await pointLogoAt(ctx, imagePath(ctx.realm, name));
  return record(ctx.realm, stored);
}

/** Stores an image, but does not change which logo the settings show. */
export async function storeImage(ctx: Ctx, name: ImageName, image: CleanImage): Promise<StoredImage> {
  const stored = { name, ...image, updatedAt: ctx.now };
  await upsertImage(ctx.tx, ctx.realm, stored);
  await changed(ctx, "ADMIN_UPDATE", name);
  return stored;
}

/** Deletes an image. If the logo was shown, pages have none afterwards. */
export async function removeImage(ctx: Ctx, name: ImageName): Promise<void> {
  if (!(await deleteImage(ctx.tx, ctx.realm, name))) throw imageErrors.not_found();
  if (name === "logo") await pointLogoAt(ctx, null, imagePath(ctx.realm, name));
  await changed(ctx, "ADMIN_DELETE", name);
}

async function changed(ctx: Ctx, type: "ADMIN_UPDATE" | "ADMIN_DELETE", name: ImageName): Promise<void> {
  await recordConfigChange(ctx, type, "settings", ctx.realm, `image ${name}`);
}

/** Returns the images for the export of a realm. */
export const readCarriedImages = async (ctx: ReadCtx): Promise<CarriedImage[]> =>
  (await findImages(ctx.tx, ctx.realm)).map(({ name, mediaType, body }) => ({ name, mediaType, data: body }));

/** The images of a realm in the form that pages need. */
export type RealmImages = Readonly<Partial<Record<ImageName, PublishedImage & { readonly href: string }>>>;

export interface WithImages {
  readonly images: RealmImages;
}

/** Returns a realm's settings in the form that pages need: with its images, and with an address of its own logo that depends on the content. */
export function withImages(settings: Settings, published: readonly PublishedImage[]): Settings & WithImages {
  const { realmId: realm } = settings;
  const images: RealmImages = Object.fromEntries(published.map((image) => [image.name, { ...image, href: imageHref(realm, image) }]));
  const isOwn = settings.logoUrl === imagePath(realm, "logo");
  return { ...settings, images, logoUrl: isOwn ? (images.logo?.href ?? null) : settings.logoUrl };
}
