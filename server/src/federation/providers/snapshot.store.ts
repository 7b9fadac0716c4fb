import { sql } from "kysely";
import { normalDomain } from "../../directory/organizations/index.ts";
import type { Vault } from "../../kernel/vault.ts";
import { createRealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { MapperState } from "./mappers.schema.ts";
import { protocolOf, protocols } from "./protocols.ts";
import type { IdentityProviders, ProviderSnapshot, ProvidersSnapshot } from "./provider.ts";
import { openSecrets, type SealedSecret, toProvider } from "./store.ts";

/** The limit on buttons: nobody can choose among more. Other providers are reached by the domain of the address, or by `idp_hint`. */
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
    // The secrets are opened by the first sign-in that needs them, because a realm may have a thousand providers.
    get secrets() {
      secrets ??= openSecrets(vault, { realmId, providerId: provider.providerId }, row.secrets);
      return secrets;
    },
  };
}

type SnapshotRow = Parameters<typeof toProvider>[0] & {
  config_version: number;
  mappers: MapperState[];
  secrets: SealedSecret[];
  is_of_organizations: boolean;
};

/** Reads the providers of a realm in one statement, so that they are consistent. Returns one row without an alias if there are none. */
async function readForSnapshot(db: Db, realm: string) {
  const { rows } = await sql<SnapshotRow | (Omit<SnapshotRow, "alias"> & { alias: null })>`
    select coalesce((select v.version from realm_versions v where v.realm_id = r.realm_id), 0)::bigint as config_version,
      p.realm_id, p.alias, p.provider_id, p.protocol, p.display_name, p.enabled, p.config, p.version,
      coalesce((select json_agg(m.mapper order by m.name_key) from identity_provider_mappers m
        where m.realm_id = p.realm_id and m.provider_id = p.provider_id), '[]') as mappers,
      coalesce((select json_agg(json_build_object('member', s.member, 'sealed', s.sealed)) from identity_provider_secrets s
        where s.realm_id = p.realm_id and s.provider_id = p.provider_id), '[]') as secrets,
      exists (select 1 from organizations o
        where o.realm_id = p.realm_id and o.identity_provider = p.alias and o.enabled) as is_of_organizations
    from realms r left join identity_providers p on p.realm_id = r.realm_id
    where r.realm_id = ${realm} and r.deleted_at is null`.execute(db);
  return rows;
}
