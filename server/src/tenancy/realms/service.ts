import { SECOND } from "../../kernel/clock.ts";
import { type AppError, invalidFields } from "../../kernel/errors.ts";
import { randomToken, type Vault } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { enqueue } from "../../platform/jobs/index.ts";
import type { ListQuery } from "../../platform/paging/index.ts";
import { type BreachedPasswords, type PasswordHasher, passwordErrors } from "../../platform/passwords/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { generateKey, type MakeKeyPair, type NewKey } from "../keys/index.ts";
import { checkPasswordPolicy, defaultSettings, saveDisplayName } from "../settings/index.ts";
import { realmErrors } from "./errors.ts";
import { type CreatedRealm, type CreateRealm, isRealmName, type UpdateRealm } from "./schema.ts";
import { findRealm, insertRealm, listRealms, markRealmDeleted, type RealmRow } from "./store.ts";

export const MASTER = "master";
export const PURGE_JOB = "realms.purge";
/** The delay before the purge, in which running requests finish, and every node drops the realm. */
const PURGE_AFTER = 2 * SECOND;

/** Reserved names: the first segments of the server's own paths. */
const reserved = new Set([
  "admin",
  "realms",
  "monitoring",
  "console",
  "account",
  "v3",
  "assets",
  "livez",
  "readyz",
  "login",
  "logout",
  "static",
  "api",
  "health",
  "interactive-docs",
  "well-known",
  "favicon",
  "robots",
]);

/** The data with which a realm starts. Slow work is done before the transaction. */
export interface RealmSeed {
  readonly realm: string;
  readonly displayName: string | null;
  readonly adminPasswordHash: string;
  readonly signingKey: NewKey;
}

declare module "../../platform/context.ts" {
  interface DomainEvents {
    "realm.created": RealmSeed;
  }
}

export interface RealmMaker {
  readonly vault: Vault;
  readonly hasher: PasswordHasher;
  readonly makeKeyPair: MakeKeyPair;
  readonly breaches: Pick<BreachedPasswords, "has">;
}

/** Prepares the seed: a key pair and a password hash, neither of which may be generated inside a transaction. */
export async function prepareRealm(
  { vault, hasher, makeKeyPair, breaches }: RealmMaker,
  input: CreateRealm,
): Promise<{ seed: RealmSeed; madeUpPassword: string | null }> {
  if (reserved.has(input.realm))
    throw invalidFields([
      { field: "realm", code: "reserved", message: `“${input.realm}” is a path of the server itself; choose another name` },
    ]);
  const madeUpPassword = input.adminPassword === undefined ? randomToken().slice(0, 24) : null;
  const password = input.adminPassword ?? madeUpPassword!;
  checkPasswordPolicy(defaultSettings(input.realm).passwordPolicy, password, { username: "admin", email: null }, "adminPassword");
  if (madeUpPassword === null && (await breaches.has(password))) throw passwordErrors.breached("adminPassword");
  const [signingKey, adminPasswordHash] = await Promise.all([generateKey(vault, input.realm, makeKeyPair), hasher.hash(password)]);
  return { seed: { realm: input.realm, displayName: input.displayName ?? null, adminPasswordHash, signingKey }, madeUpPassword };
}

/** Creates the realm, and lets every feature create its initial data. */
export async function createRealm(ctx: Ctx, seed: RealmSeed): Promise<CreatedRealm & RealmRow> {
  await insertRealm(ctx.tx, seed.realm, ctx.now);
  await ctx.emit("realm.created", seed);
  await ctx.configChanged(seed.realm);
  ctx.audit({ realm: MASTER, category: "ADMIN", type: "ADMIN_CREATE", resourceType: "realms", resourceId: seed.realm });
  return readRealm(ctx, seed.realm);
}

export const searchRealms = (ctx: ReadCtx, query: ListQuery) => listRealms(ctx.tx, query);

export async function readRealm(ctx: ReadCtx, realm: string): Promise<RealmRow> {
  const found = isRealmName(realm) ? await findRealm(ctx.tx, realm) : null;
  if (!found) throw realmErrors.not_found();
  return found;
}

export async function updateRealm(ctx: Ctx, realm: string, input: UpdateRealm): Promise<RealmRow> {
  const current = await readRealm(ctx, realm);
  refuseReadOnly(current, input, ["realm", "realmId", "createdAt"]);
  await saveDisplayName(ctx, realm, input.displayName ?? null, (version) => expectVersion(ctx, version));
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "realms", resourceId: realm });
  return readRealm(ctx, realm);
}

/** Deletes the realm immediately. A job then purges its rows and frees the name. */
export async function deleteRealm(ctx: Ctx, realm: string): Promise<void> {
  const current = await readRealm(ctx, realm);
  expectVersion(ctx, current.version);
  if (realm === MASTER) throw realmErrors.master();
  if (!(await markRealmDeleted(ctx.tx, realm, ctx.now))) throw realmErrors.not_found();
  await enqueue(
    ctx.tx,
    { kind: PURGE_JOB, payload: { realm }, dedupeKey: realm, runAt: ctx.now + PURGE_AFTER, maxAttempts: 1_000 },
    ctx.now,
  );
  await ctx.configChanged(realm);
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "realms", resourceId: realm });
}

export const unknownRealm = (): AppError => realmErrors.not_found();
