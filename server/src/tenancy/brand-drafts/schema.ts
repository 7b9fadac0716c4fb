import Type, { type Static } from "typebox";
import { brandingSchemas } from "../settings/index.ts";

/** Members that are left out are as the realm has them. */
export const BrandingDraft = Type.Partial(Type.Object(brandingSchemas), { $id: "BrandingDraft", additionalProperties: false });
export type BrandingDraft = Static<typeof BrandingDraft>;
