import { SECOND } from "../../kernel/clock.ts";
import { randomToken, type Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import { expectVersion } from "../../platform/versions.ts";
import { readSettings } from "../../tenancy/settings/index.ts";
import { clientErrors } from "./errors.ts";
import { assertMayControlClient, assertMayReachAdministrators } from "./reach.ts";
import type { ClientSecret, RegenerateSecret } from "./schema.ts";
import { openSecrets, type SealedSecrets, secretPlace, usesSecret } from "./secrets.ts";
import { type ClientTools, takeClient } from "./service.ts";
import { type ClientRow, updateClient } from "./store.ts";

/** Finds the client for a change of its secret. The secret is enough to act as the client, so control of it is needed. */
async function takeForSecret(ctx: Ctx, { baseUrl }: ClientTools, id: string): Promise<ClientRow> {
  const client = await takeClient(ctx, id);
  await assertMayControlClient(ctx, client.id);
  assertMayReachAdministrators(ctx, baseUrl, client);
  return client;
}

/** Reveals the secret. This is a read that writes an audit event, so it needs a transaction. */
export async function revealSecret(ctx: Ctx, tools: ClientTools, id: string): Promise<ClientSecret> {
  const client = await takeForSecret(ctx, tools, id);
  const { settings } = await readSettings(ctx.tx, ctx.realm);
  if (!settings.clientSecretReveal) throw clientErrors.reveal_off();
  const [secret] = openSecrets(tools.vault, ctx.realm, client.id, client.sealed);
  if (!secret) throw clientErrors.no_secret();
  ctx.audit({
    category: "SECURITY",
    type: "CLIENT_SECRET_REVEALED",
    resourceType: "clients",
    resourceId: client.id,
    detail: client.clientId,
  });
  return { secret: secret.value, previousSecretUntil: overlapEnd(client, ctx.now) };
}

/**
 * Regenerates the secret. The old one ends at once, unless it is given an overlap. When it ends, the registration access token ends too,
 * because its holder could read the new secret.
 */
export async function regenerateSecret(ctx: Ctx, tools: ClientTools, id: string, input: RegenerateSecret): Promise<ClientSecret> {
  const current = await takeForSecret(ctx, tools, id);
  expectVersion(ctx, current.version);
  if (!usesSecret(current.stored.authMethod)) throw clientErrors.no_secret();
  const secret = randomToken();
  const overlap = (input?.overlapSeconds ?? 0) * SECOND;
  const client = await updateClient(
    ctx.tx,
    ctx.realm,
    current.id,
    { sealed: successor(ctx, tools.vault, current, secret, overlap), endsRegistration: overlap === 0 },
    ctx.now,
  );
  await ctx.configChanged();
  const about = { resourceType: "clients", resourceId: client.id };
  ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", ...about, detail: "regenerate secret" });
  ctx.audit({ category: "SECURITY", type: "CLIENT_SECRET_ROTATED", ...about, detail: client.clientId });
  return { secret, previousSecretUntil: overlapEnd(client, ctx.now) };
}

function successor(ctx: Ctx, vault: Vault, current: ClientRow, secret: string, overlap: number): SealedSecrets {
  const place = (column: "secret" | "previous_secret") => secretPlace(ctx.realm, current.id, column);
  const [before] = overlap > 0 ? openSecrets(vault, ctx.realm, current.id, current.sealed) : [];
  return {
    secret: vault.seal(secret, place("secret")),
    previous_secret: before ? vault.seal(before.value, place("previous_secret")) : null,
    previous_secret_until: before ? ctx.now + overlap : null,
  };
}

const overlapEnd = ({ sealed: { previous_secret_until: until } }: ClientRow, now: number): number | null =>
  until !== null && until > now ? until : null;
