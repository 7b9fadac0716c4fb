import type { FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Db } from "../../platform/db/index.ts";
import { isKnown } from "../../platform/versions.ts";
import { imageErrors } from "./errors.ts";
import { type ImageMediaType, type ImageName, isImageName } from "./schema.ts";
import type { RealmImages } from "./service.ts";
import { findImage } from "./store.ts";

interface StoredPicture {
  readonly hash: string;
  readonly mediaType: ImageMediaType;
  readonly bytes: Buffer;
}

export type SendImage = (
  request: FastifyRequest,
  reply: FastifyReply,
  realm: string,
  images: RealmImages,
  name: string,
) => Promise<unknown>;

const CACHE_BYTES = 16 * 1024 * 1024;

/**
 * Sends an image of a realm to anybody. An SVG that is opened by itself is a document of our origin. So its policy lets it run and load nothing, and gives it
 * an origin of its own.
 */
export function createImageSender(db: Db): SendImage {
  // The key contains the hash of the content, so a change has another key, on every node as soon as the realm's snapshot is dropped.
  const kept = new LRUCache<string, StoredPicture>({ maxSize: CACHE_BYTES, sizeCalculation: ({ bytes }) => bytes.length });

  /** Reads the stored image, which is newer than the snapshot if it was just replaced. */
  const read = async (realm: string, name: ImageName): Promise<StoredPicture | null> => {
    const image = await findImage(db, realm, name);
    if (!image) return null;
    const picture = { hash: image.hash, mediaType: image.mediaType, bytes: Buffer.from(image.body, "base64") };
    kept.set(keyOf(realm, name, picture.hash), picture);
    return picture;
  };

  return async (request, reply, realm, images, name) => {
    const known = isImageName(name) ? images[name] : undefined;
    const picture = known && (kept.get(keyOf(realm, known.name, known.hash)) ?? (await read(realm, known.name)));
    if (!picture) throw imageErrors.not_found();
    const etag = `"${picture.hash}"`;
    const isNamed = (request.query as { v?: string }).v === picture.hash;
    reply.headers({
      etag,
      "cache-control": `public, max-age=${isNamed ? "31536000, immutable" : 60}`,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "x-content-type-options": "nosniff",
      // Mail programs and applications show the image too.
      "cross-origin-resource-policy": "cross-origin",
    });
    if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send("");
    return reply.type(picture.mediaType).send(picture.bytes);
  };
}

const keyOf = (realm: string, name: ImageName, hash: string): string => `${realm} ${name} ${hash}`;
