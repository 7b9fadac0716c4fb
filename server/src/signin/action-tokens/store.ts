import type { ColumnType } from "kysely";
import { sql } from "kysely";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { type Db, deleteExpired, deleteRows, insertRow } from "../../platform/db/index.ts";

interface ActionTokensTable {
  realm_id: string;
  token_hash: string;
  kind: string;
  user_id: string | null;
  data: ColumnType<Record<string, unknown>, string, never>;
  created_at: number;
  expires_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    action_tokens: ActionTokensTable;
  }
}

/** The purpose of a token. A token of another kind is refused. */
export type TokenKind =
  | "verify-email"
  | "change-email"
  | "totp-setup"
  | "reset-password"
  | "registration"
  | "magic-link"
  | "account-actions";

export interface ActionToken {
  readonly userId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly expiresAt: number;
}

export interface NewToken extends ActionToken {
  readonly kind: TokenKind;
  /** The result of `newActionToken`. */
  readonly token: string;
}

/** The format of `newActionToken`. Any other text is not looked up. */
const FORM = /^[A-Za-z0-9_-]{43}$/;
export const newActionToken = randomToken;
export const tokenHash = sha256;

/** Stores the hash of a token. The token itself is only in the message. */
export async function storeToken(ctx: Ctx, { kind, userId, data, expiresAt, token }: NewToken): Promise<void> {
  await insertRow(ctx.tx, "action_tokens", {
    ...{ realm_id: ctx.realm, token_hash: tokenHash(token), kind, user_id: userId, data: JSON.stringify(data) },
    ...{ created_at: ctx.now, expires_at: expiresAt },
  });
}

const columns = ["user_id as userId", "data", "expires_at as expiresAt"] as const;

/** Finds a token for a page that shows the purpose of its link. The token stays valid. */
export async function findToken(ctx: Pick<ReadCtx, "tx" | "realm" | "now">, kind: TokenKind, token: string): Promise<ActionToken | null> {
  if (!FORM.test(token)) return null;
  const row = await ctx.tx
    .selectFrom("action_tokens")
    .select(columns)
    .where((e) => e.and({ realm_id: ctx.realm, token_hash: tokenHash(token), kind }))
    .where("expires_at", ">", ctx.now)
    .executeTakeFirst();
  return row ?? null;
}

/** Finds the latest token of this kind that the user was sent. */
export async function findTokenOf(
  ctx: Pick<ReadCtx, "tx" | "realm" | "now">,
  kind: TokenKind,
  userId: string,
): Promise<Pick<ActionToken, "data"> | null> {
  const row = await ctx.tx
    .selectFrom("action_tokens")
    .select("data")
    .where((e) => e.and({ realm_id: ctx.realm, user_id: userId, kind }))
    .where("expires_at", ">", ctx.now)
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export const takeToken = (ctx: Ctx, kind: TokenKind, token: string): Promise<ActionToken | null> =>
  FORM.test(token) ? takeTokenByHash(ctx, kind, tokenHash(token)) : Promise.resolve(null);

/** Uses a token up. Only one of two concurrent requests gets it. */
export async function takeTokenByHash(ctx: Ctx, kind: TokenKind, hash: string): Promise<ActionToken | null> {
  const row = await ctx.tx
    .deleteFrom("action_tokens")
    .where((e) => e.and({ realm_id: ctx.realm, token_hash: hash, kind }))
    .where("expires_at", ">", ctx.now)
    .returning(columns)
    .executeTakeFirst();
  return row ?? null;
}

/** Invalidates the user's earlier tokens of this kind. */
export async function dropTokensOf(ctx: Ctx, kind: TokenKind, userId: string): Promise<void> {
  await deleteRows(ctx.tx, "action_tokens", { realm_id: ctx.realm, user_id: userId, kind });
}

/** Ends a change of the address on `user.sessions_revoked`: an attacker may have requested it in a session of the user. */
export const endAddressChange = (ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> =>
  dropTokensOf(ctx, "change-email", userId);

/** Ends mailed links on `user.password_changed`: an attacker who knew the old password may have requested one. */
export async function endMailedLinks(ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> {
  await dropTokensOf(ctx, "reset-password", userId);
  await dropTokensOf(ctx, "account-actions", userId);
}

/** Deletes on `user.erased` unconfirmed registrations under the user's names. Rows that refer to the user are deleted with the user. */
export async function forgetRegistrations(
  ctx: Ctx,
  { username, email }: { readonly username: string; readonly email: string | null },
): Promise<void> {
  const names = [username, email ?? username].map((name) => name.toLowerCase());
  await sql`
    delete from action_tokens where realm_id = ${ctx.realm} and kind = 'registration'
      and (lower(data ->> 'username') = any(${names}::text[]) or lower(data ->> 'email') = any(${names}::text[]))`.execute(ctx.tx);
}

export const deleteExpiredTokens = (db: Db, now: number): Promise<void> => deleteExpired(db, "action_tokens", now);
