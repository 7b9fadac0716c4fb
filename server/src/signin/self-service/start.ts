import { clock } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import type { SignInRequest } from "../authenticators/index.ts";
import { homePath, loginPath, returnTarget, type Visitor } from "../login/index.ts";
import { readInteraction } from "../run/index.ts";

interface AskedFor {
  readonly interaction?: string | undefined;
  readonly return_to?: string | undefined;
}

/** The address at which the user continues afterwards. */
export interface WayBack {
  readonly returnTo: string;
  /** The callbacks of the application that requested the sign-in. */
  readonly callbacks?: readonly string[];
}

/** Returns the way back to the sign-in that the user left, if it belongs to this browser. */
export async function wayBack(
  { db, baseUrl }: { readonly db: Db; readonly baseUrl: string },
  { realm, preSessions }: Visitor,
  { interaction, return_to }: AskedFor,
): Promise<WayBack> {
  if (interaction !== undefined) {
    const { request } = await readInteraction({ tx: db, realm: realm.realmId, now: clock.now() }, interaction, preSessions);
    return { returnTo: loginPath(realm.realmId, interaction), ...callbacksOf(request) };
  }
  return { returnTo: returnTarget(return_to, baseUrl, homePath(realm.realmId)) };
}

/** Returns the callbacks of a stored request. */
export const callbacksOf = ({ callbacks }: SignInRequest): Pick<WayBack, "callbacks"> => (callbacks === undefined ? {} : { callbacks });
