import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import type { Ctx, DomainEvents } from "../../platform/context.ts";
import { openAttributes, shareSettings, type UserProfile } from "../../tenancy/settings/index.ts";
import { type AttributeUse, findAttributeUses } from "./uses.store.ts";

/** Returns the attributes that people may edit, and that identify a user or give access. */
async function conflictsOf(ctx: Ctx, profile: UserProfile): Promise<AttributeUse[]> {
  const open = new Set(openAttributes(profile));
  return open.size === 0 ? [] : (await findAttributeUses(ctx.tx, ctx.realm)).filter(({ attribute }) => open.has(attribute));
}

/**
 * Refuses, after a write in its transaction, to use an attribute that people may edit. The settings are locked until commit, so that no
 * other transaction opens it meanwhile. `field` is the member of the request that names the attribute.
 */
export async function keepAttributesApart(ctx: Ctx, field: string): Promise<void> {
  const { userProfile } = await shareSettings(ctx.tx, ctx.realm);
  const errors = new Map(
    (await conflictsOf(ctx, userProfile)).map(({ attribute, by }): [string, FieldError] => {
      const message = `${field}: people may edit the attribute ${attribute} (userProfile of the settings), so that it cannot be used by ${by}`;
      return [attribute, { field, code: "open_attribute", message }];
    }),
  );
  if (errors.size > 0) throw invalidFields([...errors.values()]);
}

/** Names on `identity_provider.attributes_mapping` the uses of the mapped attributes. */
export async function nameAttributeUses(ctx: Ctx, { names, uses }: DomainEvents["identity_provider.attributes_mapping"]): Promise<void> {
  for (const { attribute, by } of await findAttributeUses(ctx.tx, ctx.realm)) if (names.includes(attribute)) uses.set(attribute, by);
}

/** Refuses on `settings.changed` to open an attribute that has such a use. */
export async function refuseOpenedUses(ctx: Ctx, { settings: { userProfile } }: DomainEvents["settings.changed"]): Promise<void> {
  const errors = (await conflictsOf(ctx, userProfile)).map(({ attribute, by }): FieldError => {
    const field = `userProfile.attributes.${userProfile.attributes.findIndex(({ name }) => name === attribute)}.edit`;
    return { field, code: "attribute_in_use", message: `${field} must not contain user: ${by} uses the attribute ${attribute}` };
  });
  if (errors.length > 0) throw invalidFields(errors);
}
