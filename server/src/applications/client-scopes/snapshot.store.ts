import { sql } from "kysely";
import { createRealmCache, type RealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import { type Db, prepared } from "../../platform/db/index.ts";
import { type ClaimMapper, type ClientScopeSnapshot, type MapperState, toMapper } from "../claims/index.ts";

/** A realm's scopes with their claims, read once and never changed. */
export interface ScopesSnapshot {
  readonly configVersion: number;
  readonly scopes: readonly ClientScopeSnapshot[];
  readonly byName: ReadonlyMap<string, ClientScopeSnapshot>;
}

export type Scopes = RealmCache<ScopesSnapshot>;

export const createScopes = ({ db, changes }: { readonly db: Db; readonly changes: RealmChanges }): Scopes =>
  createRealmCache(changes, (realm) => loadScopes(db, realm));

/** Returns the mappers of the named scopes, each once and in a fixed order. Unknown names add nothing. */
export function mappersOf({ byName }: ScopesSnapshot, names: Iterable<string>): readonly ClaimMapper[] {
  const mappers = new Map<string, ClaimMapper>();
  for (const name of names) for (const mapper of byName.get(name)?.mappers ?? []) mappers.set(mapper.claimId, mapper);
  return [...mappers.values()];
}

interface Row {
  scope_id: string;
  name: string;
  description: string | null;
  consent_text: string | null;
  assignment: ClientScopeSnapshot["assignment"];
  mappers: { claim_id: string; name: string; mapper: MapperState }[] | null;
}

const load = prepared(
  ({ realm }: { realm: string }) =>
    sql<(Row | { scope_id: null }) & { config_version: number }>`
    select coalesce((select v.version from realm_versions v where v.realm_id = r.realm_id), 0)::bigint as config_version, s.scope_id, s.name, s.description, s.consent_text, s.assignment,
      (select json_agg(json_build_object('claim_id', m.claim_id, 'name', m.name, 'mapper', m.mapper) order by m.name_key)
        from client_scope_claims a join claim_mappers m on m.realm_id = a.realm_id and m.claim_id = a.claim_id
        where a.realm_id = s.realm_id and a.scope_id = s.scope_id) as mappers
    from realms r left join client_scopes s on s.realm_id = r.realm_id
    where r.realm_id = ${realm} and r.deleted_at is null order by s.name`,
);

/** Loads the scopes in one statement, so that all of its data is from the same moment and costs one round trip. */
async function loadScopes(db: Db, realm: string): Promise<ScopesSnapshot | null> {
  const rows = await load(db, { realm });
  const [first] = rows;
  if (!first) return null;
  const scopes = rows.flatMap((row) => (row.scope_id === null ? [] : [toSnapshot(row)]));
  return { configVersion: first.config_version, scopes, byName: new Map(scopes.map((scope) => [scope.name, scope])) };
}

const toSnapshot = (row: Row): ClientScopeSnapshot => ({
  scopeId: row.scope_id,
  name: row.name,
  description: row.description,
  consentText: row.consent_text,
  assignment: row.assignment,
  mappers: (row.mappers ?? []).map(toMapper),
});
