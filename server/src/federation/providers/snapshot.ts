import { normalDomain } from "../../directory/organizations/index.ts";
import type { Vault } from "../../kernel/vault.ts";
import { createRealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { protocolOf, protocols } from "./protocols.ts";
import type { IdentityProviders, ProviderSnapshot, ProvidersSnapshot } from "./provider.ts";
import { openSecrets, readForSnapshot, type SnapshotRow, toProvider } from "./store.ts";

/** More buttons are no choice: others are reached by the domain of the address, or by `idp_hint`. */
export const MAX_BUTTONS = 20;

export const createIdentityProviders = ({ db, vault, changes }: { db: Db; vault: Vault; changes: RealmChanges }): IdentityProviders =>
  createRealmCache(changes, (realm) => loadProviders(db, vault, realm));

async function loadProviders(db: Db, vault: Vault, realm: string): Promise<ProvidersSnapshot | null> {
  const rows = await readForSnapshot(db, realm);
  const [first] = rows;
  if (!first) return null;
  const providers = rows.filter((row): row is SnapshotRow => row.alias !== null && Object.hasOwn(protocols, row.protocol));
  const byAlias = new Map(providers.map((row) => [row.alias, toSnapshot(vault, row)]));
  const orderOf = ({ config }: ProviderSnapshot) => Number(config.order ?? 100);
  const enabled = [...byAlias.values()]
    .filter((provider) => provider.enabled)
    .sort((a, b) => orderOf(a) - orderOf(b) || a.displayName.localeCompare(b.displayName) || (a.alias < b.alias ? -1 : 1));
  const buttons = enabled
    .filter(({ config }) => config.hideOnLogin === false)
    .map(({ alias, protocol, displayName, config }) => ({ alias, protocol, displayName, logoUri: textOf(config.logoUri) }));
  const byDomain = new Map<string, string>();
  for (const { alias, config } of enabled)
    for (const domain of (config.domains ?? []) as string[]) {
      const name = normalDomain(domain);
      if (name !== null && !byDomain.has(name)) byDomain.set(name, alias);
    }
  const isOfOrganizations = enabled.some((provider) => provider.isOfOrganizations);
  const leadsHome = byDomain.size > 0 || isOfOrganizations;
  return { configVersion: first.config_version, byAlias, buttons, byDomain, isOfOrganizations, leadsHome };
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

function toSnapshot(vault: Vault, row: SnapshotRow): ProviderSnapshot {
  const { realmId, ...provider } = toProvider(row);
  let secrets: Record<string, string> | undefined;
  return {
    ...provider,
    realm: realmId,
    config: { ...protocolOf(provider.protocol).defaults, ...provider.config },
    mappers: row.mappers,
    isOfOrganizations: row.is_of_organizations,
    // Opened by the first sign-in that needs them: a realm may have a thousand providers.
    get secrets() {
      secrets ??= openSecrets(vault, { realmId, providerId: provider.providerId }, row.secrets);
      return secrets;
    },
  };
}
