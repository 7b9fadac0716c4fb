import type { Db, Tx } from "../../platform/db/index.ts";
import { completeProvisioning, type Provisioning, type UpdateProvisioning } from "./provisioning.schema.ts";

export interface StoredProvisioning {
  readonly provisioning: Provisioning;
  readonly version: number;
}

/** A realm that decided nothing has no row: it is at version 0. */
export async function findProvisioning(db: Db, realm: string): Promise<StoredProvisioning> {
  const row = await db.selectFrom("realm_oidc").select(["provisioning", "version"]).where("realm_id", "=", realm).executeTakeFirst();
  return { provisioning: completeProvisioning((row?.provisioning ?? {}) as UpdateProvisioning), version: row?.version ?? 0 };
}

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
