import { isDeepStrictEqual } from "node:util";
import { dropPasswords, type PasswordParts, prepareReplacement, untilStored } from "../../../directory/credentials/index.ts";
import { holdManaged, removeMember, setMember } from "../../../directory/organizations/index.ts";
import * as users from "../../../directory/users/index.ts";
import { linkProvisioned } from "../../../federation/index.ts";
import { isId } from "../../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../../platform/context.ts";
import { unconditional } from "../../../platform/versions.ts";
import type { RealmSnapshots } from "../../../tenancy/realms/index.ts";
import type { Connection, ScimCall } from "../call.ts";
import { scimErrors } from "../errors.ts";
import { saveExternalId } from "../external-ids.store.ts";
import { type ListedPage, listResources } from "../listing/listing.ts";
import type { ListRequest } from "../listing/query.ts";
import type { Operation } from "../patch/operations.ts";
import { applyOperations, isNamedBy, readResource } from "../patch/patch.ts";
import type { Resource } from "../schema/attribute.ts";
import { userType } from "../schema/resource-types.ts";
import { fieldsOf, resourceOf, type ScimUser, type UserFields } from "./mapping.ts";
import { proofOfNames } from "./names.ts";
import { checkFields } from "./rules.ts";
import { userSource } from "./source.store.ts";
import { findUsers, saveProfile } from "./store.ts";

export interface UserParts extends PasswordParts {
  readonly realms: RealmSnapshots;
}

export const listUsers = ({ connection, read }: ScimCall, request: ListRequest): Promise<ListedPage> =>
  read(({ tx }) => listResources(tx, userSource(tx, connection), request, `User ${JSON.stringify(connection)}`));

export const readUser = ({ connection, read }: ScimCall, id: string): Promise<Resource> =>
  read(async (ctx) => resourceOf(await findUser(ctx, connection, id), connection));

async function findUser({ tx }: ReadCtx, connection: Connection, id: string): Promise<ScimUser> {
  const [user] = isId(id) ? await findUsers(tx, connection, [id.toLowerCase()]) : [];
  if (!user) throw scimErrors.not_found();
  return user;
}

export async function createUser(call: ScimCall, parts: UserParts, body: unknown): Promise<Resource> {
  const { connection } = call;
  const { password, ...resource } = readResource(userType, body);
  const fields = fieldsOf(resource, {});
  checkFields(fields);
  const { username, email, enabled, attributes } = fields;
  const input = { username, email, enabled, attributes, emailVerified: connection.trustEmails && email !== null };
  const { passwordPolicy } = (await parts.realms.get(connection.realm))!.settings;
  const first = typeof password === "string" ? { ...input, password } : input;
  const hash = await call.read((ctx) => users.prepareFirstPassword(ctx, parts, passwordPolicy, first));
  return call.transact(async (given) => {
    const ctx = unconditional(given);
    const { userId } = await users.createUserToSignIn(ctx, input, hash, {
      by: "source",
      proof: await proofOfNames(ctx, connection, fields, null),
    });
    if (connection.organizationId !== null) await setMember(ctx, connection.organizationId, userId, { managed: true });
    await saveScim(ctx, connection, userId, fields);
    return resourceOf(await findUser(ctx, connection, userId), connection);
  });
}

async function saveScim(ctx: Ctx, connection: Connection, userId: string, { profile, externalId }: UserFields): Promise<void> {
  await saveProfile(ctx.tx, ctx.realm, userId, profile);
  await saveExternalId(ctx.tx, "user", connection, userId, externalId);
  if (connection.identityProvider !== null) await linkProvisioned(ctx, connection.identityProvider, userId, externalId);
}

/** A change of a user, as a request describes it. */
interface Change {
  readonly mayHavePassword: boolean;
  /** True if the request sets the account's state. */
  readonly namesActive: boolean;
  apply(current: Resource): Resource;
}

/** Replaces a user (PUT). Absent attributes are unassigned, except `active` and `externalId`, which decide who may sign in. */
export const replaceUser = (call: ScimCall, parts: UserParts, id: string, body: unknown): Promise<Resource> => {
  const sent = readResource(userType, body);
  return changeUser(call, parts, id, {
    mayHavePassword: sent.password !== undefined,
    namesActive: sent.active !== undefined,
    apply: ({ active, externalId }) => ({ active, externalId, ...sent }),
  });
};

export const patchUser = (call: ScimCall, parts: UserParts, id: string, operations: readonly Operation[]): Promise<Resource> =>
  changeUser(call, parts, id, {
    mayHavePassword: /password/i.test(JSON.stringify(operations)),
    namesActive: isNamedBy(userType, operations, "active"),
    apply: (current) => applyOperations(userType, current, operations),
  });

/** Makes a change completely or not at all. The user is locked meanwhile. */
async function changeUser(call: ScimCall, parts: UserParts, id: string, change: Change): Promise<Resource> {
  let answer: Resource | undefined;
  await untilStored(async () => {
    const prepared = change.mayHavePassword ? await preparedPassword(call, parts, id, change) : null;
    answer = await call.transact(async (ctx) => {
      const held = await holdUser(ctx, call.connection, id);
      const { userId } = held.user;
      // The password comes first: if it returns false, nothing was written, and all is tried again.
      if (prepared && !(await users.setPassword(unconditional(ctx), userId, prepared, { temporary: false }))) return undefined;
      return saveChange(unconditional(ctx), call.connection, held, change);
    });
    return answer !== undefined;
  });
  return answer!;
}

interface Held {
  readonly user: ScimUser;
  readonly account: users.UserRow;
}

/** Locks a user until commit. The token must see and may change the user, in the version that the client saw. */
async function holdUser(ctx: Ctx, connection: Connection, id: string): Promise<Held> {
  const { userId } = await findUser(ctx, connection, id);
  const account = await users.findUserForUpdate(ctx, userId);
  if (!(await mayChange(ctx, connection, userId))) throw scimErrors.shared_user();
  return { user: await findUser(ctx, connection, userId), account };
}

/** Tells whether the token may change the account, which must be locked: a token of an organization may change only its own. */
const mayChange = async (ctx: Ctx, { organizationId }: Connection, userId: string): Promise<boolean> =>
  organizationId === null || holdManaged(ctx.tx, ctx.realm, { organizationId, userId });

/** Prepares a new password before the transaction, because that is slow. Returns null if the change sets none. */
async function preparedPassword(call: ScimCall, parts: UserParts, id: string, change: Change) {
  const { user } = await call.transact((ctx) => holdUser(ctx, call.connection, id));
  const wanted = change.apply(resourceOf(user, call.connection));
  if (typeof wanted.password !== "string") return null;
  const { username, email } = fieldsOf(wanted, user.attributes);
  const { passwordPolicy } = (await parts.realms.get(call.connection.realm))!.settings;
  const owner = { userId: user.userId, username, email };
  return call.read((ctx) => prepareReplacement(ctx, parts, passwordPolicy, owner, { next: String(wanted.password), current: null }));
}

async function saveChange(ctx: Ctx, connection: Connection, { user, account }: Held, change: Change): Promise<Resource> {
  const { userId } = user;
  const before = resourceOf(user, connection);
  const wanted = change.apply(before);
  const fields = fieldsOf(wanted, user.attributes);
  checkFields(fields);
  if (wanted.password === null) await removePassword(ctx, userId);
  if (!isDeepStrictEqual(fields, fieldsOf(before, user.attributes))) {
    const { username, email, enabled, attributes } = fields;
    const { locked, roles, emailVerified } = account;
    // An unchanged address keeps the trust that its source gave it.
    const trustsEmail = connection.trustEmails && email !== account.email;
    await users.saveUser(
      ctx,
      userId,
      { username, email, emailVerified, enabled, locked, roles, attributes },
      {
        trustsEmail,
        by: "source",
        proof: await proofOfNames(ctx, connection, fields, account),
        sets: change.namesActive ? ["enabled"] : [],
      },
    );
    await saveScim(ctx, connection, userId, fields);
  } else if (change.namesActive) await ctx.emit("user.enabled_set", { userId });
  return resourceOf(await findUser(ctx, connection, userId), connection);
}

/** Removes the password. The user then signs in by another way, or not at all. Does nothing if there is none. */
async function removePassword(ctx: Ctx, userId: string): Promise<void> {
  if (!(await dropPasswords(ctx.tx, ctx.realm, userId))) return;
  await ctx.emit("user.password_changed", { userId, keepSession: null });
  const about = { resourceType: "users", resourceId: userId, detail: "password" };
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", ...about });
  ctx.audit({ category: "SECURITY", type: "CREDENTIAL_REVOKED", ...about });
}

/** Deletes the account. With a token of an organization, a user whose account is not its own only leaves the organization. */
export const removeUser = ({ connection, transact }: ScimCall, id: string): Promise<void> =>
  transact(async (ctx) => {
    const { userId } = await findUser(ctx, connection, id);
    await users.holdUser(ctx, userId);
    if (await mayChange(ctx, connection, userId)) return users.removeUser(ctx, userId);
    await removeMember(unconditional(ctx), connection.organizationId!, userId);
  });
