import { forgetProvider } from "../../directory/organizations/index.ts";
import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { secretChange } from "../../kernel/stored-secret.ts";
import type { Vault } from "../../kernel/vault.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import { mapPage } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { assertMayAnswerFor, assertMayLeadDomains, changedMembers, isControl } from "./control.ts";
import { providerErrors } from "./errors.ts";
import { assertMayLetGive, defaultGrants } from "./grants.ts";
import { dropTokensOfProvider } from "./link-tokens.store.ts";
import { forgetLinksLater, hasLinks } from "./links.store.ts";
import { assertMayLetMap } from "./mappers.service.ts";
import { domainFaults } from "./members.ts";
import type { IdentityProviderProtocol } from "./protocol.ts";
import { protocolOf } from "./protocols.ts";
import type { Config, OpenProvider } from "./provider.ts";
import type { CreateIdentityProvider, IdentityProvider, UpdateIdentityProvider } from "./schema.ts";
import {
  deleteProvider,
  holdProvider,
  insertProvider,
  listProviders,
  openSecrets,
  type ProviderRow,
  replaceSecrets,
  type SealedSecret,
  sealedSecrets,
  takeProvider,
  updateProvider,
} from "./store.ts";

/** The dependencies of the rules besides the unit of work. */
export interface ProviderParts {
  readonly vault: Vault;
  readonly outbound: Outbound;
  readonly baseUrl: string;
  /** Returns the entity in the last metadata that was read of a SAML provider; null if none was read. */
  readEntity(db: Db, provider: Pick<OpenProvider, "realm" | "providerId">): Promise<string | null>;
}

type Shown = IdentityProvider & { readonly version: number };

const setMember = (secret: string) => `${secret}Set`;

/** Returns the provider in the form of the API: with defaults, and with `…Set` members instead of secrets. */
function shown({ providerId: _, ...row }: ProviderRow, stored: readonly string[]): Shown {
  const { defaults, secrets } = protocolOf(row.protocol);
  const areSet = Object.fromEntries(secrets.map((member) => [setMember(member), stored.includes(member)]));
  return { ...row, config: { ...defaults, ...row.config, ...areSet } };
}

export async function searchProviders(ctx: ReadCtx, query: ListQuery): Promise<Page<Shown>> {
  const page = await listProviders(ctx.tx, ctx.realm, query);
  const secrets = await sealedSecrets(
    ctx.tx,
    ctx.realm,
    page.rows.map(({ providerId }) => providerId),
  );
  return mapPage(page, (row) => shown(row, namesOf(secrets.get(row.providerId))));
}

const namesOf = (sealed: readonly SealedSecret[] = []) => sealed.map(({ member }) => member);

export async function readProvider(ctx: ReadCtx, alias: string): Promise<Shown> {
  const row = await takeProvider(ctx, alias);
  return shown(row, namesOf(await secretsOf(ctx, row)));
}

/** Returns a provider with its secrets, for a test of the stored configuration. */
export async function openProvider(ctx: ReadCtx, vault: Vault, alias: string): Promise<OpenProvider> {
  const row = await takeProvider(ctx, alias);
  return opened(row, openSecrets(vault, row, await secretsOf(ctx, row)));
}

const secretsOf = async ({ tx, realm }: ReadCtx, { providerId }: ProviderRow): Promise<readonly SealedSecret[]> =>
  (await sealedSecrets(tx, realm, [providerId])).get(providerId) ?? [];

const opened = (row: ProviderRow, secrets: Record<string, string>): OpenProvider => ({
  realm: row.realmId,
  providerId: row.providerId,
  alias: row.alias,
  protocol: row.protocol,
  displayName: row.displayName,
  version: row.version,
  config: { ...protocolOf(row.protocol).defaults, ...row.config },
  secrets,
});

export async function createProvider(ctx: Ctx, input: CreateIdentityProvider, parts: ProviderParts): Promise<Shown> {
  const { alias, protocol, enabled = true } = input;
  refuseReadOnly<{ realmId: string }, "realmId">({ realmId: ctx.realm }, input, ["realmId"]);
  const rules = protocolOf(protocol);
  const { config, secrets } = split(rules, input.config ?? {}, null, {});
  refuseFaults(rules, { config, secrets, enabled }, parts);
  // No user is linked to the new provider, but some may have come from an earlier one of this alias.
  await assertMayAnswerFor(ctx, { providerId: null, alias });
  await assertMayLetGive(ctx, await defaultGrants(ctx, config));
  await assertMayLeadDomains(ctx, config);
  const key = { realmId: ctx.realm, providerId: newId(), alias, protocol };
  const row = await insertProvider(ctx.tx, key, { displayName: input.displayName ?? alias, enabled, config }, ctx.now);
  await replaceSecrets(ctx.tx, parts.vault, row, secrets);
  // An organization that named this alias before the provider existed did not mean this provider.
  await forgetProvider(ctx, alias);
  await tell(ctx, "ADMIN_CREATE", alias);
  const all = shown(row, Object.keys(secrets));
  const { createShows } = rules;
  return createShows
    ? { ...all, config: Object.fromEntries(Object.entries(all.config).filter(([name]) => createShows.includes(name))) }
    : all;
}

export async function saveProvider(ctx: Ctx, alias: string, input: UpdateIdentityProvider, parts: ProviderParts): Promise<Shown> {
  const current = await holdProvider(ctx, alias);
  refuseReadOnly(current, input, ["realmId", "alias", "protocol"]);
  const rules = protocolOf(current.protocol);
  const before = openSecrets(parts.vault, current, await secretsOf(ctx, current));
  const { config, secrets, secretsChanged } = split(rules, input.config ?? {}, current.config, before);
  const changed = [...changedMembers({ ...rules.defaults, ...current.config }, { ...rules.defaults, ...config }), ...secretsChanged];
  // Disabling is always possible, even if the stored configuration no longer passes the checks.
  if (input.enabled || changed.length > 0) refuseFaults(rules, { config, secrets, enabled: input.enabled }, parts);
  expectVersion(ctx, current.version);
  const enables = input.enabled && !current.enabled;
  if (enables || isControl(rules, changed)) {
    await assertMayDecide(ctx, current, config, changed.includes("defaultRoles") || changed.includes("defaultGroups"));
    await assertMayLeadDomains(ctx, config);
  }
  const subject = changed.filter((member) => rules.subjectMembers.includes(member));
  if (subject.length > 0 && (await hasLinks(ctx.tx, current))) throw providerErrors.subject_in_use(subject);
  await refuseOtherEntity(ctx, current, config, parts);
  const row = await updateProvider(ctx.tx, current, { displayName: input.displayName ?? alias, enabled: input.enabled, config });
  await replaceSecrets(ctx.tx, parts.vault, row, secrets);
  // Refresh tokens of users are sent to the same addresses as secrets: another host must not get them either.
  const isMoved = secretChange({}, rules.addresses(current.config), rules.addresses(config)) !== "kept";
  if (isMoved || (changed.includes("storeTokens") && config.storeTokens !== true))
    await dropTokensOfProvider(ctx.tx, ctx.realm, row.providerId);
  await tell(ctx, "ADMIN_UPDATE", alias);
  return shown(row, Object.keys(secrets));
}

/** Requires what control of a provider needs: its users' permissions, and those that it gives. `namesGrants`: the request itself names the default grants. */
async function assertMayDecide(ctx: Ctx, provider: ProviderRow, config: Config, namesGrants: boolean): Promise<void> {
  await assertMayAnswerFor(ctx, provider);
  await assertMayLetGive(ctx, await defaultGrants(ctx, config, namesGrants));
  await assertMayLetMap(ctx, provider.providerId);
}

/**
 * Keeps a SAML provider with linked users at the same entity, wherever its metadata comes from, because a NameID has a meaning at one entity only. If the
 * metadata is to be read from another address, the configuration must name the entity that it must describe.
 */
async function refuseOtherEntity(ctx: Ctx, current: ProviderRow, config: Config, { readEntity }: ProviderParts): Promise<void> {
  const { entityIn } = protocolOf(current.protocol);
  if (!entityIn) return;
  const [configured, now] = [entityIn(current.config), entityIn(config)];
  // Metadata from the same address is compared with the earlier metadata when it is read.
  if (configured === now && config.metadataUrl === current.config.metadataUrl) return;
  const before = configured ?? (await readEntity(ctx.tx, { realm: current.realmId, providerId: current.providerId }));
  if (before === null || before === now || !(await hasLinks(ctx.tx, current))) return;
  if (now === null) throw providerErrors.entity_unsaid(before);
  throw providerErrors.subject_in_use([config.idpEntityId === undefined ? "metadataXml" : "idpEntityId"]);
}

/** Deletes a provider. Its users stay, but can no longer sign in by it. Its links never count for a later provider of this alias. */
export async function removeProvider(ctx: Ctx, alias: string): Promise<void> {
  const current = await holdProvider(ctx, alias);
  expectVersion(ctx, current.version);
  await assertMayDecide(ctx, current, current.config, false);
  await deleteProvider(ctx.tx, current);
  await forgetProvider(ctx, alias);
  await forgetLinksLater(ctx, current);
  await tell(ctx, "ADMIN_DELETE", alias);
}

async function tell(ctx: Ctx, type: "ADMIN_CREATE" | "ADMIN_UPDATE" | "ADMIN_DELETE", alias: string): Promise<void> {
  await recordConfigChange(ctx, type, "identity-providers", alias);
}

/**
 * Divides the request into members that are stored openly, and the secrets that are stored from now on. An omitted secret is kept. With another scheme, host or
 * port it must be sent again, because otherwise it would go to a server that it was not given for. A stored secret that the new configuration does not use is
 * removed.
 */
function split(rules: IdentityProviderProtocol, input: Config, before: Config | null, stored: Readonly<Record<string, string>>) {
  const isSecret = (member: string) => rules.secrets.some((secret) => secret === member || setMember(secret) === member);
  const open = Object.fromEntries(Object.entries(input).filter(([member]) => !isSecret(member)));
  const config = rules.normalized?.(open) ?? open;
  const isMoved = before !== null && secretChange({}, rules.addresses(before), rules.addresses(config)) === "cleared";
  const unused = rules.unusedSecrets?.({ ...rules.defaults, ...config }) ?? [];
  const secrets: Record<string, string> = {};
  const secretsChanged: string[] = [];
  const wrong: FieldError[] = [];
  for (const member of rules.secrets) {
    const given = input[member] as string | undefined;
    const had = stored[member];
    const refuse = (name: string, message: string, code: string) =>
      wrong.push(fieldError(`config.${name}`, `config.${name} ${message}`, code));
    if (given === undefined && had !== undefined && isMoved && !unused.includes(member))
      refuse(member, "is required: send it with any change of scheme, host or port", "required");
    if (input[setMember(member)] === true && had === undefined && typeof given !== "string")
      refuse(setMember(member), `cannot be changed: send ${member}`, "read_only");
    const secret = given ?? (unused.includes(member) ? undefined : had);
    if (secret !== undefined) secrets[member] = secret;
    if (secret !== had) secretsChanged.push(member);
  }
  if (wrong.length > 0) throw invalidFields(wrong);
  return { config, secrets, secretsChanged };
}

const fieldError = (field: string, message: string, code = "invalid"): FieldError => ({ field, code, message });

/** Refuses faults. A provider that is not enabled may still lack a secret. */
function refuseFaults(
  rules: IdentityProviderProtocol,
  { config, secrets, enabled }: { config: Config; secrets: Record<string, string>; enabled: boolean },
  tools: ProviderParts,
): void {
  const faults = [...rules.check({ config: { ...rules.defaults, ...config }, secrets }, tools), ...domainFaults(config)];
  const isMissingSecret = (field: string) => rules.secrets.some((member) => field === `config.${member}` && secrets[member] === undefined);
  const refused = enabled ? faults : faults.filter(({ field, onlyWhenEnabled }) => !isMissingSecret(field) && !onlyWhenEnabled);
  if (refused.length > 0) throw invalidFields(refused.map(({ field, message }) => fieldError(field, message)));
}
