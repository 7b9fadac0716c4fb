import { invalidFields } from "../../kernel/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { expectVersion } from "../../platform/versions.ts";
import { inList, ownAddressVerdict, resourceVerdict } from "./addresses.ts";
import { assertMayReachAdministrators } from "./reach.ts";
import type { AllowedResources } from "./schema.ts";
import { type ClientTools, takeClient } from "./service.ts";
import { type ClientRow, updateClient } from "./store.ts";

/**
 * Saves the resources for which a client may request tokens (RFC 8707). The admin API as a resource gives the permissions that its users
 * hold there.
 */
export async function saveAllowedResources(
  ctx: Ctx,
  { baseUrl }: ClientTools,
  id: string,
  { allowedResources }: AllowedResources,
): Promise<ClientRow> {
  const errors = inList("allowedResources", allowedResources, (uri) => resourceVerdict(uri) ?? ownAddressVerdict(baseUrl)(uri));
  if (errors.length > 0) throw invalidFields(errors);
  const current = await takeClient(ctx, id);
  assertMayReachAdministrators(ctx, baseUrl, current, { ...current, allowedResources });
  expectVersion(ctx, current.version);
  const client = await updateClient(ctx.tx, ctx.realm, current.id, { allowedResources }, ctx.now);
  await ctx.configChanged();
  await ctx.emit("client.changed", { id: client.id, clientId: client.clientId });
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "clients", resourceId: client.id, detail: "allowed resources" });
  return client;
}
