import type { Ctx } from "../../platform/context.ts";
import { type Db, findRow } from "../../platform/db/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";

/** The version of the realm's terms that a user has accepted. The text is a setting of the realm. */
interface TermsAcceptancesTable {
  realm_id: string;
  user_id: string;
  version: string;
  accepted_at: number;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    terms_acceptances: TermsAcceptancesTable;
  }
}

/** Tells whether the realm has terms: without a text or a link there is nothing to accept. */
export const hasTerms = ({ terms }: Pick<Settings, "terms">): boolean => terms.text !== null || terms.url !== null;

export async function hasAcceptedTerms(db: Db, realm: string, userId: string, version: string): Promise<boolean> {
  const row = await findRow(db, "terms_acceptances", ["accepted_at"], { realm_id: realm, user_id: userId, version });
  return row !== null;
}

/** Records that the user accepted the terms. If they were asked again, the later time counts. */
export async function acceptTerms(ctx: Ctx, userId: string, name: string, version: string): Promise<void> {
  await ctx.tx
    .insertInto("terms_acceptances")
    .values({ realm_id: ctx.realm, user_id: userId, version, accepted_at: ctx.now })
    .onConflict((conflict) => conflict.columns(["realm_id", "user_id", "version"]).doUpdateSet({ accepted_at: ctx.now }))
    .execute();
  ctx.audit({
    ...{ category: "SECURITY", type: "TERMS_ACCEPTED", resourceType: "users", resourceId: userId },
    ...{ actor: { id: userId, name }, detail: version },
  });
}
