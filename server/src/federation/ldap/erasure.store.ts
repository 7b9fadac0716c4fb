import { createHmac, type KeyObject } from "node:crypto";
import { sql } from "kysely";
import type { Vault } from "../../kernel/vault.ts";
import type { Ctx, DomainEvents } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { lastingKey } from "../../platform/lasting-keys.store.ts";

/** Returns a keyed hash of an entry's id. It recognizes the entry later without storing the id. */
export const erasureHash = (key: KeyObject, { realm, providerId }: { realm: string; providerId: string }, subject: string): string =>
  createHmac("sha256", key).update([realm, providerId, subject].join("\0")).digest("base64url");

export const erasureKey = (db: Db, vault: Vault): Promise<KeyObject> => lastingKey(db, vault, "directory-erasures");

/**
 * Handles `user.erased`: no later run creates the user again, reports no longer name the user's entries, and runs no longer name the user as the one who
 * requested them. The user's link and the stored state of the entry are deleted with the user.
 */
export const forgetEntries =
  (vault: Vault) =>
  async (ctx: Ctx, { userId, username, pseudonym }: DomainEvents["user.erased"]): Promise<void> => {
    const { rows } = await sql<{ provider_id: string; subject: string; dn: string }>`
      select e.provider_id, e.subject, e.dn from identity_links l
      join directory_entries e on e.realm_id = l.realm_id and e.provider_id = l.provider_id and e.subject = l.subject
      where l.realm_id = ${ctx.realm} and l.user_id = ${userId}`.execute(ctx.tx);
    for (const { provider_id: providerId, subject } of rows) {
      const hash = erasureHash(await erasureKey(ctx.tx, vault), { realm: ctx.realm, providerId }, subject);
      await sql`insert into directory_erasures (realm_id, provider_id, hash, erased_at)
        select ${ctx.realm}, ${providerId}::uuid, ${hash}, ${ctx.now}
        where exists (select 1 from identity_providers p where p.realm_id = ${ctx.realm} and p.provider_id = ${providerId}::uuid)
        on conflict do nothing`.execute(ctx.tx);
    }
    // The name in the DN identifies entries that were moved since, or that could not be taken over because the user had their name.
    const isTheirs = sql`(e->>'dn' = any(${rows.map(({ dn }) => dn)}::text[])
      or lower(substring(e->>'dn' from '^[^=]+=((?:[^\\\\,+]|\\\\.)*)')) = lower(${username}))`;
    await sql`update directory_runs set report = jsonb_set(report, '{errors}', (select jsonb_agg(
        case when ${isTheirs} then e || '{"dn": "erased"}' else e end) from jsonb_array_elements(report->'errors') e))
      where realm_id = ${ctx.realm} and exists (select 1 from jsonb_array_elements(report->'errors') e where ${isTheirs})`.execute(ctx.tx);
    // All realms are searched, because administrators of `master` start runs in every realm.
    await sql`update directory_runs set requested_by = ${pseudonym}, requested_by_id = null where requested_by_id = ${userId}::uuid`.execute(
      ctx.tx,
    );
  };
