import { changingGrants, type MappedRole, type RoleName, roleErrors, shareNamedRole, spellRole } from "../../directory/roles/index.ts";
import { invalidFields } from "../../kernel/errors.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { expectVersion } from "../../platform/versions.ts";
import { clientErrors } from "./errors.ts";
import { assertMayControlClient } from "./reach.ts";
import { readClient, takeClient } from "./service.ts";
import { addServiceAccountRole, dropServiceAccountRole, rolesOfServiceAccount } from "./service-accounts.store.ts";
import { updateClient } from "./store.ts";

export async function readServiceAccountRoles(ctx: ReadCtx, id: string): Promise<MappedRole[]> {
  const client = await readClient(ctx, id);
  return rolesOfServiceAccount(ctx.tx, ctx.realm, client.id);
}

/** Grants a role to a service account. It counts from the client's next request on, also for its existing tokens. */
export async function grantToServiceAccount(ctx: Ctx, id: string, name: RoleName): Promise<MappedRole[]> {
  const client = await takeClient(ctx, id);
  const role = await shareNamedRole(ctx, name);
  await assertMayControlClient(ctx, client.id);
  const added = await changingGrants(ctx, [role.roleId], async () => {
    expectVersion(ctx, client.version);
    if (!client.stored.grantTypes.includes("client_credentials")) throw clientErrors.no_service_account();
    return addServiceAccountRole(ctx.tx, ctx.realm, client.id, role.roleId);
  });
  if (added) await auditUpdate(ctx, client.id, `service account roles +${spellRole(role)}`);
  return rolesOfServiceAccount(ctx.tx, ctx.realm, client.id);
}

export async function takeFromServiceAccount(ctx: Ctx, id: string, { name, clientId }: Partial<RoleName>): Promise<void> {
  const client = await takeClient(ctx, id);
  if (name === undefined) throw invalidFields([{ field: "name", code: "required", message: "name is required: the role to remove" }]);
  const role = await shareNamedRole(ctx, { name, clientId });
  await assertMayControlClient(ctx, client.id);
  const dropped = await changingGrants(ctx, [role.roleId], async () => {
    expectVersion(ctx, client.version);
    return dropServiceAccountRole(ctx.tx, ctx.realm, client.id, role.roleId);
  });
  if (!dropped) throw roleErrors.not_found();
  await auditUpdate(ctx, client.id, `service account roles -${spellRole(role)}`);
}

async function auditUpdate(ctx: Ctx, id: string, detail: string): Promise<void> {
  await updateClient(ctx.tx, ctx.realm, id, {}, ctx.now);
  await recordConfigChange(ctx, "ADMIN_UPDATE", "clients", id, detail);
}
