import { createHmac } from "node:crypto";
import { sql } from "kysely";
import type { Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";

/** Of an entry, so that it can be known again without being named. */
export const erasureHash = (vault: Vault, { realm, providerId }: { realm: string; providerId: string }, subject: string): string =>
  createHmac("sha256", vault.derive("directory-erasures")).update([realm, providerId, subject].join("\0")).digest("base64url");

/**
 * `user.erased`: no run makes them anew, and no report names their entry any more. Their link and what was read of their entry go with the user.
 */
export const forgetEntries =
  (vault: Vault) =>
  async (ctx: Ctx, { userId }: { readonly userId: string }): Promise<void> => {
    const { rows } = await sql<{ provider_id: string; subject: string; dn: string }>`
      select e.provider_id, e.subject, e.dn from identity_links l
      join directory_entries e on e.realm_id = l.realm_id and e.provider_id = l.provider_id and e.subject = l.subject
      where l.realm_id = ${ctx.realm} and l.user_id = ${userId}`.execute(ctx.tx);
    for (const { provider_id: providerId, subject, dn } of rows) {
      const hash = erasureHash(vault, { realm: ctx.realm, providerId }, subject);
      await sql`insert into directory_erasures (realm_id, provider_id, hash, erased_at)
        select ${ctx.realm}, ${providerId}::uuid, ${hash}, ${ctx.now}
        where exists (select 1 from identity_providers p where p.realm_id = ${ctx.realm} and p.provider_id = ${providerId}::uuid)
        on conflict do nothing`.execute(ctx.tx);
      await sql`update directory_runs set report = jsonb_set(report, '{errors}', coalesce((select jsonb_agg(
          case when e->>'dn' = ${dn} then e || '{"dn": "erased"}' else e end) from jsonb_array_elements(report->'errors') e), '[]'))
        where realm_id = ${ctx.realm} and provider_id = ${providerId}::uuid and report->'errors' @> ${JSON.stringify([{ dn }])}::text::jsonb`.execute(
        ctx.tx,
      );
    }
  };
