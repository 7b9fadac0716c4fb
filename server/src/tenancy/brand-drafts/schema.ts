import Type, { type Static } from "typebox";
import { brandingSchemas } from "../settings/index.ts";

/** The schemas have no defaults: omitted members keep the realm's settings. */
const { properties } = Type.Partial(Type.Object(brandingSchemas));
const plain = Object.fromEntries(
  Object.entries<Type.TSchema & { default?: unknown }>(properties).map(([name, { default: _default, ...schema }]) => [name, schema]),
) as unknown as typeof properties;

export const BrandingDraft = Type.Partial(Type.Object(plain), { $id: "BrandingDraft", additionalProperties: false });
export type BrandingDraft = Static<typeof BrandingDraft>;
