import { findClient } from "../../applications/clients/index.ts";
import { type Consent, consentErrors, findConsent, revokeConsent } from "../../directory/consents/index.ts";
import { readUser } from "../../directory/users/index.ts";
import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";

/**
 * Revokes a user's consent for an administrator. This removes access and gives the administrator none, so the escalation rule does not apply.
 * Clients known by a metadata document have no `id`: their consents are found by the OAuth client id.
 */
export async function withdrawConsent(ctx: Ctx, id: string, client: string): Promise<void> {
  const { userId } = await readUser(ctx, id);
  const clientId = await consentedClient(ctx, userId, client);
  await revokeConsent(ctx, userId, clientId);
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "users", resourceId: userId, detail: `consent to ${clientId}` });
}

export async function readConsent(ctx: ReadCtx, id: string, client: string): Promise<Consent> {
  const { userId } = await readUser(ctx, id);
  const consent = await findConsent(ctx.tx, ctx.realm, userId, await consentedClient(ctx, userId, client));
  if (!consent) throw consentErrors.not_found();
  return consent;
}

async function consentedClient({ tx, realm }: ReadCtx, userId: string, client: string): Promise<string> {
  if (await findConsent(tx, realm, userId, client)) return client;
  const registered = isId(client) ? await findClient(tx, realm, client) : null;
  if (!registered) throw consentErrors.not_found();
  return registered.clientId;
}
