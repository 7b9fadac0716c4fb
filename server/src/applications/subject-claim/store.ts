import { type ColumnType, type Generated, sql } from "kysely";
import { type Db, findRow, prepared, type Tx } from "../../platform/db/index.ts";
import type { SubjectClaim } from "./schema.ts";

interface RealmOidcTable {
  realm_id: string;
  subject_claim: ColumnType<SubjectClaim, string | undefined, string>;
  provisioning: ColumnType<Record<string, unknown>, string | undefined, string>;
  pairwise_salt: ColumnType<string | null, string | null | undefined, string | null>;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    realm_oidc: RealmOidcTable;
  }
}

export interface StoredSubjectClaim {
  readonly subjectClaim: SubjectClaim;
  /** The salt, sealed. */
  readonly salt: string | null;
  readonly version: number;
}

/** Returns the setting. A realm that has not set it has no row, and version 0. */
export async function findSubjectClaim(db: Db, realm: string): Promise<StoredSubjectClaim> {
  const row = await findRow(db, "realm_oidc", ["subject_claim", "pairwise_salt", "version"], { realm_id: realm });
  return { subjectClaim: complete(row?.subject_claim), salt: row?.pairwise_salt ?? null, version: row?.version ?? 0 };
}

const complete = ({ strategy = "userId", attribute = null }: Partial<SubjectClaim> = {}): SubjectClaim => ({ strategy, attribute });

const withVersion = prepared(
  ({ realm }: { realm: string }) =>
    sql<{ config_version: number; subject_claim: Partial<SubjectClaim> | null; pairwise_salt: string | null }>`
    select coalesce((select v.version from realm_versions v where v.realm_id = r.realm_id), 0)::bigint as config_version,
      o.subject_claim, o.pairwise_salt
    from (select ${realm}::text as realm_id) r left join realm_oidc o on o.realm_id = r.realm_id`,
);

/** Reads the setting and the version of the realm's configuration in one statement. */
export async function findSubjectClaimAt(db: Db, realm: string): Promise<Omit<StoredSubjectClaim, "version"> & { configVersion: number }> {
  const [row] = await withVersion(db, { realm });
  return {
    subjectClaim: complete(row?.subject_claim ?? {}),
    salt: row?.pairwise_salt ?? null,
    configVersion: row?.config_version ?? 0,
  };
}

export async function saveSubjectClaim(tx: Tx, realm: string, claim: SubjectClaim): Promise<number> {
  const subject_claim = JSON.stringify(claim);
  const row = await tx
    .insertInto("realm_oidc")
    .values({ realm_id: realm, subject_claim })
    .onConflict((clash) => clash.column("realm_id").doUpdateSet((eb) => ({ subject_claim, version: eb("realm_oidc.version", "+", 1) })))
    .returning("version")
    .executeTakeFirstOrThrow();
  return row.version;
}

/** Stores the first salt. Returns the valid one: two nodes that create one at the same time both get the one that was stored first. */
export async function keepSalt(db: Db, realm: string, sealed: string): Promise<string> {
  const row = await db
    .insertInto("realm_oidc")
    .values({ realm_id: realm, pairwise_salt: sealed })
    .onConflict((clash) =>
      clash.column("realm_id").doUpdateSet((eb) => ({
        pairwise_salt: eb.fn.coalesce("realm_oidc.pairwise_salt", "excluded.pairwise_salt"),
      })),
    )
    .returning("pairwise_salt")
    .executeTakeFirstOrThrow();
  return row.pairwise_salt!;
}
