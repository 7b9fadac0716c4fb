import Type, { type Static } from "typebox";
import { oneOf } from "../../platform/http/index.ts";

const imageNames = ["logo", "logo-dark", "favicon", "background"] as const;
export type ImageName = (typeof imageNames)[number];
export const isImageName = (name: string): name is ImageName => (imageNames as readonly string[]).includes(name);
export const mediaTypes = ["image/png", "image/svg+xml"] as const;
export type ImageMediaType = (typeof mediaTypes)[number];

export const RealmImage = Type.Object(
  {
    name: oneOf(imageNames, {
      description: "`logo-dark` replaces `logo` in the dark scheme; `background` covers the page behind the card",
    }),
    mediaType: oneOf(mediaTypes),
    href: Type.String({ description: "The public address. It changes with the content, so it can be cached indefinitely" }),
    bytes: Type.Integer({ description: "The stored size, after the server has rewritten the picture" }),
    width: Type.Integer(),
    height: Type.Integer(),
    updatedAt: Type.Integer({ description: "The time of the last change, in epoch milliseconds" }),
  },
  { $id: "RealmImage" },
);
export type RealmImage = Static<typeof RealmImage>;

/** An image in an export. */
export const CarriedImage = Type.Object(
  {
    name: oneOf(imageNames),
    mediaType: oneOf(mediaTypes),
    data: Type.String({ description: "The picture in base64", maxLength: 720_000, pattern: "^[A-Za-z0-9+/]+={0,2}$" }),
  },
  { additionalProperties: false },
);
export type CarriedImage = Static<typeof CarriedImage>;
