import { invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import { secretChange } from "../../kernel/stored-secret.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { allows } from "../../tenancy/permissions/index.ts";
import { scimTargetErrors } from "./errors.ts";
import { confirmHeld, countObjects, findObject, listObjects, retryObject, retryRefused } from "./objects.admin.store.ts";
import type {
  ConfirmDeprovisioning,
  CreateScimTarget,
  ObjectQuery,
  ScimTargetObject,
  ScimTargetStatus,
  Settings,
  UpdateScimTarget,
} from "./schema.ts";
import { secretPlace } from "./secrets.ts";
import { type Before, readSettings } from "./settings.ts";
import { noteHeld, requestSync } from "./states.store.ts";
import { deleteTarget, findTarget, insertTarget, listTargets, lockTarget, type TargetRow, updateTarget } from "./store.ts";

/** The service's dependencies besides the unit of work. */
export interface Tools {
  readonly vault: Vault;
  readonly outbound: Outbound;
}

export const searchTargets = (ctx: ReadCtx, query: ListQuery): Promise<Page<TargetRow>> => listTargets(ctx.tx, ctx.realm, query, ctx.now);

export async function readTarget(ctx: ReadCtx, targetId: string): Promise<TargetRow> {
  const target = isId(targetId) ? await findTarget(ctx.tx, ctx.realm, targetId, ctx.now) : null;
  if (!target) throw scimTargetErrors.not_found();
  return target;
}

/** Requires `view-users`, because a target gets the data of users: whoever manages a target must be allowed to see them. */
function assertMayDirect({ actor }: ReadCtx): void {
  if (!allows(actor.permissions, "view-users")) throw scimTargetErrors.needs_view_users();
}

/** Finds a target for a route that shows users, or decides which of their data is sent. */
export async function readOwnTarget(ctx: ReadCtx, targetId: string): Promise<TargetRow> {
  const target = await readTarget(ctx, targetId);
  assertMayDirect(ctx);
  return target;
}

/** Finds a target for a change, and locks it until commit. Callers check the version (`If-Match`) last. */
async function takeTarget(ctx: Ctx, targetId: string): Promise<TargetRow> {
  const target = isId(targetId) ? await lockTarget(ctx.tx, ctx.realm, targetId, ctx.now) : null;
  if (!target) throw scimTargetErrors.not_found();
  return target;
}

export async function createTarget(
  ctx: Ctx,
  { vault, outbound }: Tools,
  input: CreateScimTarget,
  { keepsGone }: Pick<Before, "keepsGone"> = {},
): Promise<TargetRow> {
  assertMayDirect(ctx);
  checkSecret(input.secret);
  const settings = await readSettings(ctx, outbound, input, { keepsGone });
  const { secret = null } = input;
  const seal = (id: string) => (secret === null ? null : vault.seal(secret, secretPlace(ctx.realm, id)));
  const state = { name: input.name, url: input.url, enabled: input.enabled ?? true, settings };
  const target = await insertTarget(ctx.tx, ctx.realm, state, seal, ctx.now);
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "scim-targets", resourceId: target.id });
  return target;
}

export async function saveTarget(
  ctx: Ctx,
  tools: Tools,
  targetId: string,
  input: UpdateScimTarget,
  { keepsGone }: Pick<Before, "keepsGone"> = {},
): Promise<TargetRow> {
  const current = await takeTarget(ctx, targetId);
  assertMayDirect(ctx);
  checkSecret(input.secret);
  const settings = await readSettings(ctx, tools.outbound, input, { current, keepsGone });
  refuseReadOnly(current, input, ["id", "realmId", "createdAt"]);
  const secret = changedSecret(ctx, tools, current, input, settings);
  expectVersion(ctx, current.version);
  const state = { name: input.name, url: input.url, enabled: input.enabled, settings };
  const target = await updateTarget(ctx.tx, ctx.realm, current.id, state, secret, ctx.now);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "scim-targets", resourceId: current.id });
  return target;
}

/** Deletes a target. The accounts there stay as they are. */
export async function removeTarget(ctx: Ctx, targetId: string): Promise<void> {
  const target = await takeTarget(ctx, targetId);
  expectVersion(ctx, target.version);
  await deleteTarget(ctx.tx, ctx.realm, target.id);
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "scim-targets", resourceId: target.id });
}

function act(ctx: Ctx, target: TargetRow, detail: string, outcome: "SUCCESS" | "FAILURE" = "SUCCESS"): void {
  ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "scim-targets", resourceId: target.id, outcome, detail });
}

export async function recordTest(ctx: Ctx, targetId: string, ok: boolean): Promise<void> {
  act(ctx, await readTarget(ctx, targetId), "test", ok ? "SUCCESS" : "FAILURE");
}

/** Requests that everything is compared again, and that refused objects are sent again. */
export async function startSync(ctx: Ctx, targetId: string, resend: boolean): Promise<void> {
  const target = await readOwnTarget(ctx, targetId);
  if (!target.enabled) throw scimTargetErrors.disabled();
  const key = { realm: ctx.realm, targetId: target.id };
  await requestSync(ctx.tx, key, resend, ctx.now);
  await retryRefused(ctx.tx, key, ctx.now);
  act(ctx, target, resend ? "sync everything again" : "sync");
}

export async function readStatus(ctx: ReadCtx, targetId: string): Promise<ScimTargetStatus> {
  const target = await readTarget(ctx, targetId);
  const counts = await countObjects(ctx.tx, { realm: ctx.realm, targetId: target.id });
  return { ...target.status, ...counts, syncing: target.syncing };
}

export async function searchObjects(ctx: ReadCtx, targetId: string, query: ObjectQuery): Promise<Page<ScimTargetObject>> {
  const target = await readOwnTarget(ctx, targetId);
  return listObjects(ctx.tx, { realm: ctx.realm, targetId: target.id }, query);
}

export async function readObject(ctx: ReadCtx, targetId: string, objectId: string): Promise<ScimTargetObject> {
  const target = await readOwnTarget(ctx, targetId);
  const object = isId(objectId) ? await findObject(ctx.tx, { realm: ctx.realm, targetId: target.id }, objectId) : null;
  if (!object) throw scimTargetErrors.object_not_found();
  return object;
}

/** Sends an object again. Its attempts are counted anew. */
export async function retry(ctx: Ctx, targetId: string, objectId: string): Promise<ScimTargetObject> {
  const { id } = await readObject(ctx, targetId, objectId);
  const key = { realm: ctx.realm, targetId };
  await retryObject(ctx.tx, key, id, ctx.now);
  act(ctx, await readTarget(ctx, targetId), `retry ${id}`);
  return (await findObject(ctx.tx, key, id))!;
}

/** Deactivates or deletes the accounts at the target that wait for a confirmation. */
export async function confirm(ctx: Ctx, targetId: string, { accounts }: ConfirmDeprovisioning): Promise<ScimTargetStatus> {
  const target = await takeTarget(ctx, targetId);
  assertMayDirect(ctx);
  const key = { realm: ctx.realm, targetId: target.id };
  const confirmed = await confirmHeld(ctx.tx, key, ctx.now);
  if (confirmed === 0) throw scimTargetErrors.nothing_waits();
  if (accounts !== undefined && accounts !== confirmed) throw scimTargetErrors.other_number();
  await noteHeld(ctx.tx, key, null);
  act(ctx, target, `confirm: ${confirmed} accounts leave`);
  return readStatus(ctx, target.id);
}

/** Refuses a secret that cannot be sent in a header. */
function checkSecret(secret: string | null | undefined): void {
  if (typeof secret !== "string" || /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(secret)) return;
  const message = "secret is sent in a header: one line of ASCII, without a space at either end";
  throw invalidFields([{ field: "secret", code: "format", message }]);
}

/** Returns the new sealed secret, or null if the secret stays as it is. */
function changedSecret(
  ctx: Ctx,
  { vault }: Tools,
  current: TargetRow,
  input: UpdateScimTarget,
  settings: Settings,
): { readonly sealed: string | null } | null {
  const [before, after] = [current.auth, settings.auth];
  // The token endpoint gets the secret, the target gets tokens. The secret is kept only if both stay the same.
  const target = secretChange(input, [before.type, current.url], [after.type, input.url]);
  const change = target === "kept" ? secretChange(input, [before.tokenUrl ?? ""], [after.tokenUrl ?? ""]) : target;
  if (change === "replaced") return { sealed: vault.seal(input.secret!, secretPlace(ctx.realm, current.id)) };
  if (input.secret !== null || input.secretSet === true)
    refuseReadOnly(current, { secretSet: input.secretSet }, ["secretSet"], "follows from the secret: send a secret, or null to clear it");
  return change === "cleared" ? { sealed: null } : null;
}
