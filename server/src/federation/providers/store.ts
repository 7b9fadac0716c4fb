import { type ColumnType, type Generated, type Selectable, sql } from "kysely";
import { addTo } from "../../kernel/lists.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import {
  type Db,
  deleteRows,
  insertReturning,
  nameStartsWith,
  nextVersion,
  type Tx,
  translating,
  updateReturning,
} from "../../platform/db/index.ts";
import { type ListQuery, listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { providerErrors } from "./errors.ts";
import type { Config } from "./provider.ts";

interface IdentityProvidersTable {
  realm_id: string;
  alias: string;
  provider_id: string;
  protocol: string;
  display_name: string;
  name_key: string;
  enabled: boolean;
  config: ColumnType<Config, string, string>;
  created_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    identity_providers: IdentityProvidersTable;
    identity_provider_secrets: { realm_id: string; provider_id: string; member: string; secret_key: string; sealed: string };
  }
}

export interface ProviderRow {
  readonly realmId: string;
  readonly providerId: string;
  readonly alias: string;
  readonly protocol: string;
  readonly displayName: string;
  readonly enabled: boolean;
  /** The saved members, without secrets and defaults. */
  readonly config: Config;
  readonly version: number;
}
export type ProviderState = Pick<ProviderRow, "displayName" | "enabled" | "config">;

const columns = ["realm_id", "provider_id", "alias", "protocol", "display_name", "enabled", "config", "version"] as const;
type Columns = Pick<Selectable<IdentityProvidersTable>, (typeof columns)[number]>;

export const toProvider = (row: Columns): ProviderRow => ({
  realmId: row.realm_id,
  providerId: row.provider_id,
  alias: row.alias,
  protocol: row.protocol,
  displayName: row.display_name,
  enabled: row.enabled,
  config: row.config,
  version: row.version,
});

const order = listOrder("alias", { alias: "alias", displayName: "name_key", createdAt: "created_at" }, "alias");

const ofRealm = (db: Db, realm: string) => db.selectFrom("identity_providers").select(columns).where("realm_id", "=", realm);

export async function listProviders(db: Db, realm: string, query: ListQuery): Promise<Page<ProviderRow>> {
  const { search } = query;
  const base = ofRealm(db, realm).$if(search !== undefined && search !== "", (q) =>
    q.where((eb) => eb.or([nameStartsWith("alias", search!), eb("name_key", "like", likePrefix(loginKey(search!)))])),
  );
  return mapPage(await pageOf(db, base, order, query), toProvider);
}

export async function findProvider(db: Db, realm: string, alias: string): Promise<ProviderRow | null> {
  const row = await ofRealm(db, realm).where("alias", "=", alias).executeTakeFirst();
  return row ? toProvider(row) : null;
}

/** Returns the provider and locks it against changes until commit; other transactions may hold the same lock. */
export async function shareProvider(tx: Tx, realm: string, alias: string): Promise<ProviderRow | null> {
  const row = await ofRealm(tx, realm).where("alias", "=", alias).forShare().executeTakeFirst();
  return row ? toProvider(row) : null;
}

/** Throws if there is no such provider. */
export async function takeProvider({ tx, realm }: ReadCtx, alias: string): Promise<ProviderRow> {
  const row = await findProvider(tx, realm, alias);
  if (!row) throw providerErrors.not_found();
  return row;
}

/** Locks a provider until commit, for a change of it or of its mappers. */
export async function holdProvider({ tx, realm }: Ctx, alias: string): Promise<ProviderRow> {
  const row = await ofRealm(tx, realm).where("alias", "=", alias).forUpdate().executeTakeFirst();
  if (!row) throw providerErrors.not_found();
  return toProvider(row);
}

/** Locks the providers that give roles to new users until commit. */
export async function holdProvidersThatGive(tx: Tx, realm: string): Promise<ProviderRow[]> {
  const giving = ofRealm(tx, realm).where(sql<boolean>`config -> 'defaultRoles' is not null`);
  return (await giving.orderBy("alias").forUpdate().execute()).map(toProvider);
}

/** Returns what the mappers (by name) and the defaults of all providers give: a role, by name, or a group, by id. */
export async function givenByProviders(db: Db, realm: string) {
  const defaults = (member: string) =>
    sql`identity_providers p, jsonb_array_elements_text(coalesce(p.config -> ${sql.lit(member)}, '[]')) given where p.realm_id = ${realm}`;
  const { rows } = await sql<{ alias: string; mapper: string | null; role: string | null; group: string | null }>`
    select p.alias, m.name as mapper, m.mapper ->> 'role' as role, m.mapper ->> 'group' as "group"
    from identity_provider_mappers m join identity_providers p on p.realm_id = m.realm_id and p.provider_id = m.provider_id
    where m.realm_id = ${realm}
    union all select p.alias, null, given, null from ${defaults("defaultRoles")}
    union all select p.alias, null, null, given from ${defaults("defaultGroups")}
    order by 1, 2`.execute(db);
  return rows;
}

const toColumns = ({ displayName, enabled, config }: ProviderState) => ({
  display_name: displayName,
  name_key: loginKey(displayName),
  enabled,
  config: JSON.stringify(config),
});

export async function insertProvider(
  tx: Tx,
  key: Pick<ProviderRow, "realmId" | "providerId" | "alias" | "protocol">,
  state: ProviderState,
  now: number,
): Promise<ProviderRow> {
  const { realmId, providerId, alias, protocol } = key;
  const row = { realm_id: realmId, provider_id: providerId, alias, protocol, ...toColumns(state), created_at: now };
  const taken = { identity_providers_alias_taken: providerErrors.alias_taken };
  return toProvider(await translating(taken, insertReturning(tx, "identity_providers", row, columns)));
}

export async function updateProvider(tx: Tx, { realmId, alias }: ProviderRow, state: ProviderState): Promise<ProviderRow> {
  const change = { ...toColumns(state), version: nextVersion };
  return toProvider(await updateReturning(tx, "identity_providers", { realm_id: realmId, alias }, change, columns));
}

/** Deletes a provider, with its secrets and mappers. */
export async function deleteProvider(tx: Tx, { realmId, alias }: ProviderRow): Promise<void> {
  await deleteRows(tx, "identity_providers", { realm_id: realmId, alias });
}

type Owner = Pick<ProviderRow, "realmId" | "providerId">;

const secretKey = (providerId: string, member: string) => `${providerId}/${member}`;
export const secretPlace = (realm: string, providerId: string, member: string) => ({
  realm,
  table: "identity_provider_secrets",
  column: "sealed",
  row: secretKey(providerId, member),
});

export interface SealedSecret {
  readonly member: string;
  readonly sealed: string;
}

export const openSecrets = (vault: Vault, { realmId, providerId }: Owner, sealed: readonly SealedSecret[]): Record<string, string> =>
  Object.fromEntries(sealed.map((secret) => [secret.member, vault.open(secret.sealed, secretPlace(realmId, providerId, secret.member))]));

export async function sealedSecrets(db: Db, realm: string, providerIds: readonly string[]): Promise<Map<string, SealedSecret[]>> {
  const found = new Map<string, SealedSecret[]>();
  if (providerIds.length === 0) return found;
  const rows = await db
    .selectFrom("identity_provider_secrets")
    .select(["provider_id", "member", "sealed"])
    .where("realm_id", "=", realm)
    .where("provider_id", "in", [...providerIds])
    .orderBy("member")
    .execute();
  for (const { provider_id: id, member, sealed } of rows) addTo(found, id, { member, sealed });
  return found;
}

export async function replaceSecrets(tx: Tx, vault: Vault, { realmId, providerId }: Owner, secrets: Readonly<Record<string, string>>) {
  await deleteRows(tx, "identity_provider_secrets", { realm_id: realmId, provider_id: providerId });
  const rows = Object.entries(secrets).map(([member, secret]) => ({
    ...{ realm_id: realmId, provider_id: providerId, member, secret_key: secretKey(providerId, member) },
    sealed: vault.seal(secret, secretPlace(realmId, providerId, member)),
  }));
  if (rows.length > 0) await tx.insertInto("identity_provider_secrets").values(rows).execute();
}
