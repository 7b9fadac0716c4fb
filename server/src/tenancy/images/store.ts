import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";
import type { ImageMediaType, ImageName } from "./schema.ts";

interface RealmImagesTable {
  realm_id: string;
  name: ImageName;
  media_type: ImageMediaType;
  body: string;
  hash: string;
  width: number;
  height: number;
  updated_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    realm_images: RealmImagesTable;
  }
}

export interface StoredImage {
  readonly name: ImageName;
  readonly mediaType: ImageMediaType;
  readonly hash: string;
  readonly width: number;
  readonly height: number;
  readonly updatedAt: number;
  /** The picture in base64. */
  readonly body: string;
}

const columns = ["name", "media_type as mediaType", "hash", "width", "height", "updated_at as updatedAt", "body"] as const;

/** Returns the images of a realm, at most one of each name. */
export const findImages = (db: Db, realm: string): Promise<StoredImage[]> =>
  db.selectFrom("realm_images").select(columns).where("realm_id", "=", realm).orderBy("name").execute();

export const findImage = (db: Db, realm: string, name: ImageName): Promise<StoredImage | undefined> =>
  db.selectFrom("realm_images").select(columns).where("realm_id", "=", realm).where("name", "=", name).executeTakeFirst();

export async function upsertImage(tx: Tx, realm: string, image: StoredImage): Promise<void> {
  const { name, mediaType, updatedAt, ...rest } = image;
  const values = { media_type: mediaType, updated_at: updatedAt, ...rest };
  await tx
    .insertInto("realm_images")
    .values({ realm_id: realm, name, ...values })
    .onConflict((conflict) => conflict.columns(["realm_id", "name"]).doUpdateSet(values))
    .execute();
}

export async function deleteImage(tx: Tx, realm: string, name: ImageName): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom("realm_images").where("realm_id", "=", realm).where("name", "=", name).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The columns of the realm's snapshot that pages need to refer to the images of `r`. */
export const publishedImages = sql`
  (select json_agg(json_build_object('name', i.name, 'mediaType', i.media_type, 'hash', i.hash, 'width', i.width, 'height', i.height))
    from realm_images i where i.realm_id = r.realm_id) as images`;

/** Returns the images of one realm, without the pictures themselves. */
export const imagesOf = (db: Db, realm: string): Promise<PublishedImage[]> =>
  db
    .selectFrom("realm_images")
    .select(["name", "media_type as mediaType", "hash", "width", "height"])
    .where("realm_id", "=", realm)
    .execute();

export type PublishedImage = Pick<StoredImage, "name" | "mediaType" | "hash" | "width" | "height">;
export interface PublishedImagesRow {
  images: PublishedImage[] | null;
}
