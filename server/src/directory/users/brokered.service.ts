import { isDeepStrictEqual } from "node:util";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import { readUserProfile } from "../../tenancy/settings/index.ts";
import { withCleanNames } from "./names.ts";
import { isAddressOf } from "./own.service.ts";
import { fittingAttributes, withAsserted } from "./profile.ts";
import type { User } from "./schema.ts";
import { auditClaimedUsernames, readUser } from "./service.ts";
import { findUserByLogin, updateUser } from "./store.ts";

/** The user's profile, as an identity provider asserts it. */
export interface BrokeredProfile {
  /** An undefined attribute is removed. */
  readonly attributes: Readonly<Record<string, User["attributes"][string] | undefined>>;
  /** If left out, the address stays. */
  readonly email?: { readonly address: string; readonly verified: boolean };
}

/**
 * Saves what an identity provider asserts about a user, whose row must be locked. An address of another user stays theirs; one that the provider
 * does not vouch for is not a login name. Returns whether anything was changed.
 */
export async function updateBrokeredUser(ctx: Ctx, userId: string, { attributes: asserted, email }: BrokeredProfile): Promise<boolean> {
  const user = await readUser(ctx, userId);
  const profile = await readUserProfile(ctx);
  const attributes = withAsserted(user.attributes, fittingAttributes(profile, withCleanNames(asserted)));
  const isOther = email !== undefined && (user.email === null || loginKey(user.email) !== loginKey(email.address));
  const moves = isOther && !(await isTaken(ctx, userId, email.address));
  const address = moves
    ? { email: email.address, emailVerified: email.verified }
    : { email: user.email, emailVerified: user.emailVerified };
  if (!moves && isDeepStrictEqual(attributes, user.attributes)) return false;
  const proof = moves ? (email.verified ? "vouched" : "unconfirmed") : "given";
  auditClaimedUsernames(ctx, await updateUser(ctx.tx, ctx.realm, userId, { ...user, ...address, attributes }, ctx.now, proof));
  const names = new Set([...Object.keys(user.attributes), ...Object.keys(attributes)]);
  const changed = [...names].sort().filter((name) => !isDeepStrictEqual(attributes[name], user.attributes[name]));
  const detail = [...(moves ? ["email"] : []), ...changed].join(" ");
  ctx.audit({ category: "SECURITY", type: "PROFILE_CHANGED", resourceType: "users", resourceId: userId, detail });
  return true;
}

async function isTaken(ctx: Ctx, userId: string, address: string): Promise<boolean> {
  const holder = await findUserByLogin(ctx.tx, ctx.realm, address);
  return holder !== null && holder.userId !== userId && isAddressOf(await readUser(ctx, holder.userId), address);
}
