import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../platform/db/index.ts";

export const PASSKEY = "passkey";

/** The stored data of a passkey besides its public key. */
export interface PasskeyData {
  /** The credential id in base64url, as in WebAuthn. */
  readonly credentialId: string;
  /** The passkey's signature counter; 0 for passkeys without one. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** The model of the authenticator. */
  readonly aaguid: string;
  readonly backedUp: boolean;
  /** `multiDevice`: the provider syncs it to other devices of its owner. */
  readonly deviceType: "singleDevice" | "multiDevice";
  readonly label: string | null;
  /** The user handle that the passkey itself stores. */
  readonly userHandle: string;
  /** The time since which it is suspected to be cloned and no longer accepted. */
  readonly suspectedAt?: number;
}

export interface Passkey extends PasskeyData {
  readonly id: string;
  readonly userId: string;
  /** COSE, in base64url. */
  readonly publicKey: string;
}

interface Row {
  user_id: string;
  credential_id: string;
  secret: string;
  data: PasskeyData;
}

// The type is a literal: as a parameter, it would hide the partial index from the plan.
const isPasskey = sql<boolean>`type = ${sql.lit(PASSKEY)}`;
const toPasskey = ({ user_id: userId, credential_id: id, secret: publicKey, data }: Row): Passkey => ({ ...data, id, userId, publicKey });

const select = async (db: Db, realm: string, where: RawBuilder<unknown>): Promise<Passkey[]> => {
  const { rows } = await sql<Row>`
    select user_id, credential_id, secret, data from credentials
    where realm_id = ${realm} and ${isPasskey} and ${where} order by credential_id`.execute(db);
  return rows.map(toPasskey);
};

/** Finds a passkey of any user of the realm by its credential id. */
export async function findPasskey(db: Db, realm: string, credentialId: string): Promise<(Passkey & { readonly username: string }) | null> {
  const { rows } = await sql<Row & { username: string }>`
    select c.user_id, c.credential_id, c.secret, c.data, u.username
    from credentials c join users u on u.realm_id = c.realm_id and u.user_id = c.user_id
    where c.realm_id = ${realm} and c.type = ${sql.lit(PASSKEY)} and c.data ->> 'credentialId' = ${credentialId}`.execute(db);
  return rows[0] ? { ...toPasskey(rows[0]), username: rows[0].username } : null;
}

/** Lists a user's passkeys, oldest first. */
export const listPasskeys = (db: Db, realm: string, userId: string): Promise<Passkey[]> => select(db, realm, sql`user_id = ${userId}`);

/** Returns false if a user has the passkey already; a credential id is unique in the realm. */
export async function insertPasskey(tx: Tx, realm: string, passkey: Passkey, now: number): Promise<boolean> {
  const { id, userId, publicKey, ...data } = passkey;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("credentials")
    .values({
      ...{ realm_id: realm, user_id: userId, credential_id: id, type: PASSKEY, secret: publicKey },
      data: JSON.stringify(data),
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Records a use with a higher counter. Returns false if the passkey was used concurrently, suspected or deleted. */
export async function usePasskey(
  tx: Tx,
  realm: string,
  { userId, id }: Pick<Passkey, "userId" | "id">,
  used: Pick<PasskeyData, "counter" | "backedUp">,
  now: number,
): Promise<boolean> {
  const counted = sql`(data ->> 'counter')::bigint`;
  const { numAffectedRows } = await sql`
    update credentials set last_used_at = ${now}, data = data || ${JSON.stringify(used)}::text::jsonb
    where realm_id = ${realm} and user_id = ${userId} and credential_id = ${id} and ${isPasskey} and data -> 'suspectedAt' is null
      and (${counted} < ${used.counter}::bigint or (${counted} = 0 and ${used.counter}::bigint = 0))`.execute(tx);
  return (numAffectedRows ?? 0n) > 0n;
}

/** Marks a passkey as possibly cloned. Returns false if it was marked before, or is gone. */
export async function suspectPasskey(tx: Tx, realm: string, { userId, id }: Pick<Passkey, "userId" | "id">, now: number): Promise<boolean> {
  const mark = JSON.stringify({ suspectedAt: now });
  const { numAffectedRows } = await sql`
    update credentials set data = data || ${mark}::text::jsonb
    where realm_id = ${realm} and user_id = ${userId} and credential_id = ${id} and ${isPasskey} and data -> 'suspectedAt' is null`.execute(
    tx,
  );
  return (numAffectedRows ?? 0n) > 0n;
}

/** Renames a passkey. Returns false if the user has no such passkey. */
export async function renamePasskey(tx: Tx, realm: string, userId: string, id: string, label: string | null): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update credentials set data = data || ${JSON.stringify({ label })}::text::jsonb
    where realm_id = ${realm} and user_id = ${userId} and credential_id = ${id} and ${isPasskey}`.execute(tx);
  return (numAffectedRows ?? 0n) > 0n;
}
