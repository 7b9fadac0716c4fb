import { SECOND } from "../../kernel/clock.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { deleteDeviceOf, devicesOf } from "../../tenancy/messaging/index.ts";
import {
  credentialErrors,
  deleteCredential,
  deleteCredentials,
  deleteOwnEnrollment,
  ENROLLMENT_TOKEN,
  keepEarlierPassword,
  listCredentials,
  replaceEnrollmentToken,
} from "../credentials/index.ts";
import type { CreateCredential, CreatedCredential, Credential } from "./credentials.schema.ts";
import { findUserForUpdate, isSelf, readUser } from "./service.ts";
import { touchUser } from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** A credential of the user was added or removed. Decisions that depend on the user's credentials are made again. */
    "user.credentials_changed": { readonly userId: string };
  }
}

/** Push devices are stored by tenancy/messaging; the admin API lists them with the other credentials. */
const PUSH = "push";

export async function readCredentials(ctx: ReadCtx, id: string): Promise<Credential[]> {
  const { userId } = await readUser(ctx, id);
  const own = await listCredentials(ctx.tx, ctx.realm, userId, ctx.now);
  const devices = await devicesOf(ctx.tx, ctx.realm, userId);
  // An enrolled device has a key among the credentials and a push address, under one id.
  const others = devices.filter(({ id: device }) => !own.some((credential) => credential.id === device));
  return [...own, ...others.map(({ deviceName, ...device }) => ({ ...device, type: PUSH, label: deviceName, expiresAt: null }))];
}

export async function readCredential(ctx: ReadCtx, userId: string, type: string, id: string): Promise<Credential> {
  const found = (await readCredentials(ctx, userId)).find((one) => one.type === type && one.id === id.toLowerCase());
  if (!found) throw credentialErrors.not_found();
  return found;
}

/** Creates an enrollment token. Its holder can add a device to the user, so the escalation rule for control applies. */
export async function createEnrollmentToken(ctx: Ctx, id: string, input: CreateCredential): Promise<CreatedCredential> {
  const { userId } = await findUserForUpdate(ctx, id);
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "users", resourceId: userId, detail: ENROLLMENT_TOKEN });
  return addEnrollmentToken(ctx, userId, input, !isSelf(ctx, userId));
}

/** Creates an enrollment token. The user's row must be locked. */
export async function addEnrollmentToken(
  ctx: Ctx,
  userId: string,
  input: CreateCredential,
  byAdministrator: boolean,
): Promise<CreatedCredential> {
  const token = randomToken();
  const made = { id: newId(), label: input.label ?? null, expiresAt: ctx.now + (input.expiresIn ?? 3_600) * SECOND };
  const stored = { ...made, tokenHash: sha256(token), byAdministrator };
  const ended = await replaceEnrollmentToken(ctx.tx, ctx.realm, userId, stored, ctx.now);
  const about = { resourceType: "users", resourceId: userId, detail: ENROLLMENT_TOKEN };
  if (ended) ctx.audit({ category: "SECURITY", type: "CREDENTIAL_REVOKED", ...about });
  ctx.audit({ category: "SECURITY", type: "CREDENTIAL_ADDED", ...about });
  return { ...made, type: ENROLLMENT_TOKEN, createdAt: ctx.now, lastUsedAt: null, token };
}

/**
 * Ends an enrollment token that was made in a session of the user, on `user.sessions_revoked`: an attacker who had that session could add
 * their own phone with it.
 */
export async function endOwnEnrollment(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  if (!(await deleteOwnEnrollment(ctx.tx, ctx.realm, userId, ctx.now))) return;
  ctx.audit({ category: "SECURITY", type: "CREDENTIAL_REVOKED", resourceType: "users", resourceId: userId, detail: ENROLLMENT_TOKEN });
}

/** Revokes a credential. Sessions that it opened before stay. */
export async function revokeCredential(ctx: Ctx, id: string, type: string, credentialId: string, history: number): Promise<void> {
  const { userId } = await findUserForUpdate(ctx, id);
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "users", resourceId: userId, detail: type });
  await removeCredential(ctx, userId, type, credentialId, history);
}

/** Removes a credential of a user whose row is locked. */
export async function removeCredential(ctx: Ctx, userId: string, type: string, id: string, history: number): Promise<void> {
  if (!isId(id) || !(await remove(ctx, userId, type, id, history))) throw credentialErrors.not_found();
  // The user's record says whether there is a second factor, so its version changes.
  await touchUser(ctx.tx, ctx.realm, userId);
  ctx.audit({ category: "SECURITY", type: "CREDENTIAL_REVOKED", resourceType: "users", resourceId: userId, detail: type });
  await ctx.emit("user.credentials_changed", { userId });
}

/** Removes every credential and device of a user, because the account will belong to another person. The user's row must be locked. */
export async function removeCredentials(ctx: Ctx, userId: string): Promise<void> {
  const types = await deleteCredentials(ctx.tx, ctx.realm, userId);
  for (const { id } of await devicesOf(ctx.tx, ctx.realm, userId)) await deleteDeviceOf(ctx.tx, ctx.realm, userId, id);
  for (const detail of types)
    ctx.audit({ category: "SECURITY", type: "CREDENTIAL_REVOKED", resourceType: "users", resourceId: userId, detail });
  await ctx.emit("user.credentials_changed", { userId });
}

async function remove(ctx: Ctx, userId: string, type: string, id: string, history: number): Promise<boolean> {
  const secret = await deleteCredential(ctx.tx, ctx.realm, userId, type, id);
  // A removed password stays in the history: otherwise, removing it would be a way to set it again.
  if (secret !== null && type === "password") await keepEarlierPassword(ctx.tx, ctx.realm, userId, secret, history, ctx.now);
  const device = type === PUSH && (await deleteDeviceOf(ctx.tx, ctx.realm, userId, id));
  return secret !== null || device;
}
