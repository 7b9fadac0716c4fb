import { sql } from "kysely";
import { type Db, prepared, type Tx } from "../../../platform/db/index.ts";
import { completeProvisioning, type Provisioning, type UpdateProvisioning } from "./provisioning.schema.ts";

export interface StoredProvisioning {
  readonly provisioning: Provisioning;
  readonly version: number;
}

/** Version 0: the realm has no row and uses the defaults. */
export async function findProvisioning(db: Db, realm: string): Promise<StoredProvisioning> {
  const row = await db.selectFrom("realm_oidc").select(["provisioning", "version"]).where("realm_id", "=", realm).executeTakeFirst();
  return { provisioning: completeProvisioning((row?.provisioning ?? {}) as UpdateProvisioning), version: row?.version ?? 0 };
}

/** The same with the realm's configuration version, in one statement. */
export async function findProvisioningAt(db: Db, realm: string): Promise<{ provisioning: Provisioning; configVersion: number }> {
  const [row] = await withVersion(db, { realm });
  return { provisioning: completeProvisioning((row?.provisioning ?? {}) as UpdateProvisioning), configVersion: row?.config_version ?? 0 };
}

const withVersion = prepared(
  ({ realm }: { realm: string }) =>
    sql<{ config_version: number; provisioning: Record<string, unknown> | null }>`
    select coalesce((select v.version from realm_versions v where v.realm_id = ${realm}), 0)::bigint as config_version,
      (select o.provisioning from realm_oidc o where o.realm_id = ${realm}) as provisioning`,
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
