import { type Generated, sql } from "kysely";
import type { Place } from "../../kernel/vault.ts";
import { type Db, prepared, type Tx } from "../../platform/db/index.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    password_sources: {
      realm_id: string;
      url: string;
      enabled: boolean;
      secret: string;
      updated_at: number;
      version: Generated<number>;
    };
  }
}

export const secretPlace = (realm: string): Place => ({ realm, table: "password_sources", column: "secret", row: realm });

export interface StoredSource {
  readonly url: string | null;
  readonly enabled: boolean;
  readonly secret: string | null;
  /** 0 if the realm has no password source. */
  readonly version: number;
  /** The version of the realm's configuration. */
  readonly configVersion: number;
}

export async function findSource(db: Db, realm: string): Promise<StoredSource> {
  const [row] = await found(db, { realm });
  return row!;
}

const found = prepared(
  ({ realm }: { realm: string }) => sql<StoredSource>`
    select s.url, coalesce(s.enabled, false) as enabled, s.secret, coalesce(s.version, 0)::bigint as version,
      coalesce((select v.version from realm_versions v where v.realm_id = ${realm}), 0)::bigint as "configVersion"
    from (select 1) as one left join password_sources s on s.realm_id = ${realm}`,
);

export async function saveSource(
  tx: Tx,
  realm: string,
  { url, enabled, secret }: { readonly url: string; readonly enabled: boolean; readonly secret: string },
  now: number,
): Promise<void> {
  await tx
    .insertInto("password_sources")
    .values({ realm_id: realm, url, enabled, secret, updated_at: now })
    .onConflict((clash) =>
      clash
        .column("realm_id")
        .doUpdateSet((eb) => ({ url, enabled, secret, updated_at: now, version: eb("password_sources.version", "+", 1) })),
    )
    .execute();
}

export const deleteSource = (tx: Tx, realm: string) => tx.deleteFrom("password_sources").where("realm_id", "=", realm).execute();

/** Tells whether the user came without a password, has none yet, and holds no permission. */
export async function mayBeAsked(db: Db, realm: string, userId: string): Promise<boolean> {
  return (await awaited(db, { realm, userId })).length > 0;
}

const awaited = prepared(
  ({ realm, userId }: { realm: string; userId: string }) => sql<{ one: number }>`
    select 1 as one from awaited_passwords a join users u on u.realm_id = a.realm_id and u.user_id = a.user_id and u.source = 'local'
    where a.realm_id = ${realm} and a.user_id = ${userId}
      and not exists (select 1 from credentials c where c.realm_id = a.realm_id and c.user_id = a.user_id and c.type = 'password')
      and not exists (select 1 from user_permissions p where p.realm_id = a.realm_id and p.user_id = a.user_id)`,
);
