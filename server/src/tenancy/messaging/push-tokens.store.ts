import type { Selectable } from "kysely";
import { invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import { type Db, deleteRows, findRow, nameStartsWith, type Tx, translating, updateRows } from "../../platform/db/index.ts";
import { listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import type { PushDriver, PushTokenQuery } from "./push-tokens.schema.ts";

interface PushTokensTable {
  realm_id: string;
  push_token_id: string;
  user_id: string;
  driver: PushDriver;
  /** The sealed token. */
  token: string;
  token_hash: string;
  device_name: string | null;
  created_at: number;
  last_used_at: number | null;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    push_tokens: PushTokensTable;
  }
}

const columns = ["realm_id", "push_token_id", "user_id", "driver", "token", "device_name", "created_at", "last_used_at"] as const;
export type PushTokenRow = Pick<Selectable<PushTokensTable>, (typeof columns)[number]>;

export const tokenPlace = (realm: string, id: string) => ({ realm, table: "push_tokens", column: "token", row: id });

const order = listOrder("id", { id: "push_token_id" }, "push_token_id");

export function listPushTokens(db: Db, realm: string, query: PushTokenQuery): Promise<Page<PushTokenRow>> {
  const { search = "", userId } = query;
  const base = db
    .selectFrom("push_tokens")
    .select(columns)
    .where("realm_id", "=", realm)
    .$if(userId !== undefined, (q) => q.where("user_id", "=", userId!))
    .$if(search !== "", (q) =>
      isId(search)
        ? q.where((eb) => eb.or([eb("push_token_id", "=", search), eb("user_id", "=", search)]))
        : q.where(nameStartsWith("device_name", search)),
    );
  return pageOf(db, base, order, query);
}

/** Returns the user's devices of this driver. */
export async function pushTokensOf(
  db: Db,
  realm: string,
  userId: string,
  driver: string,
): Promise<{ id: string; deviceName: string | null }[]> {
  const rows = await db
    .selectFrom("push_tokens")
    .select(["push_token_id", "device_name"])
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("driver", "=", driver as PushDriver)
    .orderBy("push_token_id")
    .execute();
  return rows.map((row) => ({ id: row.push_token_id, deviceName: row.device_name }));
}

/** Returns a device if it still belongs to this user. */
export const findPushToken = (db: Db, realm: string, id: string, userId: string): Promise<PushTokenRow | null> =>
  findRow(db, "push_tokens", columns, { realm_id: realm, push_token_id: id, user_id: userId });

export const readPushTokenRow = (db: Db, realm: string, id: string): Promise<PushTokenRow | null> =>
  findRow(db, "push_tokens", columns, { realm_id: realm, push_token_id: id });

export const lockPushToken = (tx: Tx, realm: string, id: string): Promise<PushTokenRow | null> =>
  findRow(tx, "push_tokens", columns, { realm_id: realm, push_token_id: id }, "update");

export async function ownerOfToken(tx: Tx, realm: string, driver: PushDriver, hash: string): Promise<string | null> {
  const row = await findRow(tx, "push_tokens", ["user_id"], { realm_id: realm, driver, token_hash: hash }, "update");
  return row?.user_id ?? null;
}

export interface NewPushToken {
  readonly id: string;
  readonly userId: string;
  readonly driver: PushDriver;
  readonly sealedToken: string;
  readonly hash: string;
  readonly deviceName: string | null;
}

const noSuchUser = () => invalidFields([{ field: "userId", code: "unknown_user", message: "userId: there is no such user in this realm" }]);

/**
 * Registers a token. It identifies one app on one device, so a known token is moved to the new user, in one statement. Returns null if the token belongs to
 * another user than `from`.
 */
export async function upsertPushToken(
  tx: Tx,
  realm: string,
  token: NewPushToken,
  from: string | null,
  now: number,
): Promise<PushTokenRow | null> {
  const row = await translating(
    { push_tokens_user: noSuchUser },
    tx
      .insertInto("push_tokens")
      .values({
        realm_id: realm,
        push_token_id: token.id,
        user_id: token.userId,
        driver: token.driver,
        token: token.sealedToken,
        token_hash: token.hash,
        device_name: token.deviceName,
        created_at: now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["realm_id", "driver", "token_hash"])
          // Id and ciphertext stay: they are bound to each other, and both are still correct.
          .doUpdateSet({ user_id: token.userId, device_name: token.deviceName, created_at: now, last_used_at: null })
          .where("push_tokens.user_id", "in", from === null ? [token.userId] : [token.userId, from]),
      )
      .returning(columns)
      .executeTakeFirst(),
  );
  return row ?? null;
}

export async function deletePushToken(db: Db, realm: string, id: string): Promise<void> {
  await deleteRows(db, "push_tokens", { realm_id: realm, push_token_id: id });
}

export async function markUsed(db: Db, realm: string, id: string, now: number): Promise<void> {
  await updateRows(db, "push_tokens", { realm_id: realm, push_token_id: id }, { last_used_at: now });
}

/** Returns every device of a user, of all drivers. */
export async function devicesOf(
  db: Db,
  realm: string,
  userId: string,
): Promise<{ id: string; deviceName: string | null; createdAt: number; lastUsedAt: number | null }[]> {
  const rows = await db
    .selectFrom("push_tokens")
    .select(["push_token_id", "device_name", "created_at", "last_used_at"])
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .orderBy("push_token_id")
    .execute();
  return rows.map((row) => ({
    id: row.push_token_id,
    deviceName: row.device_name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}

/** Deletes a device. Tells whether this user had it. */
export async function deleteDeviceOf(tx: Tx, realm: string, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("push_tokens")
    .where("realm_id", "=", realm)
    .where("user_id", "=", userId)
    .where("push_token_id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
