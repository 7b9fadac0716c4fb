import { type ColumnType, type Generated, sql } from "kysely";
import { MINUTE } from "../../kernel/clock.ts";
import { defineErrors } from "../../kernel/errors.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { safeEqual, sha256 } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { type Db, deleteExpired, findRow, namesPersonIn, prepared } from "../../platform/db/index.ts";

interface InteractionsTable {
  realm_id: string;
  interaction_id: string;
  kind: string;
  browser_hash: string;
  request: ColumnType<Record<string, unknown>, string, never>;
  state: ColumnType<Record<string, unknown>, string | undefined, string>;
  result: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
  return_to: string;
  created_at: number;
  expires_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    interactions: InteractionsTable;
  }
}

const columns = [
  ...(["interaction_id as interactionId", "kind", "browser_hash as browserHash", "request"] as const),
  ...(["state", "result", "return_to as returnTo", "version"] as const),
] as const;

const LIFETIME = 30 * MINUTE;

export const interactionErrors = defineErrors("interactions", {
  gone: [400, "This sign-in has expired or was started in another browser: start again from the application"],
  moved_on: [409, "This sign-in has moved on in another tab"],
});

/** A sign-in in progress: its request, its state, and where the browser continues. */
export interface Interaction {
  readonly interactionId: string;
  /** The pre-session id to which it is bound. */
  readonly browser: string;
  readonly kind: string;
  /** The client, requested acr, login hint and locales. */
  readonly request: Record<string, unknown>;
  /** The progress of the sign-in. */
  readonly state: Record<string, unknown>;
  readonly result: Record<string, unknown> | null;
  readonly returnTo: string;
  readonly version: number;
}

/** `Db` or `Tx`: a single statement needs no transaction. */
type Place = Pick<ReadCtx, "tx" | "realm" | "now">;

export async function startInteraction(
  ctx: Place,
  input: {
    kind: string;
    browser: string;
    request: Record<string, unknown>;
    /** The progress that was made before it was stored. */
    state?: Record<string, unknown>;
    returnTo: string | ((interactionId: string) => string);
  },
): Promise<string> {
  const interactionId = newId();
  const { returnTo } = input;
  await insert(ctx.tx, {
    realm: ctx.realm,
    interactionId,
    kind: input.kind,
    browserHash: sha256(input.browser),
    request: JSON.stringify(input.request),
    state: JSON.stringify(input.state ?? {}),
    returnTo: typeof returnTo === "string" ? returnTo : returnTo(interactionId),
    now: ctx.now,
    expiresAt: ctx.now + LIFETIME,
  });
  return interactionId;
}

type NewRow = Record<"realm" | "interactionId" | "kind" | "browserHash" | "request" | "state" | "returnTo", string> &
  Record<"now" | "expiresAt", number>;

const insert = prepared((row: NewRow, db) =>
  db.insertInto("interactions").values({
    ...{ realm_id: row.realm, interaction_id: row.interactionId, kind: row.kind, browser_hash: row.browserHash, request: row.request },
    ...{ state: row.state, return_to: row.returnTo, created_at: row.now, expires_at: row.expiresAt },
  }),
);

/** Reads an interaction that has not expired, only for the browser that started it, by one of its pre-session ids. */
export async function readInteraction(ctx: Place, interactionId: string, preSessions: readonly string[]): Promise<Interaction> {
  const [row] = isId(interactionId) ? await find(ctx.tx, { realm: ctx.realm, interactionId, now: ctx.now }) : [];
  const browser = row && preSessions.find((id) => safeEqual(row.browserHash, sha256(id)));
  if (browser === undefined) throw interactionErrors.gone();
  return toInteraction(row!, browser);
}

/**
 * Reads an interaction for a caller that proves in another way that it is theirs, such as by a token in a mail. `browser` is empty, so
 * nothing bound to the browser can be read.
 */
export async function readInteractionElsewhere(ctx: Place, interactionId: string): Promise<Interaction | null> {
  const [row] = isId(interactionId) ? await find(ctx.tx, { realm: ctx.realm, interactionId, now: ctx.now }) : [];
  return row ? toInteraction(row, "") : null;
}

const find = prepared(({ realm, interactionId, now }: { realm: string; interactionId: string; now: number }, db) =>
  db
    .selectFrom("interactions")
    .select(columns)
    .where((e) => e.and({ realm_id: realm, interaction_id: interactionId }))
    .where("expires_at", ">", now),
);

/**
 * Reads the interaction for the browser that brings back the token of `state`, and uses the token up. Only one of concurrent requests gets
 * it. Returns null without a change if it waits for another token, for the endpoint of another provider, or for none.
 */
export async function takeReturn(
  ctx: Place,
  { interactionId, token, alias }: { readonly interactionId: string; readonly token: string; readonly alias: string | undefined },
  preSessions: readonly string[],
): Promise<Interaction | null> {
  const key = {
    realm: ctx.realm,
    interactionId,
    hashes: preSessions.map(sha256),
    tokenHash: sha256(token),
    alias: alias ?? null,
    now: ctx.now,
  };
  const [row] = isId(interactionId) ? await useUp(ctx.tx, key) : [];
  return row ? toInteraction(row, preSessions.find((id) => sha256(id) === row.browserHash)!) : null;
}

type ReturnKey = Record<"realm" | "interactionId" | "tokenHash", string> & {
  readonly hashes: readonly string[];
  readonly alias: string | null;
  readonly now: number;
};

const useUp = prepared((key: ReturnKey, db) =>
  db
    .updateTable("interactions")
    .set({ state: sql<string>`state #- '{left,hash}'`, version: sql<number>`version + 1` })
    .where((e) => e.and({ realm_id: key.realm, interaction_id: key.interactionId }))
    .where(sql<boolean>`browser_hash = any(${key.hashes}::text[])`)
    .where("expires_at", ">", key.now)
    .where("result", "is", null)
    .where(sql<boolean>`state -> 'left' ->> 'hash' = ${key.tokenHash}`)
    .where(
      sql<boolean>`coalesce(state -> 'data' -> (state -> 'left' ->> 'path') ->> 'alias' = ${key.alias}::text, ${key.alias}::text is null)`,
    )
    .returning(columns),
);

/** The kind of an interaction that links an account at an identity provider. The account API requests it. */
export const LINK_KIND = "link";

/**
 * Binds an interaction that an API began to the browser. It is bound to the ticket before, and the first browser that brings it, signed in
 * as the user who asked, gets it. Returns false if it is another user's, was opened before, or has ended.
 */
export async function claimInteraction(
  ctx: Place,
  { interactionId, ticket, userId, browser }: { interactionId: string; ticket: string; userId: string; browser: string },
): Promise<boolean> {
  if (!isId(interactionId)) return false;
  const { numAffectedRows } = await sql`
    update interactions set browser_hash = ${sha256(browser)}, version = version + 1
    where realm_id = ${ctx.realm} and interaction_id = ${interactionId} and kind = ${LINK_KIND} and browser_hash = ${sha256(ticket)}
      and request -> 'link' ->> 'userId' = ${userId} and expires_at > ${ctx.now} and result is null`.execute(ctx.tx);
  return (numAffectedRows ?? 0n) > 0n;
}

/** Saves the state with optimistic locking: a double submit, or one from an old tab, is refused. */
export const saveInteractionState = (ctx: Place, interaction: Interaction, state: Record<string, unknown>): Promise<void> =>
  move(ctx, interaction, JSON.stringify(state), null);

/** Stores the result of the sign-in until the protocol that requested it takes it. */
export const completeInteraction = (ctx: Ctx, interaction: Interaction, result: Record<string, unknown>): Promise<void> =>
  move(ctx, interaction, null, JSON.stringify(result));

async function move(ctx: Place, { interactionId, version }: Interaction, state: string | null, result: string | null): Promise<void> {
  const moved = await moveOn(ctx.tx, { realm: ctx.realm, interactionId, version, state, result });
  if (moved.length === 0) throw interactionErrors.moved_on();
}

const moveOn = prepared(
  (to: { realm: string; interactionId: string; version: number; state: string | null; result: string | null }) =>
    sql<{ version: number }>`
    update interactions set state = coalesce(${to.state}::text::jsonb, state), result = ${to.result}::text::jsonb, version = version + 1
    where realm_id = ${to.realm} and interaction_id = ${to.interactionId} and version = ${to.version} and result is null
    returning version`,
);

/** Refuses if another request has changed the interaction since it was read. */
export async function assertNotMovedOn(db: Db, realm: string, { interactionId, version }: Interaction): Promise<void> {
  const row = await findRow(db, "interactions", ["version"], { realm_id: realm, interaction_id: interactionId });
  if (row?.version !== version) throw interactionErrors.moved_on();
}

/** Takes the result once. Only one of concurrent requests gets it. */
export async function takeResult(ctx: Place, interactionId: string, preSessions: readonly string[]): Promise<Interaction> {
  const key = { realm: ctx.realm, interactionId, hashes: preSessions.map(sha256), now: ctx.now };
  const [row] = isId(interactionId) ? await take(ctx.tx, key) : [];
  if (!row) throw interactionErrors.gone();
  return toInteraction(row, preSessions.find((id) => sha256(id) === row.browserHash)!);
}

const take = prepared((key: { realm: string; interactionId: string; hashes: readonly string[]; now: number }, db) =>
  db
    .deleteFrom("interactions")
    .where((e) => e.and({ realm_id: key.realm, interaction_id: key.interactionId }))
    .where(sql<boolean>`browser_hash = any(${key.hashes}::text[])`)
    .where("result", "is not", null)
    .where("expires_at", ">", key.now)
    .returning(columns),
);

/** Ends the user's sign-ins in progress on `user.password_changed`, except the one that changed the password. */
export async function endSignInsOf(
  ctx: Ctx,
  { userId, keepInteraction = null }: { readonly userId: string; readonly keepInteraction?: string | null },
): Promise<void> {
  const others = keepInteraction === null ? sql`` : sql`and interaction_id <> ${keepInteraction}`;
  await sql`
    delete from interactions where realm_id = ${ctx.realm} and state ->> 'userId' = ${userId} and result is null ${others}`.execute(ctx.tx);
}

/** Deletes sign-ins in progress that name the user, on `user.erased`. */
export async function forgetInteractions(
  ctx: Ctx,
  { userId, username, email }: { readonly userId: string; readonly username: string; readonly email: string | null },
): Promise<void> {
  const person = { ids: [userId], names: email === null ? [username] : [username, email] };
  const named = ["request", "state", "result"].map((column) => namesPersonIn(column, person));
  await sql`delete from interactions where realm_id = ${ctx.realm} and (${sql.join(named, sql` or `)})`.execute(ctx.tx);
}

export async function deleteExpiredInteractions(db: Db, now: number): Promise<void> {
  await deleteExpired(db, "interactions", now);
}

const toInteraction = <R extends { readonly browserHash: string }>({ browserHash: _, ...row }: R, browser: string) => ({ ...row, browser });
