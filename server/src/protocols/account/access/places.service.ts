import type { Static } from "typebox";
import type { ReadCtx } from "../../../platform/context.ts";
import { isBrowserOf, listBrowsers } from "../../../signin/known-browsers/index.ts";
import { listOwnSessions } from "../../../signin/sessions/index.ts";
import type { AccountBrowser, AccountSession } from "./access.schema.ts";

/** Returns the browsers and devices in which the user is signed in. */
export async function readSessions({ tx, realm, actor, now }: ReadCtx): Promise<Static<typeof AccountSession>[]> {
  const sessions = await listOwnSessions(tx, realm, actor.id, now);
  return sessions.map((session) => ({
    ...session,
    amr: [...session.amr],
    clients: [...session.clients],
    current: session.id === actor.sessionId,
  }));
}

/** Returns the browsers that the user has signed in with. `deviceToken` is the cookie of the calling browser. */
export async function readBrowsers(
  { tx, realm, actor, now }: ReadCtx,
  deviceToken: string | null,
): Promise<Static<typeof AccountBrowser>[]> {
  const browsers = await listBrowsers(tx, realm, actor.id, now);
  return browsers.map(({ tokenHash, trustedUntil, ...browser }) => ({
    ...browser,
    trustedUntil: trustedUntil > now ? trustedUntil : null,
    current: isBrowserOf(deviceToken, tokenHash),
  }));
}
