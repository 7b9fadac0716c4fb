import { isDeepStrictEqual } from "node:util";
import { invalidFields } from "../../kernel/errors.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { Page } from "../../platform/paging/index.ts";
import { NAME_ID_FORMAT } from "../../platform/saml/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { nameIdFormats, readSettings } from "../../tenancy/settings/index.ts";
import { type KeepingGone, resolveAccess, spellAccess } from "../access/index.ts";
import { keepAttributesApart } from "../attribute-uses/index.ts";
import { samlClientErrors } from "./errors.ts";
import { membersFromMetadata } from "./metadata.ts";
import { brokenRules, entityIdErrors } from "./rules.ts";
import type { CreateSamlClient, SamlClient, SamlClientQuery, StoredOptions, StoredSamlClient, UpdateSamlClient } from "./schema.ts";
import { completeSamlClient } from "./settings.ts";
import * as store from "./store.ts";

export interface SamlClientTools {
  readonly baseUrl: string;
}

interface SamlClientEvent {
  readonly id: string;
  readonly entityId: string;
}

declare module "../../platform/context.ts" {
  interface DomainEvents {
    "saml_client.disabled": SamlClientEvent;
    /** A SAML client was deleted. Rows that reference it are deleted by cascade. */
    "saml_client.deleted": SamlClientEvent;
  }
}

type VersionedSamlClient = SamlClient & { readonly version: number };

export async function searchSamlClients(ctx: ReadCtx, query: SamlClientQuery): Promise<Page<VersionedSamlClient>> {
  const page = await store.listSamlClients(ctx.tx, ctx.realm, query);
  return { ...page, rows: await withNames(ctx, page.rows.map(shown)) };
}

export async function readSamlClient(ctx: ReadCtx, entityId: string, isHeld = false): Promise<store.SamlClientRow> {
  const client = await store.findSamlClient(ctx.tx, ctx.realm, entityId, isHeld);
  if (!client) throw samlClientErrors.not_found();
  return client;
}

/** For a change: held until commit. */
export const takeSamlClient = (ctx: Ctx, entityId: string): Promise<store.SamlClientRow> => readSamlClient(ctx, entityId, true);

export async function createSamlClient(
  ctx: Ctx,
  { baseUrl }: SamlClientTools,
  input: CreateSamlClient,
  { keepsGone }: KeepingGone = {},
): Promise<store.SamlClientRow> {
  const own = entityIdErrors(input.entityId, baseUrl);
  if (own.length > 0) throw invalidFields(own);
  const stored = await checked(ctx, baseUrl, input, { keepsGone });
  const state = { name: input.options?.name ?? null, enabled: input.enabled ?? true, stored };
  const client = await store.insertSamlClient(ctx.tx, ctx.realm, input.entityId, state, ctx.now);
  await keepNameIdApart(ctx, client);
  await recordConfigChange(ctx, "ADMIN_CREATE", "saml-clients", client.entityId);
  return client;
}

/** Replaces a SAML client's state. */
export async function saveSamlClient(
  ctx: Ctx,
  { baseUrl }: SamlClientTools,
  entityId: string,
  input: UpdateSamlClient,
  { keepsGone }: KeepingGone = {},
): Promise<store.SamlClientRow> {
  const current = await takeSamlClient(ctx, entityId);
  const stored = await checked(ctx, baseUrl, input, { current: current.stored, keepsGone });
  // The response to its creation has null, and may be sent again.
  const { applicationId, ...rest } = input;
  refuseReadOnly(shown(current), { ...rest, ...(applicationId !== null && { applicationId }) }, [
    "realmId",
    "entityId",
    "applicationId",
    "createdAt",
  ]);
  if (input.metadata !== undefined && !isDeepStrictEqual(input.metadata, shown(current).metadata))
    throw invalidFields([{ field: "metadata", code: "read_only", message: "metadata can be changed only by an import" }]);
  expectVersion(ctx, current.version);
  const state = { name: input.options?.name ?? null, enabled: input.enabled, stored };
  const client = await store.updateSamlClient(ctx.tx, ctx.realm, current.id, state, ctx.now);
  await keepNameIdApart(ctx, client);
  await ctx.configChanged();
  if (current.enabled && !client.enabled) await ctx.emit("saml_client.disabled", { id: client.id, entityId });
  const detail = current.enabled === client.enabled ? null : client.enabled ? "enabled" : "disabled";
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "saml-clients", resourceId: entityId, detail });
  return client;
}

async function keepNameIdApart(ctx: Ctx, { stored: { options } }: store.SamlClientRow): Promise<void> {
  const field = (["nameIdSource", "persistentNameIdSource"] as const).find((member) => options[member] !== null);
  if (field) await keepAttributesApart(ctx, `options.${field}`);
}

export async function removeSamlClient(ctx: Ctx, entityId: string): Promise<void> {
  const client = await takeSamlClient(ctx, entityId);
  expectVersion(ctx, client.version);
  await store.deleteSamlClient(ctx.tx, ctx.realm, client.id);
  await ctx.configChanged();
  await ctx.emit("saml_client.deleted", { id: client.id, entityId });
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "saml-clients", resourceId: entityId });
}

/** Checks a request for a SAML client. Returns the complete state. */
async function checked(
  ctx: Ctx,
  baseUrl: string,
  input: CreateSamlClient | UpdateSamlClient,
  { current, keepsGone }: KeepingGone & { readonly current?: StoredSamlClient },
): Promise<StoredSamlClient> {
  const { nameIdFormat, ...options } = input.options ?? {};
  const format = nameIdFormats.find((known) => known === nameIdFormat || NAME_ID_FORMAT[known] === nameIdFormat) ?? null;
  const given = completeSamlClient({ ...input, options: { ...options, nameIdFormat: format } as Partial<StoredOptions> });
  const stored = current ? withoutStaleEndpoints(given, current) : given;
  await assertRules(ctx, baseUrl, stored);
  const access = await resolveAccess(ctx, options, { current: current?.options, within: "options.", keepsGone });
  const { browserFlow } = stored.options;
  if (browserFlow !== null) await ctx.emit("client.flows_chosen", { browserFlow, directGrantFlow: null, at: "options." });
  return { ...stored, options: { ...stored.options, ...access } };
}

export async function assertRules(ctx: ReadCtx, baseUrl: string, stored: StoredSamlClient): Promise<void> {
  const { saml } = (await readSettings(ctx.tx, ctx.realm)).settings;
  const errors = brokenRules(stored, saml, baseUrl);
  if (errors.length > 0) throw invalidFields(errors);
}

/** Removes the bindings of addresses that were changed, so that a client that changes the address need not know the other list. */
function withoutStaleEndpoints(given: StoredSamlClient, current: StoredSamlClient): StoredSamlClient {
  const addresses = [given.assertionConsumerServiceUrl, ...given.options.additionalAcsUrls];
  const has = (list: readonly object[], one: object) => list.some((other) => isDeepStrictEqual(other, one));
  const acsEndpoints = given.options.acsEndpoints.filter(
    (endpoint) => addresses.includes(endpoint.url) || !has(current.options.acsEndpoints, endpoint),
  );
  const isMoved = given.singleLogoutServiceUrl !== current.singleLogoutServiceUrl;
  const sloEndpoints = given.options.sloEndpoints.filter(
    (endpoint) => !isMoved || endpoint.url !== current.singleLogoutServiceUrl || !has(current.options.sloEndpoints, endpoint),
  );
  return { ...given, options: { ...given.options, acsEndpoints, sloEndpoints } };
}

/** Replaces the ids of roles and groups by their names. */
async function withNames(ctx: ReadCtx, clients: readonly VersionedSamlClient[]): Promise<VersionedSamlClient[]> {
  const options = await spellAccess(
    ctx.tx,
    ctx.realm,
    clients.map((client) => client.options),
  );
  return clients.map((client, at) => ({ ...client, options: options[at]! }));
}

/** Returns the SAML client as the admin API shows it. */
export async function shownWithNames(ctx: ReadCtx, row: store.SamlClientRow): Promise<VersionedSamlClient> {
  const [client] = await withNames(ctx, [shown(row)]);
  return client!;
}

/** Returns the SAML client with ids instead of names. A write accepts ids too. */
export function shown(row: store.SamlClientRow): VersionedSamlClient {
  const { options, ...state } = row.stored;
  return {
    realmId: row.realmId,
    entityId: row.entityId,
    enabled: row.enabled,
    ...state,
    applicationId: store.applicationName(row.realmId, row.entityId),
    options: { ...(options as Omit<SamlClient["options"], "name">), name: row.name },
    metadata: row.metadata && {
      url: row.metadata.url,
      importedAt: row.metadata.importedAt,
      validUntil: row.metadata.validUntil,
      refresh: row.metadata.refresh ?? false,
      lastError: row.metadata.lastError ?? null,
      members: membersFromMetadata(row, row.metadata),
    },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    version: row.version,
  };
}
