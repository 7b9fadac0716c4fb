import { clock } from "../../../kernel/clock.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { PendingLogout, SingleLogout } from "../../../signin/login/index.ts";
import type { EndedSession } from "../../../signin/sessions/index.ts";
import { PATHS } from "../identity.ts";
import { isComplete, type StandingParts, settled } from "./standing.ts";
import { findLatestLogout, insertLogout, type Requester } from "./store.ts";

export const progressPath = (realm: string, logoutId: string): string => `/realms/${realm}${PATHS.slo}/${logoutId}`;

/** Begins to notify the participants of a session, in the transaction that ended it. Returns null if there are none. */
export async function beginLogout(
  ctx: Ctx,
  ended: EndedSession,
  { requester, ...logout }: PendingLogout & { readonly requester: Requester | null },
): Promise<string | null> {
  const logoutId = await insertLogout(ctx.tx, { ended, requester, ...logout, now: ctx.now });
  return logoutId && progressPath(ended.realm, logoutId);
}

/** Creates single logout for logouts that begin at our own pages, or that another protocol or an identity provider requests. */
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
