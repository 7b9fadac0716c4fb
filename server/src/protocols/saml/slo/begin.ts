import { clock } from "../../../kernel/clock.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { PendingLogout, SingleLogout } from "../../../signin/login/index.ts";
import type { EndedSession } from "../../../signin/sessions/index.ts";
import { PATHS } from "../identity.ts";
import { isComplete, type StandingParts, settled } from "./standing.ts";
import { findLatestLogout, insertLogout, type Requester } from "./store.ts";

export const progressPath = (realm: string, logoutId: string): string => `/realms/${realm}${PATHS.slo}/${logoutId}`;

/** In the transaction that ended the session: which participants still have to be notified. Null: none. */
export async function beginLogout(
  ctx: Ctx,
  ended: EndedSession,
  { requester, ...logout }: PendingLogout & { readonly requester: Requester | null },
): Promise<string | null> {
  const logoutId = await insertLogout(ctx.tx, { ended, requester, ...logout, now: ctx.now });
  return logoutId && progressPath(ended.realm, logoutId);
}

/** Single logout for a logout that begins at one of our own pages, or that another protocol or an identity provider asks for. */
export const createSingleLogout = ({ db, samlClients }: StandingParts): SingleLogout => ({
  begin: (ctx, ended, logout) => beginLogout(ctx, ended, { ...logout, requester: null }),
  async resume(realm, browsers) {
    const logoutId = await findLatestLogout(db, realm, browsers, clock.now());
    return logoutId && progressPath(realm, logoutId);
  },
  async isComplete(realm, logoutIds) {
    const logouts = logoutIds.map((logoutId) => ({ realm, logoutId }));
    return isComplete(await settled({ db, samlClients }, logouts));
  },
});
