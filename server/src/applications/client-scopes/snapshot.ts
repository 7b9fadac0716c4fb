import { sql } from "kysely";
import { configVersion, createRealmCache, type RealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import { type Db, inSnapshot } from "../../platform/db/index.ts";
import { type ClaimMapper, type ClientScopeSnapshot, type MapperState, toMapper } from "../claims/index.ts";

/** A realm's scopes with the claims they bring, read once and never changed. */
export interface ScopesSnapshot {
  readonly configVersion: number;
  readonly scopes: readonly ClientScopeSnapshot[];
  readonly byName: ReadonlyMap<string, ClientScopeSnapshot>;
}

export type Scopes = RealmCache<ScopesSnapshot>;

export const createScopes = ({ db, changes }: { readonly db: Db; readonly changes: RealmChanges }): Scopes =>
  createRealmCache(changes, (realm) => inSnapshot(db, (tx) => loadScopes(tx, realm)));

/** What the named scopes bring, each mapper once, in a settled order. Names that the realm does not know bring nothing. */
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

async function loadScopes(db: Db, realm: string): Promise<ScopesSnapshot | null> {
  const version = await configVersion(db, realm);
  const { rows } = await sql<Row | { scope_id: null }>`
    select s.scope_id, s.name, s.description, s.consent_text, s.assignment,
      (select json_agg(json_build_object('claim_id', m.claim_id, 'name', m.name, 'mapper', m.mapper) order by m.name_key)
        from client_scope_claims a join claim_mappers m on m.realm_id = a.realm_id and m.claim_id = a.claim_id
        where a.realm_id = s.realm_id and a.scope_id = s.scope_id) as mappers
    from realms r left join client_scopes s on s.realm_id = r.realm_id
    where r.realm_id = ${realm} and r.deleted_at is null order by s.name`.execute(db);
  if (rows.length === 0) return null;
  const scopes = rows.flatMap((row) => (row.scope_id === null ? [] : [toSnapshot(row)]));
  return { configVersion: version, scopes, byName: new Map(scopes.map((scope) => [scope.name, scope])) };
}

const toSnapshot = (row: Row): ClientScopeSnapshot => ({
  scopeId: row.scope_id,
  name: row.name,
  description: row.description,
  consentText: row.consent_text,
  assignment: row.assignment,
  mappers: (row.mappers ?? []).map(toMapper),
});
