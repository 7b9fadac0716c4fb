import { isDeepStrictEqual } from "node:util";
import { type AppError, invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import { expectVersion } from "../../platform/versions.ts";
import {
  type CredentialSummary,
  credentialErrors,
  listCredentials,
  type PreparedPassword,
  storePassword,
  type WrittenPassword,
} from "../credentials/index.ts";
import type { CreateCredential, CreatedCredential } from "./credentials.schema.ts";
import { addEnrollmentToken, removeCredential } from "./credentials.service.ts";
import { userErrors } from "./errors.ts";
import { isMailShaped } from "./login-names.store.ts";
import { dropRequiredAction } from "./required-actions.store.ts";
import type { User } from "./schema.ts";
import { auditClaimedUsernames, keepDirectoryProfile, readUser } from "./service.ts";
import { findUserByLogin, lockUser, type UserRow, updateUser } from "./store.ts";

// Changes that users make to their own account, without an escalation check. The caller has authenticated the user.

/** Finds the calling user for a change: locks the row until commit, and checks the version that the request expects. */
export async function takeOwnUser(ctx: Ctx): Promise<UserRow> {
  const user = isId(ctx.actor.id) ? await lockUser(ctx.tx, ctx.realm, ctx.actor.id, ctx.now) : null;
  if (!user) throw userErrors.not_found();
  expectVersion(ctx, user.version);
  return user;
}

/** Refuses a username in the form of an email address, unless it is the user's own confirmed one. */
function assertOwnName(username: string, confirmed: string | null): void {
  if (!isMailShaped(username) || (confirmed !== null && loginKey(username) === loginKey(confirmed))) return;
  const { code, message } = userErrors.not_own_address();
  throw invalidFields([{ field: "username", code, message }]);
}

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** Users change their own profile. Listeners add to `supplied` the members that an outside source vouches for: users cannot change these. */
    "user.profile_changing": { readonly userId: string; readonly supplied: Set<string> };
    /** This transaction removed a way by which the user may have signed in. Listeners throw `refused()` if the user has no other. */
    "user.way_in_given_up": { readonly userId: string; readonly lost: LostWayIn; readonly refused: () => AppError };
  }
}

/** The way to sign in that the user had before the change. */
interface LostWayIn {
  /** The type of a credential by which the user signed in. */
  readonly credential?: string;
  /** An account at an enabled identity provider. */
  readonly link?: true;
  readonly profile?: Pick<User, "email" | "attributes">;
}

/**
 * Refuses a change of members that a directory decides, or that a scheme such as eIDAS has supplied and applications rely on. `fieldOf` returns the
 * request's name for an attribute.
 */
export async function keepOutsideProfile(
  ctx: Ctx,
  current: UserRow,
  next: Pick<User, "username" | "email" | "attributes">,
  fieldOf = (attribute: string) => attribute,
): Promise<void> {
  await keepDirectoryProfile(ctx, current, next, fieldOf);
  const supplied = new Set<string>();
  await ctx.emit("user.profile_changing", { userId: current.userId, supplied });
  const isChanged = (member: string) =>
    member === "email" ? current.email !== next.email : !isDeepStrictEqual(current.attributes[member], next.attributes[member]);
  const changed = [...supplied].filter(isChanged).map((member) => (member === "email" ? member : fieldOf(member)));
  if (changed.length > 0) throw userErrors.supplied(changed);
}

/** Saves a user's own profile; the row must be locked. This changes only the spelling of the address, or removes it: `changeOwnEmail` sets another. */
export async function saveOwnProfile(
  ctx: Ctx,
  current: UserRow,
  next: Pick<User, "username" | "email" | "attributes">,
  changed: readonly string[],
): Promise<UserRow> {
  const { userId, enabled, lockedByAdmin } = current;
  await keepOutsideProfile(ctx, current, next);
  if (loginKey(next.username) !== loginKey(current.username)) assertOwnName(next.username, current.emailVerified ? current.email : null);
  const sameMail = next.email !== null && current.email !== null && loginKey(next.email) === loginKey(current.email);
  const fields = { ...next, emailVerified: sameMail && current.emailVerified, enabled, lockedByAdmin };
  await updateUser(ctx.tx, ctx.realm, userId, fields, ctx.now);
  const lost = { profile: { email: current.email, attributes: current.attributes } };
  await ctx.emit("user.way_in_given_up", { userId, lost, refused: userErrors.last_way_in });
  ctx.audit({ category: "SECURITY", type: "PROFILE_CHANGED", resourceType: "users", resourceId: userId, detail: changed.join(" ") });
  return readUser(ctx, userId);
}

/**
 * Confirms the address after its mailed code or link was used; it becomes a login name. Returns false if the user has another address now, or if
 * another user signs in by this one.
 */
export async function confirmEmail(ctx: Ctx, userId: string, email: string): Promise<boolean> {
  const user = await lockUser(ctx.tx, ctx.realm, userId, ctx.now);
  if (!user || user.email === null || loginKey(user.email) !== loginKey(email)) return false;
  if (!user.emailVerified) {
    const holder = await findUserByLogin(ctx.tx, ctx.realm, email);
    if (holder && holder.userId !== userId && isAddressOf(await readUser(ctx, holder.userId), email)) return false;
  }
  await dropRequiredAction(ctx.tx, ctx.realm, userId, "VERIFY_EMAIL");
  if (user.emailVerified) return true;
  auditClaimedUsernames(ctx, await updateUser(ctx.tx, ctx.realm, userId, { ...user, emailVerified: true }, ctx.now, "confirmed"));
  const actor = { id: userId, name: user.username };
  ctx.audit({ category: "SECURITY", type: "PROFILE_CHANGED", resourceType: "users", resourceId: userId, detail: "emailVerified", actor });
  return true;
}

/** Saves a new address after its mailed link was followed. Returns false if the present address has changed, or the account is disabled or locked. */
export async function changeOwnEmail(
  ctx: Ctx,
  userId: string,
  { from, to }: { readonly from: string | null; readonly to: string },
): Promise<boolean> {
  const user = await lockUser(ctx.tx, ctx.realm, userId, ctx.now);
  if (!user?.enabled || user.locked || user.email !== from) return false;
  await keepOutsideProfile(ctx, user, { ...user, email: to });
  auditClaimedUsernames(
    ctx,
    await updateUser(ctx.tx, ctx.realm, userId, { ...user, email: to, emailVerified: true }, ctx.now, "confirmed"),
  );
  await dropRequiredAction(ctx.tx, ctx.realm, userId, "VERIFY_EMAIL");
  const actor = { id: userId, name: user.username };
  ctx.audit({ category: "SECURITY", type: "PROFILE_CHANGED", resourceType: "users", resourceId: userId, detail: "email", actor });
  return true;
}

/** Tells whether this is the user's mail address, and not merely their username in the form of one. */
export const isAddressOf = ({ email }: Pick<User, "email">, address: string): boolean =>
  email !== null && loginKey(email) === loginKey(address);

/**
 * Sets the password of an authenticated user without a session; the user's row must be locked. Returns false, with nothing written, if another
 * password was set in between. `forgotten`: the user did not give the old password.
 */
export async function replaceOwnPassword(
  ctx: Ctx,
  prepared: PreparedPassword | WrittenPassword,
  who: {
    readonly userId: string;
    readonly username: string;
    readonly forgotten: boolean;
    readonly keepSession: string | null;
    readonly keepInteraction: string | null;
  },
): Promise<boolean> {
  const { userId, username, forgotten, keepSession, keepInteraction } = who;
  if (!(await storePassword(ctx, userId, prepared))) return false;
  await dropRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PASSWORD");
  await ctx.emit("user.password_changed", { userId, keepSession, keepInteraction });
  const actor = { id: userId, name: username };
  const type = forgotten ? "PASSWORD_RESET" : "PASSWORD_CHANGED";
  ctx.audit({ category: "SECURITY", type, resourceType: "users", resourceId: userId, actor });
  return true;
}

/** Returns false, with nothing written, if another password was set in between. The session that made the change stays, others end. */
export async function changeOwnPassword(ctx: Ctx, prepared: PreparedPassword | WrittenPassword): Promise<boolean> {
  const { userId } = await takeOwnUser(ctx);
  if (!(await storePassword(ctx, userId, prepared))) return false;
  await dropRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PASSWORD");
  await ctx.emit("user.password_changed", { userId, keepSession: ctx.actor.sessionId });
  ctx.audit({ category: "SECURITY", type: "PASSWORD_CHANGED", resourceType: "users", resourceId: userId });
  return true;
}

export async function createOwnEnrollmentToken(ctx: Ctx, input: CreateCredential): Promise<CreatedCredential> {
  const { userId } = await takeOwnUser(ctx);
  return addEnrollmentToken(ctx, userId, input, false);
}

/** Revokes a credential of the calling user, unless they could not sign in without it. */
export async function revokeOwnCredential(ctx: Ctx, type: string, credentialId: string, history: number): Promise<void> {
  const { userId } = await takeOwnUser(ctx);
  const isThis = (credential: CredentialSummary) => credential.type === type && credential.id === credentialId.toLowerCase();
  const credential = (await listCredentials(ctx.tx, ctx.realm, userId, ctx.now)).find(isThis);
  await removeCredential(ctx, userId, type, credentialId, history);
  if (!credential || credential.turnedOffAt !== undefined) return;
  await ctx.emit("user.way_in_given_up", { userId, lost: { credential: type }, refused: credentialErrors.last_way_in });
}
