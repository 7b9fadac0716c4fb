import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import { readUserProfile } from "../../tenancy/settings/index.ts";
import { isDirectorySource } from "../credentials/index.ts";
import { keepingRealmAdmin, permissionsOfUser } from "../roles/index.ts";
import { removeCredentials } from "./credentials.service.ts";
import { withCleanNames } from "./names.ts";
import { fittingAttributes, withAsserted } from "./profile.ts";
import type { User } from "./schema.ts";
import { lockUser, setSource, updateUser } from "./store.ts";

/** A user's profile, as a directory supplies it. */
export interface FederatedProfile {
  readonly username: string;
  readonly email: string | null;
  /** True if the directory's word confirms the address. */
  readonly trustsEmail: boolean;
  /** The attributes to change; null or undefined removes one. Others stay. */
  readonly attributes: Readonly<Record<string, User["attributes"][string] | null | undefined>>;
}

/**
 * Saves the profile that the user's directory supplies. `decide` is called with the row locked: it gets the present `enabled`, and returns the next.
 * Returns the members that changed, or null if the user is gone. No escalation rule applies: it was checked when the directory was configured.
 */
export async function saveFederatedUser(
  ctx: Ctx,
  userId: string,
  profile: FederatedProfile,
  decide: (enabled: boolean) => boolean | Promise<boolean>,
): Promise<readonly string[] | null> {
  const current = await lockUser(ctx.tx, ctx.realm, userId, ctx.now);
  if (!current) return null;
  const enabled = await decide(current.enabled);
  const asserted = fittingAttributes(await readUserProfile(ctx), withCleanNames(profile.attributes));
  const attributes = withAsserted(current.attributes, asserted);
  const sameMail = profile.email !== null && current.email !== null && loginKey(profile.email) === loginKey(current.email);
  const emailVerified = profile.email !== null && (profile.trustsEmail || (sameMail && current.emailVerified));
  const changed = [
    ...(profile.username === current.username ? [] : ["username"]),
    ...(profile.email === current.email ? [] : ["email"]),
    ...(emailVerified === current.emailVerified ? [] : ["emailVerified"]),
    ...(JSON.stringify(attributes) === JSON.stringify(current.attributes) ? [] : ["attributes"]),
    ...(enabled === current.enabled ? [] : [enabled ? "enabled" : "disabled"]),
  ];
  if (changed.length === 0) return changed;
  const { username, email } = profile;
  const { lockedByAdmin } = current;
  const write = () =>
    updateUser(ctx.tx, ctx.realm, userId, { username, email, emailVerified, enabled, attributes, lockedByAdmin }, ctx.now);
  const shutsOut = current.enabled && !enabled;
  // The last administrator of a realm is not disabled, whatever the directory says.
  const holdsRealmAdmin = shutsOut && (await permissionsOfUser(ctx.tx, ctx.realm, userId)).includes("realm-admin");
  await (holdsRealmAdmin ? keepingRealmAdmin(ctx, write) : write());
  if (shutsOut) await ctx.emit("user.disabled", { userId });
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail: changed.join(", ") });
  return changed;
}

/**
 * Changes the source of an account; the user's row must be locked. An account that moves to a directory belongs to the owner of the entry from then
 * on: every credential that was stored here is removed, because another person may hold it. A user who moves from a directory to `local` has no
 * password yet. Earlier sessions end.
 */
export async function changeSource(ctx: Ctx, { userId, source: before }: Pick<User, "userId" | "source">, source: string): Promise<void> {
  await setSource(ctx.tx, ctx.realm, userId, source, ctx.now);
  const isHandedOver = isDirectorySource(source);
  if (isHandedOver) await removeCredentials(ctx, userId);
  await ctx.emit("user.password_changed", { userId, keepSession: isHandedOver ? null : ctx.actor.sessionId });
  const detail = `source ${before} to ${source}`;
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail });
}

/** Disables a user whose directory entry is gone. Returns false if there was nothing to disable. */
export async function disableFederatedUser(ctx: Ctx, userId: string): Promise<boolean> {
  const current = await lockUser(ctx.tx, ctx.realm, userId, ctx.now);
  if (!current?.enabled) return false;
  const profile = { username: current.username, email: current.email, trustsEmail: current.emailVerified, attributes: {} };
  await saveFederatedUser(ctx, userId, profile, () => false);
  return true;
}
