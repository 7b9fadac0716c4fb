import { rm } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { PASSWORD_FILE } from "../bootstrap.ts";
import type { Core } from "../core.ts";
import { clearUserAttempts, preparePassword, savePassword } from "../directory/credentials/index.ts";
import { rolesWithPermissions, shareDefaultRole } from "../directory/roles/index.ts";
import { CreateUser, createUser, findUserByLogin, readUser, resetPassword } from "../directory/users/index.ts";
import type { Ctx } from "../platform/context.ts";
import { shippedBreaches } from "../platform/passwords/index.ts";
import { MASTER } from "../tenancy/realms/index.ts";
import type { Settings } from "../tenancy/settings/index.ts";
import { checked } from "./checked.ts";
import { type Command, type ExitCode, type Invocation, UsageError } from "./command.ts";
import { cliOrigin, requireRealm, withCore } from "./core.ts";
import { choosePassword } from "./secrets.ts";

export const run: Command = async (call) => (call.action === "create" ? create(call) : reset(call));

const option = (call: Invocation, name: string): string | undefined => call.options[name] as string | undefined;

/** Resets the password of an administrator who can no longer sign in. It restores access, and changes nothing else about the user. */
async function reset(call: Invocation): Promise<ExitCode> {
  const [realm, login] = [option(call, "realm") ?? MASTER, option(call, "username") ?? "admin"];
  const { password, toShow } = await choosePassword(call, "password-file");
  const user = await withCore(call, async (core) => {
    const { settings } = await requireRealm(core, realm);
    const found = await findUserByLogin(core.db, realm, login);
    if (!found) throw new Error(`There is no user “${login}” in the realm ${realm}.`);
    const hash = await checkedHash(core, realm, settings, found.username, password);
    await core.work.transact(cliOrigin(realm), async (ctx) => {
      await resetPassword(ctx, found.userId, hash);
      await liftLocks(ctx, found.userId);
    });
    // The file contains the password that has just ended.
    if (realm === MASTER && found.username === "admin") await rm(join(core.config.dataDir, PASSWORD_FILE), { force: true });
    return found;
  });
  const lines = [`${user.username} of the realm ${realm} has a new password, and is signed out everywhere.`];
  if (toShow !== null) lines.push("", `  Password    ${toShow}`);
  if (!user.enabled) lines.push("", "The user is disabled and cannot sign in: another administrator has to enable it.");
  call.print(
    { realm, userId: user.userId, username: user.username, enabled: user.enabled, ...(toShow !== null && { password: toShow }) },
    lines.join("\n"),
  );
  return 0;
}

/**
 * Checks and hashes a password by the rules of the realm. A password may be set again, so that a repeated command does the same. No request is sent: only the
 * shipped list of leaked passwords is checked.
 */
async function checkedHash({ db, hasher }: Core, realm: string, { passwordPolicy }: Settings, username: string, password: string) {
  const breaches = shippedBreaches();
  const owner = { userId: null, username, email: null };
  return (await preparePassword({ tx: db, realm }, { hasher, breaches }, passwordPolicy, owner, password)).hash;
}

/** Lifts both locks: the one after failed attempts, and an administrator's. */
async function liftLocks(ctx: Ctx, userId: string): Promise<void> {
  await clearUserAttempts(ctx.tx, ctx.realm, userId);
  const { numAffectedRows } = await sql`update users set locked = false, version = version + 1
    where realm_id = ${ctx.realm} and user_id = ${userId} and locked`.execute(ctx.tx);
  if (numAffectedRows) ctx.audit({ category: "SECURITY", type: "USER_UNLOCKED", resourceType: "users", resourceId: userId });
}

async function create(call: Invocation): Promise<ExitCode> {
  const realm = option(call, "realm") ?? MASTER;
  const username = option(call, "username");
  if (username === undefined) throw new UsageError("Name the user: --username=<name>", "admin");
  const input = checked(CreateUser, { username });
  const { password, toShow } = await choosePassword(call, "password-file");
  const { user, role } = await withCore(call, (core) => createAdmin(core, realm, input, password));
  const shown = { realm, userId: user.userId, username, roles: user.roles, ...(toShow !== null && { password: toShow }) };
  const text = `Created ${username} in the realm ${realm}, with the role ${role}.`;
  call.print(shown, toShow === null ? text : `${text}\n\n  Password    ${toShow}`);
  return 0;
}

async function createAdmin(core: Core, realm: string, input: CreateUser, password: string) {
  const { settings } = await requireRealm(core, realm);
  const hash = await checkedHash(core, realm, settings, input.username, password);
  return core.work.transact(cliOrigin(realm), async (ctx) => {
    const role = await adminRole(ctx);
    const usual = await shareDefaultRole(ctx.tx, realm);
    const { userId } = await createUser(ctx, { ...input, roles: [role, ...(usual ? [usual.name] : [])] }, "given", "local", "source");
    await savePassword(ctx.tx, realm, userId, hash, ctx.now);
    return { user: await readUser(ctx, userId), role };
  });
}

/** Returns the role `admin` if it carries realm-admin, otherwise the first by name of those that do. */
async function adminRole({ tx, realm }: Ctx): Promise<string> {
  const names = (await rolesWithPermissions(tx, realm))
    .filter(({ clientId, permissions }) => clientId === null && permissions.includes("realm-admin"))
    .map(({ name }) => name)
    .sort();
  const role = names.includes("admin") ? "admin" : names[0];
  if (role === undefined) throw new Error(`No role of the realm ${realm} has realm-admin. Give it to a role first, such as admin.`);
  return role;
}
