import { invalidFields } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { secretChange } from "../../kernel/stored-secret.ts";
import { isMailAddress } from "../../kernel/text.ts";
import type { Vault } from "../../kernel/vault.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { mapPage } from "../../platform/paging/index.ts";
import { expectState, expectVersion } from "../../platform/versions.ts";
import { assertMayDirectMessages } from "./control.ts";
import { type Channel, channels, type FieldFault, type Provider } from "./driver.ts";
import { driverOf } from "./drivers/index.ts";
import { providerErrors } from "./errors.ts";
import type { MessagingProvider, UpsertProvider } from "./providers.schema.ts";
import {
  deleteProvider,
  findEnabled,
  findProviderRow,
  insertProvider,
  listProviders,
  openSecret,
  type ProviderRow,
  secretPlace,
  updateProvider,
} from "./providers.store.ts";
import { isTextSender } from "./recipients.ts";

/** The dependencies of the rules besides the unit of work. */
export interface ProviderParts {
  readonly vault: Vault;
  readonly outbound: Outbound;
}

/** Returns the provider in the form of the API, without its secret. */
const shown = ({ sealedSecret, ...row }: ProviderRow): MessagingProvider & { version: number } => ({
  ...row,
  secret: null,
  secretSet: sealedSecret !== null,
});

export async function searchProviders(ctx: ReadCtx, query: ListQuery): Promise<Page<MessagingProvider>> {
  return mapPage(await listProviders(ctx.tx, ctx.realm, query), shown);
}

export const isChannel = (text: string): text is Channel => (channels as readonly string[]).includes(text);

async function takeProvider(ctx: ReadCtx, channel: string, driver: string): Promise<ProviderRow> {
  const row = isChannel(channel) ? await findProviderRow(ctx.tx, ctx.realm, channel, driver) : null;
  if (!row) throw providerErrors.provider_not_found();
  return row;
}

export const readProvider = async (ctx: ReadCtx, channel: string, driver: string) => shown(await takeProvider(ctx, channel, driver));

/** Returns the secret of a provider, or null if it has none. */
export const openProviderSecret = async (ctx: ReadCtx, vault: Vault, channel: string, driver: string): Promise<string | null> =>
  openSecret(await takeProvider(ctx, channel, driver), vault);

/** Creates or replaces the provider of this channel and driver. */
export async function saveProvider(ctx: Ctx, input: UpsertProvider, parts: ProviderParts) {
  assertMayDirectMessages(ctx.actor);
  const { channel, driver } = input;
  // Requests are serialized: if two enable a provider at once, the second fails with the name of the first.
  await lockRealm(ctx.tx, ctx.realm);
  const current = await findProviderRow(ctx.tx, ctx.realm, channel, driver);
  refuseForeign(ctx.realm, current, input);
  const id = current?.id ?? newId();
  const provider: Provider = {
    id,
    realm: ctx.realm,
    version: current?.version ?? 0,
    channel,
    driver,
    fromAddress: input.fromAddress ?? null,
    fromName: input.fromName ?? null,
    config: input.config ?? {},
    secret: secretOf(current, input, parts.vault),
  };
  const { enabled = true } = input;
  refuseFaults(provider, enabled, parts.outbound);
  expectState(ctx, current?.version ?? null);

  const other = enabled ? await findEnabled(ctx.tx, ctx.realm, channel) : null;
  if (other && other.driver !== driver) throw providerErrors.channel_taken(channel, other.driver);
  const sealedSecret = provider.secret === null ? null : parts.vault.seal(provider.secret, secretPlace(ctx.realm, id));
  const state = { enabled, fromAddress: provider.fromAddress, fromName: provider.fromName, config: { ...provider.config }, sealedSecret };
  const saved = current
    ? await updateProvider(ctx.tx, current, state)
    : await insertProvider(ctx.tx, { realm: ctx.realm, id, channel, driver }, state, ctx.now);
  const type = current ? "ADMIN_UPDATE" : "ADMIN_CREATE";
  ctx.audit({ category: "ADMIN", type, resourceType: "messaging", resourceId: id, detail: `provider ${channel}/${driver}` });
  await ctx.configChanged();
  return { provider: shown(saved), created: current === null };
}

/** Replaces an existing provider at its own address, where it cannot become another one. */
export async function changeProvider(ctx: Ctx, channel: string, driver: string, input: UpsertProvider, parts: ProviderParts) {
  refuseReadOnly({ channel, driver }, input, ["channel", "driver"]);
  return (await saveProvider(ctx, input, parts)).provider;
}

/** Lets a PUT repeat read-only members if they are unchanged. */
function refuseForeign(realmId: string, current: ProviderRow | null, input: UpsertProvider): void {
  refuseReadOnly<{ id?: string; realmId: string }, "id" | "realmId">({ ...(current && { id: current.id }), realmId }, input, [
    "id",
    "realmId",
  ]);
  const isSet = current !== null && current.sealedSecret !== null;
  if (input.secretSet === true && !isSet && typeof input.secret !== "string")
    throw invalidFields([{ field: "secretSet", code: "read_only", message: "secretSet cannot be changed: send a secret" }]);
}

function secretOf(current: ProviderRow | null, input: UpsertProvider, vault: Vault): string | null {
  if (current === null) return input.secret ?? null;
  const { addresses } = driverOf(input);
  switch (secretChange(input, addresses(current.config), addresses(input.config ?? {}))) {
    case "kept":
      return openSecret(current, vault);
    case "replaced":
      return input.secret!;
    case "cleared":
      return null;
  }
}

/** Refuses faults. An enabled provider must be complete; a disabled one may still lack its sender or secret. */
function refuseFaults(provider: Provider, enabled: boolean, outbound: Outbound): void {
  const driver = driverOf(provider);
  const faults: FieldFault[] = [];
  if (enabled && driver.needsFromAddress && provider.fromAddress === null)
    faults.push({ field: "fromAddress", message: "fromAddress is required: it is the sender of messages" });
  if (enabled && driver.secret.required && provider.secret === null)
    faults.push({ field: "secret", message: `secret is required: ${driver.secret.what}` });
  faults.push(...senderFaults(provider), ...(driver.check?.(provider, outbound) ?? []));
  if (faults.length > 0) throw invalidFields(faults.map(({ field, message }) => ({ field, code: "invalid", message })));
}

function senderFaults({ channel, fromAddress }: Provider): FieldFault[] {
  if (fromAddress === null) return [];
  if (channel === "EMAIL" && !isMailAddress(fromAddress))
    return [{ field: "fromAddress", message: "fromAddress must be one email address, such as no-reply@example.com" }];
  if (channel === "SMS" && !isTextSender(fromAddress))
    return [
      { field: "fromAddress", message: "fromAddress must be a number such as +31612345678, or a name of 2 to 11 letters and digits" },
    ];
  return [];
}

export async function removeProvider(ctx: Ctx, channel: string, driver: string): Promise<void> {
  await lockRealm(ctx.tx, ctx.realm);
  const current = await takeProvider(ctx, channel, driver);
  assertMayDirectMessages(ctx.actor);
  expectVersion(ctx, current.version);
  await deleteProvider(ctx.tx, current);
  await recordConfigChange(ctx, "ADMIN_DELETE", "messaging", current.id, `provider ${channel}/${driver}`);
}
