import { dropRoles, rolesOfClient } from "../../directory/roles/index.ts";
import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import { randomToken, type Vault } from "../../kernel/vault.ts";
import { type Ctx, isReservedName, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { readSettings, type Settings } from "../../tenancy/settings/index.ts";
import { type KeepingGone, resolveAccess, spellAccess } from "../access/index.ts";
import { keepAttributesApart } from "../attribute-uses/index.ts";
import { shareScopes } from "../client-scopes/index.ts";
import { readSubjectClaim } from "../subject-claim/index.ts";
import { isWithinServer } from "./addresses.ts";
import { holdNames, moveResources, refuseIndicator, refuseUserId } from "./apis.service.ts";
import { clientErrors } from "./errors.ts";
import { grantTypeNames, spellGrantType, toGrantType } from "./grant-types.ts";
import { isWeaker } from "./profiles.ts";
import { assertMayControlClient, assertMayReachAdministrators, changesControl } from "./reach.ts";
import { brokenRules } from "./rules.ts";
import type { Client, ClientQuery, CreateClient, StoredClient, UpdateClient } from "./schema.ts";
import { isSameSecret, noSecrets, openSecrets, secretErrors, secretPlace, usesSecret } from "./secrets.ts";
import { completeSettings } from "./settings.ts";
import * as store from "./store.ts";

/** The service's dependencies besides the unit of work. */
export interface ClientTools {
  readonly vault: Vault;
  readonly baseUrl: string;
}

interface ClientEvent {
  readonly id: string;
  readonly clientId: string;
}

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** A client was disabled, so its tokens must not count any more. */
    "client.disabled": ClientEvent;
    /** A client and its roles are about to be deleted. Listeners refuse if something would lose its meaning. */
    "client.deleting": ClientEvent;
    /** A client was deleted. Rows that reference it are deleted by cascade. */
    "client.deleted": ClientEvent;
    /** The settings of a client changed. This is also emitted if it was disabled. */
    "client.changed": ClientEvent;
    /** The algorithms that sign tokens and responses for a client were chosen. Null means those of the realm. */
    "client.signatures_chosen": { readonly algs: readonly (string | null)[] };
    /** The flows of a client were chosen, and it is not saved yet. signin/flows refuses unfit ones. `at` is their path in the request. */
    "client.flows_chosen": { readonly browserFlow: string | null; readonly directGrantFlow: string | null; readonly at?: string };
  }
}

type VersionedClient = Client & { readonly version: number };

export async function searchClients(ctx: ReadCtx, query: ClientQuery): Promise<Page<VersionedClient>> {
  const page = await store.listClients(ctx.tx, ctx.realm, query);
  return { ...page, rows: await spellAccess(ctx.tx, ctx.realm, page.rows.map(shown)) };
}

export async function readClient(ctx: ReadCtx, id: string, isHeld = false): Promise<store.ClientRow> {
  const client = isId(id) ? await store.findClient(ctx.tx, ctx.realm, id, isHeld) : null;
  if (!client) throw clientErrors.not_found();
  return client;
}

/** For a change: held until commit. The version (`If-Match`) is checked last. */
export const takeClient = (ctx: Ctx, id: string): Promise<store.ClientRow> => readClient(ctx, id, true);

export interface WrittenClient {
  readonly client: store.ClientRow;
  /** The secret that this write gave the client. Null if it has none, or kept its own. */
  readonly secret: string | null;
}

/** Creates a client. Clients that register themselves have the hash of a registration access token. */
export async function createClient(
  ctx: Ctx,
  tools: ClientTools,
  input: CreateClient,
  { registrationHash = null }: { readonly registrationHash?: string | null } = {},
): Promise<WrittenClient> {
  const publicClient = input.publicClient ?? false;
  if (isWithinServer(tools.baseUrl, input.clientId))
    throw invalidFields([{ field: "clientId", code: "reserved", message: "clientId: this is an address of the server itself" }]);
  if (input.clientId.includes("|")) {
    const message = "clientId must not hold a |, which is kept for the names of SAML applications";
    throw invalidFields([{ field: "clientId", code: "reserved", message }]);
  }
  if (isReservedName(input.clientId))
    throw invalidFields([
      { field: "clientId", code: "reserved", message: "clientId: this name is reserved for another kind of actor in the audit trail" },
    ]);
  await holdNames(ctx, { clientId: input.clientId, indicators: input.resourceIndicators });
  await refuseIndicator(ctx, input.clientId);
  await refuseUserId(ctx, input.clientId);
  const stored = await checked(ctx, tools, input, publicClient, { clientId: input.clientId });
  assertMayReachAdministrators(ctx, tools.baseUrl, { stored, allowedResources: [] });
  const secret = usesSecret(stored.authMethod) ? (input.secret ?? randomToken()) : null;
  const seal = (id: string) => (secret === null ? null : tools.vault.seal(secret, secretPlace(ctx.realm, id, "secret")));
  const state = { clientId: input.clientId, name: input.name ?? null, enabled: input.enabled ?? true, publicClient, stored };
  const client = await store.insertClient(ctx.tx, ctx.realm, { ...state, registrationHash }, seal, ctx.now);
  if (stored.subjectClaim?.strategy === "attribute") await keepAttributesApart(ctx, "subjectClaim.attribute");
  await moveResources(ctx, client.id, [], stored.resourceIndicators);
  await ctx.emit("client.signatures_chosen", { algs: signaturesFor(stored) });
  await recordConfigChange(ctx, "ADMIN_CREATE", "clients", client.id, client.clientId);
  return { client, secret };
}

const signaturesFor = (stored: Awaited<ReturnType<typeof checked>>) => [
  ...[stored.accessTokenAlg, stored.idTokenAlg, stored.userinfoAlg],
  ...[stored.authorizationSignedResponseAlg, stored.introspectionSignedResponseAlg],
];

/** Replaces a client's state. The secret is kept unless the request has another, or the client is to have none. */
export async function saveClient(
  ctx: Ctx,
  tools: ClientTools,
  id: string,
  input: UpdateClient,
  { keepsGone }: KeepingGone = {},
): Promise<WrittenClient> {
  await holdNames(ctx, { indicators: input.resourceIndicators });
  const current = await takeClient(ctx, id);
  const { publicClient } = input;
  const kept = openSecrets(tools.vault, ctx.realm, current.id, current.sealed)[0]?.value ?? null;
  const stored = await checked(ctx, tools, input, publicClient, { ...current, secret: kept, keepsGone });
  // `updatedAt` may have changed since the client was read, so concurrent changes are detected by If-Match.
  refuseReadOnly(current, input, ["id", "realmId", "clientId", "agentId", "createdAt"]);
  if (publicClient && current.agentId !== null) {
    const message = "publicClient: the client belongs to an agent, and must be able to prove that it is the agent";
    throw invalidFields([{ field: "publicClient", code: "agent", message }]);
  }
  const state: store.ClientState = { name: input.name ?? null, enabled: input.enabled ?? current.enabled, publicClient, stored };
  // Also if the secret is unchanged: otherwise the response would reveal whether a guess is right.
  if (input.secret !== undefined || changesControl(current, state)) await assertMayControlClient(ctx, current.id);
  assertMayReachAdministrators(ctx, tools.baseUrl, current, { stored, allowedResources: current.allowedResources });
  expectVersion(ctx, current.version);
  const secret = usesSecret(stored.authMethod) ? (input.secret ?? kept ?? randomToken()) : null;
  const isKept = isSameSecret(secret, kept);
  const seal = () => (secret === null ? null : tools.vault.seal(secret, secretPlace(ctx.realm, current.id, "secret")));
  const isRotated = !isKept && kept !== null && secret !== null;
  const change = {
    state,
    ...(!isKept && { sealed: { ...noSecrets, secret: seal() } }),
    // With the registration access token, a holder of the former secret would read the new one.
    endsRegistration: isRotated,
  };
  const client = await store.updateClient(ctx.tx, ctx.realm, current.id, change, ctx.now);
  if (stored.subjectClaim?.strategy === "attribute") await keepAttributesApart(ctx, "subjectClaim.attribute");
  await moveResources(ctx, client.id, current.stored.resourceIndicators, stored.resourceIndicators);
  await ctx.emit("client.signatures_chosen", { algs: signaturesFor(stored) });
  await ctx.configChanged();
  const event = { id: client.id, clientId: client.clientId };
  if (current.enabled && !client.enabled) await ctx.emit("client.disabled", event);
  await ctx.emit("client.changed", event);
  const detail = current.enabled === client.enabled ? null : client.enabled ? "enabled" : "disabled";
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "clients", resourceId: client.id, detail });
  if (isRotated)
    ctx.audit({
      category: "SECURITY",
      type: "CLIENT_SECRET_ROTATED",
      resourceType: "clients",
      resourceId: client.id,
      detail: client.clientId,
    });
  return { client, secret: isKept ? null : secret };
}

/** Disables a client without a request to save it. */
export async function disableClient(ctx: Ctx, id: string, detail: string): Promise<void> {
  const { clientId, name, enabled, publicClient, stored } = await takeClient(ctx, id);
  if (!enabled) return;
  await store.updateClient(ctx.tx, ctx.realm, id, { state: { name, enabled: false, publicClient, stored } }, ctx.now);
  await ctx.configChanged();
  await ctx.emit("client.disabled", { id, clientId });
  await ctx.emit("client.changed", { id, clientId });
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "clients", resourceId: id, detail: `disabled: ${detail}` });
}

/** Deletes a client, its roles with their assignments, its mappers, grants and tokens. */
export async function removeClient(ctx: Ctx, tools: ClientTools, id: string): Promise<void> {
  // The realm is locked before the client, as everywhere that roles change.
  await lockRealm(ctx.tx, ctx.realm);
  const client = await takeClient(ctx, id);
  await assertMayControlClient(ctx, client.id);
  assertMayReachAdministrators(ctx, tools.baseUrl, client);
  await ctx.emit("client.deleting", { id: client.id, clientId: client.clientId });
  const roles = await rolesOfClient(ctx.tx, ctx.realm, client.id);
  await dropRoles(
    ctx,
    roles.map(({ roleId }) => roleId),
    async () => expectVersion(ctx, client.version),
  );
  await moveResources(ctx, client.id, client.stored.resourceIndicators, []);
  await store.deleteClient(ctx.tx, ctx.realm, client.id);
  await ctx.configChanged();
  await ctx.emit("client.deleted", { id: client.id, clientId: client.clientId });
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", resourceType: "clients", resourceId: client.id, detail: client.clientId });
}

/** Checks a request for a client. Returns the complete state. */
async function checked(
  ctx: Ctx,
  { baseUrl }: ClientTools,
  input: CreateClient | UpdateClient,
  publicClient: boolean,
  current: KeepingGone & { readonly clientId: string; readonly stored?: StoredClient; readonly secret?: string | null },
): Promise<StoredClient> {
  const { grantTypes, profile, ...rest } = input;
  const { oidc } = (await readSettings(ctx.tx, ctx.realm)).settings;
  const { strategy: realmStrategy } = await readSubjectClaim(ctx);
  const given = {
    ...rest,
    profile: profile ?? oidc.leastProfile,
    ...(grantTypes && { grantTypes: [...new Set(grantTypes.map(toGrantType))] }),
  };
  const stored = completeSettings(given as Partial<StoredClient>, publicClient);
  const errors = [
    ...brokenRules(stored, publicClient, { baseUrl, realmStrategy, current: current.stored }),
    ...(await unknownScopes(ctx, stored.scopes, current.stored?.scopes)),
    ...(await unknownScopes(ctx, stored.resourceScopes, current.stored?.resourceScopes, "resourceScopes")),
    ...implicitErrors(oidc, stored, current.stored),
    ...leastProfileErrors(oidc, stored, current.stored),
    ...secretErrors(input.secret, current.secret ?? null, current.clientId, stored),
  ];
  if (errors.length > 0) throw invalidFields(errors);
  const access = await resolveAccess(ctx, input, { current: current.stored, keepsGone: current.keepsGone });
  if (stored.browserFlow !== null || stored.directGrantFlow !== null) await ctx.emit("client.flows_chosen", stored);
  return { ...stored, ...access };
}

/** Refuses new implicit response types only: a client that has one already keeps it, but cannot use it. */
function implicitErrors({ implicitFlow }: Settings["oidc"], { responseTypes }: StoredClient, current?: StoredClient): FieldError[] {
  const added = responseTypes.filter((type) => type !== "code" && !current?.responseTypes.includes(type));
  if (added.length === 0 || implicitFlow) return [];
  const message = `responseTypes: ${added.join(", ")} may be used only in a realm whose setting oidc.implicitFlow is on`;
  return [{ field: "responseTypes", code: "implicit_off", message }];
}

/** Refuses a profile below the realm's least one. An existing client may keep its profile, but not get a weaker one. */
function leastProfileErrors({ leastProfile }: Settings["oidc"], { profile }: StoredClient, current?: StoredClient): FieldError[] {
  const least = current && isWeaker(current.profile, leastProfile) ? current.profile : leastProfile;
  if (!isWeaker(profile, least)) return [];
  const message = `profile must be ${least} at least: this realm's setting oidc.leastProfile is ${leastProfile}`;
  return [{ field: "profile", code: "least_profile", message }];
}

/** Returns an error for each scope that the realm does not have. Those of `current`, the scopes before the change, may stay. */
export async function unknownScopes(
  ctx: Ctx,
  scopes: readonly string[],
  current: readonly string[] = [],
  field = "scopes",
): Promise<FieldError[]> {
  const known = ["openid", ...current, ...(await shareScopes(ctx.tx, ctx.realm, scopes))];
  return scopes
    .filter((scope) => !known.includes(scope))
    .map((scope) => ({
      field,
      code: "unknown_scope",
      message: `There is no client scope “${scope}” in this realm`,
    }));
}

/** Returns the client as the admin API shows it. */
export async function shownWithNames(ctx: ReadCtx, row: store.ClientRow): Promise<VersionedClient> {
  const [client] = await spellAccess(ctx.tx, ctx.realm, [shown(row)]);
  return client!;
}

/** Returns the client with ids of roles and groups instead of their names. A write accepts ids too. */
export function shown(row: store.ClientRow): VersionedClient {
  const { grantTypes, ...settings } = row.stored;
  const names = grantTypes.map(spellGrantType);
  return {
    ...(settings as Omit<Client, "grantTypes">),
    id: row.id,
    realmId: row.realmId,
    clientId: row.clientId,
    name: row.name,
    enabled: row.enabled,
    publicClient: row.publicClient,
    agentId: row.agentId,
    grantTypes: grantTypeNames.filter((name) => names.includes(name)),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    version: row.version,
  };
}
