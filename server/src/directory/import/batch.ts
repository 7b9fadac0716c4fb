import { type AppError, invalidFields } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { AuditDraft, Ctx } from "../../platform/context.ts";
import { inSavepoint, shareRealm } from "../../platform/db/index.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import { readUserProfile } from "../../tenancy/settings/index.ts";
import { assertMayGrant, shareDefaultRole, shareRolesByName } from "../roles/index.ts";
import {
  findUserForUpdate,
  profileFaults,
  refusalOfUsername,
  replaceRequiredActions,
  resetPassword,
  saveUser,
  userErrors,
} from "../users/index.ts";
import { findClientsCalled, findTaken, findTakenIds, insertNewUsers, type NewUser, rolesByMappers } from "./batch.store.ts";
import type { BatchTools } from "./batch-tools.ts";
import type { Batch } from "./batches.ts";
import { type Belongings, createResolver, insertBelongings, isFault } from "./belongings.ts";
import { createPrivileges, type Privileges } from "./privileges.ts";
import type { Fault } from "./readers/index.ts";
import { type CheckedRow, checkRow, faultIn, faultOfError, isReady, keysOf, type ReadyRow } from "./row.ts";
import type { ImportUser, OnConflict } from "./schema.ts";

export type Outcome = "created" | "updated" | "skipped" | Fault;

const fault = ({ code, message }: AppError): Fault => ({ code, message });
const taken = fault(userErrors.login_name_taken());
const idTaken: Fault = { code: "import.user_id_taken", message: "Another user of the realm has this userId" };
/** RFC 9700 §4.15: the client's own tokens would have the user's `sub`. */
const idOfClient: Fault = { code: "import.user_id_taken", message: "A client of the realm has this userId as its client id" };
const forNewUsers = ["groups", "clientRoles", "organizations", "credentials", "totp", "federatedIdentities"] as const;

/**
 * Writes the rows of one batch, of which no two share a name, and returns the outcome of each. New users are inserted by one statement per table;
 * existing users are changed one by one, by the same rules and with the same effects as any change of a user.
 */
async function applyRows(ctx: Ctx, rows: readonly CheckedRow[], onConflict: OnConflict, tools: BatchTools): Promise<Outcome[]> {
  const outcomes = new Map<CheckedRow, Outcome>();
  const ids = rows.filter(isReady).flatMap((row) => idOf(row) ?? []);
  // Keeps a client from getting one of the ids as its client id meanwhile.
  if (ids.length > 0) await shareRealm(ctx.tx, ctx.realm);
  const roles = await rolesOf(ctx, rows.filter(isReady));
  const sound = rows.filter((row): row is ReadyRow => {
    const refusal = isReady(row) ? roles.unknownIn(row) : row.fault;
    if (refusal) outcomes.set(row, refusal);
    return refusal === null;
  });

  const present = await findTaken(ctx.tx, ctx.realm, sound.flatMap(keysOf));
  const newcomers = new Map<ReadyRow, NewUser>();
  const belongings = new Map<ReadyRow, Belongings>();
  const resolve = createResolver(ctx, tools);
  const privileges = createPrivileges(ctx);
  const profile = await readUserProfile(ctx);
  const misfit = ({ user }: ReadyRow): Fault | null => {
    const faults = profileFaults(profile, { by: "source", current: null, next: user.attributes ?? {} });
    return faults.length === 0 ? null : { code: "request.invalid", message: faults.map(({ message }) => message).join("; ") };
  };
  const takenIds = await findTakenIds(ctx.tx, ctx.realm, ids);
  const clientsCalled = await findClientsCalled(ctx.tx, ctx.realm, ids);
  // A user without any active login name is recognised by id and username.
  const knownById = (row: ReadyRow): Owner | undefined => {
    const userId = idOf(row);
    return userId !== undefined && takenIds.get(userId) === row.usernameKey ? { userId, byUsername: true } : undefined;
  };
  const refusalOfId = (userId: string | undefined): Fault | null => {
    if (userId === undefined) return null;
    if (takenIds.has(userId)) return idTaken;
    return clientsCalled.has(userId) ? idOfClient : null;
  };
  const isTaken = (row: ReadyRow) => keysOf(row).some((key) => present.has(key)) || knownById(row) !== undefined;
  for (const row of sound.filter((each) => !isTaken(each))) {
    const userId = idOf(row);
    const found = await resolve(row);
    const refusal =
      (await roles.refusalFor(row)) ?? misfit(row) ?? refusalOfName(ctx, row) ?? (isFault(found) ? found : refusalOfId(userId));
    if (refusal || isFault(found)) outcomes.set(row, refusal!);
    else {
      belongings.set(row, found);
      newcomers.set(row, newUser(ctx, row, [...roles.idsFor(row), ...found.clientRoleIds]));
    }
  }
  const inserted = await insertNewUsers(ctx.tx, ctx.realm, [...newcomers.values()], ctx.now);
  const late: ReadyRow[] = [];
  for (const [row, { userId }] of newcomers) inserted.has(userId) ? outcomes.set(row, "created") : late.push(row);
  const made = [...newcomers].filter(([, { userId }]) => inserted.has(userId));
  await insertBelongings(
    ctx,
    tools,
    made.map(([row, { userId }]) => ({ userId, row, belongings: belongings.get(row)! })),
  );

  const owners = late.length === 0 ? present : new Map([...present, ...(await findTaken(ctx.tx, ctx.realm, late.flatMap(keysOf)))]);
  for (const row of [...sound.filter(isTaken), ...late]) {
    const holders = keysOf(row).flatMap((key) => owners.get(key) ?? []);
    const byName = row.inactiveKeys.has(row.usernameKey) ? undefined : owners.get(row.usernameKey);
    outcomes.set(row, await settle(ctx, row, knownById(row) ?? byName, holders, onConflict, privileges));
  }
  // The import itself is one event. The audit trail also names everyone who got admin permissions by it.
  for (const [row, { userId, roleIds }] of made) {
    const { roles: named, groups = [], clientRoles } = row.user;
    if (!named && !clientRoles && groups.length === 0) continue;
    const { groupIds } = belongings.get(row)!;
    const detail = await privileges.givenBy(
      roleIds,
      groups.map((path, at) => ({ path, groupId: groupIds[at]! })),
    );
    if (detail !== null) ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "users", resourceId: userId, detail });
  }
  return rows.map((row) => outcomes.get(row)!);
}

/** Imports one user by the rules of a row. Accounts at identity providers are refused. */
export async function importOne(ctx: Ctx, user: ImportUser, vault: BatchTools["vault"]): Promise<Outcome> {
  const row = checkRow({ row: 1, line: 1, bytes: Buffer.alloc(0), value: user }, ctx.now);
  const none = async () => {
    throw invalidFields([{ field: "federatedIdentities", code: "unknown", message: "There are no accounts at providers here" }]);
  };
  const [outcome] = await applyRows(ctx, [row], "fail", { vault, links: { check: none, insert: none } });
  return outcome!;
}

interface Owner {
  readonly userId: string;
  readonly byUsername: boolean;
}

const idOf = ({ user }: ReadyRow): string | undefined => user.userId?.toLowerCase();

/** Refuses a reserved name. Only a caller who controls every user may give a username that is another user's address. */
function refusalOfName(ctx: Ctx, { user, usernameKey, inactiveKeys }: ReadyRow): Fault | null {
  const refusal = refusalOfUsername(user.username);
  if (refusal) return fault(refusal);
  if (!inactiveKeys.has(usernameKey)) return null;
  try {
    assertHolds(ctx.actor, ["realm-admin"]);
    return null;
  } catch (error) {
    return faultOfError(error);
  }
}

/** Decides about a row whose name or email address is taken. A row is an existing user only if it has the username. */
async function settle(
  ctx: Ctx,
  row: ReadyRow,
  owner: Owner | undefined,
  holders: readonly Owner[],
  onConflict: OnConflict,
  privileges: Privileges,
): Promise<Outcome> {
  if (onConflict === "skip") {
    // A row with an id names one user. If another user has its name, this user would be lost, so the report lists the row.
    const userId = idOf(row);
    const isThere = owner?.byUsername || userId === undefined || holders.some((holder) => holder.userId === userId);
    return isThere ? "skipped" : taken;
  }
  if (onConflict === "fail" || !owner?.byUsername) return taken;
  const ignored = forNewUsers.filter((member) => row.user[member] !== undefined);
  if (ignored.length > 0)
    return { code: "import.new_users_only", message: `${ignored.join(", ")}: only a new user gets these; leave them out to update one` };
  try {
    await updateUser(ctx, owner.userId, row, privileges);
    return "updated";
  } catch (error) {
    return faultOfError(error);
  }
}

/** Changes the members that the row names and keeps the others. The change is made as a whole or not at all. */
async function updateUser(
  ctx: Ctx,
  userId: string,
  { user, emailKey, inactiveKeys, passwordHash }: ReadyRow,
  privileges: Privileges,
): Promise<void> {
  const drafts: AuditDraft[] = [];
  const effects: (() => void)[] = [];
  const rowCtx: Ctx = {
    ...ctx,
    ifMatch: null,
    ifNoneMatch: null,
    audit: (draft) => void drafts.push(draft),
    afterCommit: (effect) => void effects.push(effect),
  };
  const changesPermissions = await inSavepoint(ctx.tx, async () => {
    const current = await findUserForUpdate(rowCtx, userId);
    const state = {
      username: user.username,
      email: user.email === undefined ? current.email : user.email,
      attributes: user.attributes ?? current.attributes,
      enabled: user.enabled ?? current.enabled,
      locked: user.locked ?? current.locked,
      emailVerified: user.emailVerified ?? current.emailVerified,
      // An export leaves out the roles that mappers gave, so they stay: only the provider withdraws them.
      roles: user.roles ? [...new Set([...user.roles, ...(await rolesByMappers(ctx.tx, ctx.realm, userId))])] : current.roles,
    };
    const isUnconfirmed = emailKey !== null && inactiveKeys.has(emailKey);
    const sets = Object.entries(user).flatMap(([member, value]) => (value === undefined ? [] : [member]));
    const saved = await saveUser(rowCtx, userId, state, { by: "source", sets, proof: isUnconfirmed ? "unconfirmed" : "given" });
    if (user.requiredActions) await replaceRequiredActions(ctx.tx, ctx.realm, userId, user.requiredActions);
    if (passwordHash !== null) await resetPassword(rowCtx, userId, passwordHash);
    return privileges.differ(current.roles, saved.roles);
  });
  // The import is one event. Changed permissions and security events are recorded per user, after the write.
  for (const draft of drafts) if (draft.category !== "ADMIN" || changesPermissions) ctx.audit(draft);
  for (const effect of effects) ctx.afterCommit(effect);
}

const newUser = (ctx: Ctx, row: ReadyRow, roleIds: readonly string[]): NewUser => {
  const { user, usernameKey, emailKey, inactiveKeys, createdAt, passwordHash } = row;
  return {
    userId: idOf(row) ?? newId(),
    username: user.username,
    usernameKey,
    email: user.email ?? null,
    emailKey,
    inactiveKeys,
    emailVerified: user.email != null && (user.emailVerified ?? false),
    enabled: user.enabled ?? true,
    locked: user.locked ?? false,
    attributes: user.attributes ?? {},
    requiredActions: user.requiredActions ?? [],
    passwordHash,
    roleIds,
    createdAt: createdAt ?? ctx.now,
  };
};

/** Looks up the roles that a batch gives, once, and keeps them from changing until it commits. */
async function rolesOf(ctx: Ctx, rows: readonly ReadyRow[]) {
  const names = [...new Set(rows.flatMap(({ user }) => user.roles ?? []).map(loginKey))];
  const found = new Map((await shareRolesByName(ctx.tx, ctx.realm, names)).map(({ name, roleId }) => [loginKey(name), roleId]));
  const usual = rows.some(({ user }) => !user.roles) ? await shareDefaultRole(ctx.tx, ctx.realm) : null;
  const refusals = new Map<string, Fault | null>();

  const idsFor = ({ user }: ReadyRow): string[] =>
    user.roles ? [...new Set(user.roles.map((name) => found.get(loginKey(name))!))] : usual ? [usual.roleId] : [];
  const mayGrant = async (roleId: string): Promise<Fault | null> => {
    try {
      await assertMayGrant(ctx, [roleId]);
      return null;
    } catch (error) {
      return faultIn("roles", faultOfError(error));
    }
  };
  return {
    idsFor,
    unknownIn({ user }: ReadyRow): Fault | null {
      const unknown = (user.roles ?? []).filter((name) => !found.has(loginKey(name)));
      return unknown.length === 0
        ? null
        : faultIn("roles", {
            code: "request.invalid",
            message: unknown.map((name) => `There is no role “${name}” in this realm`).join("; "),
          });
    },
    /** Applies the escalation rule, once for each role. Returns the reason why the caller may not create a user with these roles, or null. */
    async refusalFor(row: ReadyRow): Promise<Fault | null> {
      for (const roleId of idsFor(row)) {
        if (!refusals.has(roleId)) refusals.set(roleId, await mayGrant(roleId));
        const refusal = refusals.get(roleId);
        if (refusal) return refusal;
      }
      return null;
    },
  };
}

/** Tells by the SQLSTATE whether the data is invalid (22, 23) or too large for an index (54). */
const isAboutData = (error: unknown): boolean => /^(22|23|54)/.test(String((error as { code?: unknown })?.code));
const notStored = { code: "import.not_stored", message: "The database refuses this row: a value is out of range" };

/** Writes a batch. If the database refuses data that no rule foresaw, writes it again row by row, so that only the bad rows fail. */
export async function writeBatch(
  { rows }: Batch,
  onConflict: OnConflict,
  tools: BatchTools,
  run: (write: (ctx: Ctx) => Promise<Outcome[]>) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  try {
    return await run((ctx) => applyRows(ctx, rows, onConflict, tools));
  } catch (error) {
    if (!isAboutData(error)) throw error;
  }
  return run(async (ctx) => {
    const outcomes: Outcome[] = [];
    for (const row of rows) {
      try {
        outcomes.push(...(await inSavepoint(ctx.tx, () => applyRows(ctx, [row], onConflict, tools))));
      } catch (error) {
        if (!isAboutData(error)) throw error;
        outcomes.push(notStored);
      }
    }
    return outcomes;
  });
}
