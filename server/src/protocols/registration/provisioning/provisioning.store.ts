import { sql } from "kysely";
import { type Db, prepared, type Tx } from "../../../platform/db/index.ts";
import { completeProvisioning, type Provisioning, type UpdateProvisioning } from "./provisioning.schema.ts";

export interface StoredProvisioning {
  readonly provisioning: Provisioning;
  /** The version of the row, or 0 if the realm has none and uses the defaults. */
  readonly version: number;
  /** The version of the realm's configuration. */
  readonly configVersion: number;
}

export async function findProvisioning(db: Db, realm: string): Promise<StoredProvisioning> {
  const [row] = await found(db, { realm });
  return { ...row!, provisioning: completeProvisioning(row!.provisioning ?? {}) };
}

const found = prepared(
  ({ realm }: { realm: string }) =>
    sql<Omit<StoredProvisioning, "provisioning"> & { readonly provisioning: UpdateProvisioning | null }>`
    select coalesce((select v.version from realm_versions v where v.realm_id = ${realm}), 0)::bigint as "configVersion",
      o.provisioning, coalesce(o.version, 0)::bigint as version
    from (select 1) as one left join realm_oidc o on o.realm_id = ${realm}`,
);

export async function saveProvisioning(tx: Tx, realm: string, state: Provisioning): Promise<number> {
  const provisioning = JSON.stringify(state);
  const row = await tx
    .insertInto("realm_oidc")
    .values({ realm_id: realm, provisioning })
    .onConflict((clash) => clash.column("realm_id").doUpdateSet((eb) => ({ provisioning, version: eb("realm_oidc.version", "+", 1) })))
    .returning("version")
    .executeTakeFirstOrThrow();
  return row.version;
}
