// The pictures of a realm's brand: logo, logo for the dark scheme, icon, background. Owns `realm_images`.
// Pages find their addresses in the realm's snapshot (tenancy/realms).

export { imageRoutes } from "./routes.ts";
export { CarriedImage, type ImageName } from "./schema.ts";
export { cleanImage, readCarriedImages, removeImage, storeImage, type WithImages, withImages } from "./service.ts";
export { createImageSender, type SendImage } from "./serving.ts";
export { imagesOf, type PublishedImagesRow, publishedImages } from "./store.ts";
