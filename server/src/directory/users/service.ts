import { isDeepStrictEqual } from "node:util";
import { invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { readUserProfile } from "../../tenancy/settings/index.ts";
import {
  clearUserAttempts,
  isDirectorySource,
  type PreparedPassword,
  replacePassword,
  savePassword,
  storePassword,
  type WrittenPassword,
} from "../credentials/index.ts";
import {
  assertMayControl,
  assertMayGrant,
  keepingRealmAdmin,
  type NamedRole,
  permissionsOfUser,
  shareDefaultRole,
  shareRolesByName,
} from "../roles/index.ts";
import { userErrors } from "./errors.ts";
import type { UserQuery } from "./list.schema.ts";
import { listUsers } from "./list.store.ts";
import type { AddressProof } from "./login-names.store.ts";
import { checkProfile, type ProfileWriter } from "./profile.ts";
import { addRequiredAction, dropRequiredAction } from "./required-actions.store.ts";
import { addRoles, dropRoles, listMappings } from "./roles.store.ts";
import type { CreateUser, UpdateUser } from "./schema.ts";
import { deleteUser, findUser, insertUser, lockUser, type UserRow, updateUser } from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** The user may no longer sign in: they were disabled, or locked by an administrator. */
    "user.disabled": { readonly userId: string };
    /** An administrator deleted the user; rows that reference the user are deleted by cascade. Erasing emits `user.erased` instead. */
    "user.deleted": { readonly userId: string; readonly username: string; readonly email: string | null };
    /** A request named `enabled`, even if its value stays the same. */
    "user.enabled_set": { readonly userId: string };
    /** Attributes of a directory's user are about to change. Listeners add to `owned` those that the directory decides: their change is refused. */
    "user.attributes_changing": { readonly source: string; readonly names: readonly string[]; readonly owned: Set<string> };
    /** An administrator gives users roles or groups, including ones that they have already. All are named by id. */
    "user.grants_given": { readonly userIds: readonly string[]; readonly roles: readonly string[]; readonly groups: readonly string[] };
    /** An administrator takes roles or groups, named by id, from a user. Listeners refuse if another source gives them. */
    "user.grants_removing": { readonly userId: string; readonly roles: readonly string[]; readonly groups: readonly string[] };
    /** The password changed. Sessions end, because others may know the old password; the session that made the change stays. */
    "user.password_changed": {
      readonly userId: string;
      readonly keepSession: string | null;
      /** The sign-in in which the password was changed. */
      readonly keepInteraction?: string | null;
    };
  }
}

export const searchUsers = (ctx: ReadCtx, query: UserQuery): Promise<Page<UserRow>> => listUsers(ctx.tx, ctx.realm, query, ctx.now);

export async function readUser(ctx: ReadCtx, userId: string): Promise<UserRow> {
  const user = isId(userId) ? await findUser(ctx.tx, ctx.realm, userId, ctx.now) : null;
  if (!user) throw userErrors.not_found();
  return user;
}

/** Finds a user for a change: locks the row until commit, and checks that the caller may control the user and knows the present version. */
export const findUserForUpdate = (ctx: Ctx, userId: string): Promise<UserRow> => held(ctx, userId, () => assertMayControl(ctx, userId));

/** The same for a change of memberships, which gives no control of the account: the escalation rule does not apply. */
export const holdUser = (ctx: Ctx, userId: string): Promise<UserRow> => held(ctx, userId, async () => {});

async function held(ctx: Ctx, userId: string, check: () => Promise<void>): Promise<UserRow> {
  const user = isId(userId) ? await lockUser(ctx.tx, ctx.realm, userId, ctx.now) : null;
  if (!user) throw userErrors.not_found();
  await check();
  expectVersion(ctx, user.version);
  return user;
}

/**
 * Creates a user in the realm, with the realm's default role unless roles are named. `source` is the source of the account, `by` the writer of the
 * profile. The caller reads the user if it needs more than the id.
 */
export async function createUser(
  ctx: Ctx,
  input: CreateUser,
  proof: AddressProof = "given",
  source = "local",
  by: ProfileWriter = "admin",
): Promise<{ readonly userId: string }> {
  checkProfile(await readUserProfile(ctx), { by, current: null, next: input.attributes ?? {} });
  const named = input.roles ? await rolesNamed(ctx, input.roles) : [];
  const usual = await shareDefaultRole(ctx.tx, ctx.realm);
  const roleIds = (input.roles ? named : usual ? [usual] : []).map(({ roleId }) => roleId);
  await assertMayGrant(ctx, roleIds);
  const { userId, claimedFrom } = await insertUser(
    ctx.tx,
    ctx.realm,
    {
      username: input.username,
      email: input.email ?? null,
      emailVerified: input.emailVerified ?? false,
      enabled: input.enabled ?? true,
      attributes: input.attributes ?? {},
    },
    ctx.now,
    proof,
    source,
  );
  auditClaimedUsernames(ctx, claimedFrom);
  await addRoles(ctx.tx, ctx.realm, userId, roleIds);
  // The default role is left out: it is the usual case, and a reader of the trail does not look for it.
  const granted = named.filter(({ roleId }) => roleId !== usual?.roleId).map(({ name }) => `+${name}`);
  const detail = spellGrants("roles", granted);
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "users", resourceId: userId, detail });
  return { userId };
}

/** Audits users whose username is an address that another user has confirmed: it stays their username, but they no longer sign in by it. */
export function auditClaimedUsernames(ctx: Ctx, claimedFrom: readonly string[]): void {
  const detail = "sign-in by the username ended: it is the confirmed address of another user";
  for (const userId of claimedFrom)
    ctx.audit({ category: "SECURITY", type: "PROFILE_CHANGED", resourceType: "users", resourceId: userId, detail });
}

interface SaveUserOptions {
  /** True if the address counts as confirmed because of its source. */
  readonly trustsEmail?: boolean;
  readonly by?: ProfileWriter;
  readonly proof?: AddressProof;
  /**
   * The members that were sent to be set, and are not merely repeated as they were read: `locked` then is an administrator's lock even while the user is
   * locked temporarily, and `emailVerified` is about the address that is sent with it. By default, as in a PUT, that is `enabled`.
   */
  readonly sets?: readonly string[];
}

/** Replaces a user's state. */
export async function saveUser(
  ctx: Ctx,
  id: string,
  input: UpdateUser,
  { trustsEmail = false, by = "admin", proof = "given", sets = ["enabled"] }: SaveUserOptions = {},
): Promise<UserRow> {
  const current = await findUserForUpdate(ctx, id);
  const { userId } = current;
  refuseReadOnly(current, input, ["realmId", "userId", "source", "createdAt", "mfaEnabled"]);
  const email = input.email ?? null;
  const { enabled } = input;
  await keepDirectoryProfile(ctx, current, { username: input.username, email, attributes: input.attributes ?? {} });
  const next = input.attributes ?? {};
  if (!isDeepStrictEqual(current.attributes, next))
    checkProfile(await readUserProfile(ctx), { by, current: current.attributes, next, named: new Set(Object.keys(next)) });
  // A PUT may repeat the temporary lock that GET showed. This does not make it permanent.
  const unlocks = current.locked && !input.locked;
  const lockedByAdmin = input.locked === current.locked && !sets.includes("locked") ? current.lockedByAdmin : input.locked;
  const shutsOut = (current.enabled && !enabled) || (!current.lockedByAdmin && lockedByAdmin);
  if (shutsOut && isSelf(ctx, userId)) throw userErrors.self();

  const sameMail = email !== null && current.email !== null && loginKey(email) === loginKey(current.email);
  const vouches = sameMail || !current.emailVerified || sets.includes("emailVerified");
  const emailVerified = email !== null && (trustsEmail || (input.emailVerified === true && vouches));
  const write = async () => {
    const fields = { username: input.username, email, emailVerified, enabled, attributes: input.attributes ?? {}, lockedByAdmin };
    await updateUser(ctx.tx, ctx.realm, userId, fields, ctx.now, proof);
    return replaceRoles(ctx, userId, input.roles);
  };
  const heldRealmAdmin = (await permissionsOfUser(ctx.tx, ctx.realm, userId)).includes("realm-admin");
  const roleChanges = await (heldRealmAdmin ? keepingRealmAdmin(ctx, write) : write());

  if (unlocks) await clearUserAttempts(ctx.tx, ctx.realm, userId);
  if (shutsOut) await ctx.emit("user.disabled", { userId });
  if (sets.includes("enabled")) await ctx.emit("user.enabled_set", { userId });
  const user = await readUser(ctx, userId);
  const detail = whatChanged(current, user, roleChanges);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail });
  if (unlocks) ctx.audit({ category: "SECURITY", type: "USER_UNLOCKED", resourceType: "users", resourceId: userId });
  else if (!current.lockedByAdmin && lockedByAdmin)
    ctx.audit({ category: "SECURITY", type: "USER_LOCKED", resourceType: "users", resourceId: userId });
  return user;
}

/**
 * Refuses changes of members that a directory supplies: the next sign-in or sync would undo them. `fieldOf` returns the request's name for an
 * attribute.
 */
export async function keepDirectoryProfile(
  ctx: Ctx,
  { source, ...current }: UserRow,
  next: Pick<UserRow, "username" | "email" | "attributes">,
  fieldOf = (attribute: string) => `attributes.${attribute}`,
): Promise<void> {
  if (!isDirectorySource(source)) return;
  const names = [...new Set([...Object.keys(current.attributes), ...Object.keys(next.attributes)])]
    .filter((name) => !isDeepStrictEqual(current.attributes[name], next.attributes[name]))
    .sort();
  const owned = new Set(["firstName", "lastName"]);
  if (names.length > 0) await ctx.emit("user.attributes_changing", { source, names, owned });
  const changed = [
    ...(["username", "email"] as const).filter((member) => next[member] !== current[member]),
    ...names.filter((name) => owned.has(name)).map(fieldOf),
  ];
  if (changed.length > 0) throw userErrors.from_directory(source, changed);
}

/** Returns the detail for the audit trail: the names of the changed members without their values, which are personal, and the changed roles. */
function whatChanged(before: UserRow, after: UserRow, roleChanges: readonly string[]): string | null {
  const members = (["username", "email", "emailVerified", "attributes"] as const).filter(
    (member) => !isDeepStrictEqual(before[member], after[member]),
  );
  const flags = [
    ...(before.enabled === after.enabled ? [] : [after.enabled ? "enabled" : "disabled"]),
    ...(before.locked === after.locked ? [] : [after.locked ? "locked" : "unlocked"]),
  ];
  return [...flags, ...members, spellGrants("roles", roleChanges)].filter((part) => part !== null).join(", ") || null;
}

/** Returns the roles or groups that were given (`+`) or taken (`-`), as the audit trail records them, or null if there are none. */
export const spellGrants = (kind: "roles" | "groups", changes: readonly string[]): string | null =>
  changes.length > 0 ? `${kind} ${changes.join(" ")}` : null;

export async function removeUser(ctx: Ctx, id: string): Promise<void> {
  const { userId, username, email } = await findUserForUpdate(ctx, id);
  if (isSelf(ctx, userId)) throw userErrors.self();
  const heldRealmAdmin = (await permissionsOfUser(ctx.tx, ctx.realm, userId)).includes("realm-admin");
  // Sessions and grants end as for a disabled user, and participants are notified.
  await ctx.emit("user.disabled", { userId });
  const remove = () => deleteUser(ctx.tx, ctx.realm, userId);
  await (heldRealmAdmin ? keepingRealmAdmin(ctx, remove) : remove());
  await ctx.emit("user.deleted", { userId, username, email });
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "users", resourceId: userId });
}

/** Sets a password that was prepared before the transaction. Returns false, with nothing written, if another was set in between. */
export async function setPassword(
  ctx: Ctx,
  id: string,
  prepared: PreparedPassword | WrittenPassword,
  { temporary }: { readonly temporary: boolean },
): Promise<boolean> {
  const { userId } = await findUserForUpdate(ctx, id);
  if (!(await storePassword(ctx, userId, prepared))) return false;
  await (temporary ? addRequiredAction : dropRequiredAction)(ctx.tx, ctx.realm, userId, "UPDATE_PASSWORD");
  await passwordWasReset(ctx, userId);
  return true;
}

/** Replaces the present password by a hash that was made elsewhere. */
export async function resetPassword(ctx: Ctx, id: string, hash: string): Promise<void> {
  const { userId } = await findUserForUpdate(ctx, id);
  await replacePassword(ctx, userId, hash);
  await passwordWasReset(ctx, userId);
}

async function passwordWasReset(ctx: Ctx, userId: string): Promise<void> {
  await ctx.emit("user.password_changed", { userId, keepSession: ctx.actor.sessionId });
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail: "password" });
  ctx.audit({ category: "SECURITY", type: "PASSWORD_RESET", resourceType: "users", resourceId: userId });
}

/** Finds the roles that a request names with a user. An unknown name is an error of that field. */
async function rolesNamed(ctx: Ctx, names: readonly string[]): Promise<NamedRole[]> {
  const roles = await shareRolesByName(ctx.tx, ctx.realm, names);
  const known = new Set(roles.map(({ name }) => loginKey(name)));
  const unknown = names.filter((name) => !known.has(loginKey(name)));
  if (unknown.length > 0)
    throw invalidFields(
      unknown.map((name) => ({ field: "roles", code: "unknown_role", message: `There is no role “${name}” in this realm` })),
    );
  return roles;
}

/** Replaces the user's realm roles. Returns the changes as the audit trail records them. */
async function replaceRoles(ctx: Ctx, userId: string, names: readonly string[]): Promise<string[]> {
  const wanted = (await rolesNamed(ctx, names)).map(({ roleId }) => roleId);
  // Roles of clients are not a member of the user, so they stay.
  const before = (await listMappings(ctx.tx, ctx.realm, userId)).filter(({ clientId }) => clientId === null);
  const held = before.map(({ roleId }) => roleId);
  const added = wanted.filter((roleId) => !held.includes(roleId));
  const dropped = held.filter((roleId) => !wanted.includes(roleId));
  await assertMayGrant(ctx, [...added, ...dropped]);
  if (dropped.length > 0) await ctx.emit("user.grants_removing", { userId, roles: dropped, groups: [] });
  await addRoles(ctx.tx, ctx.realm, userId, added);
  await dropRoles(ctx.tx, ctx.realm, userId, dropped);
  if (added.length > 0) await ctx.emit("user.grants_given", { userIds: [userId], roles: added, groups: [] });
  if (added.length + dropped.length === 0) return [];
  const after = await listMappings(ctx.tx, ctx.realm, userId);
  return [
    ...after.filter(({ roleId }) => added.includes(roleId)).map(({ name }) => `+${name}`),
    ...before.filter(({ roleId }) => dropped.includes(roleId)).map(({ name }) => `-${name}`),
  ];
}

export const isSelf = (ctx: Ctx, userId: string): boolean => ctx.actor.id === userId && ctx.actor.realm === ctx.realm;

/** Creates the user `admin` with the roles `admin` and `user`, on `realm.created`. */
export async function seedAdmin(ctx: Ctx, seed: { readonly realm: string; readonly adminPasswordHash: string }): Promise<void> {
  const { userId } = await insertUser(
    ctx.tx,
    seed.realm,
    { username: "admin", email: null, emailVerified: false, enabled: true, attributes: {} },
    ctx.now,
  );
  const roles = await shareRolesByName(ctx.tx, seed.realm, ["admin", "user"]);
  await addRoles(
    ctx.tx,
    seed.realm,
    userId,
    roles.map(({ roleId }) => roleId),
  );
  await savePassword(ctx.tx, seed.realm, userId, seed.adminPasswordHash, ctx.now);
}
