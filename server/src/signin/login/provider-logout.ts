import type { ProviderLogoutParts } from "../../federation/index.ts";
import { newId } from "../../kernel/ids.ts";
import { systemActor } from "../../platform/context.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { endSession } from "../sessions/index.ts";
import { seeOther } from "./begin.ts";
import type { LogoutParts } from "./logout.routes.ts";
import { showSigningOut } from "./sign-out.ts";
import type { Visitor } from "./visitors.ts";

/** The number of logouts that are checked for the provider's answer. Only a program has more sessions of one user. */
const MANY = 50;

/**
 * Ends the sessions that an identity provider names. Applications with a back channel are notified by jobs. The applications of this
 * browser's session without one are notified in the browser, which then goes on with the answer to the provider.
 */
export const endNamedSessions =
  ({ work, visitors, logoutRequests, singleLogout }: LogoutParts): ProviderLogoutParts["end"] =>
  async (exchange, { realm, alias, find, next }) => {
    const { request, reply } = exchange;
    // A message over SOAP has no visitor.
    const visitor = (request.visitor ?? null) as Visitor | null;
    const here = visitor?.session?.sessionId;
    const frames = here === undefined ? [] : await logoutRequests.frames(realm, here);
    const actor = systemActor(realm, `identity provider ${alias}`);
    const ended = await work.transact({ realm, actor, ...requestSource(request) }, async (ctx) => {
      const sessions = await find(ctx);
      if (sessions === null) return null;
      const logouts: string[] = [];
      const endOne = async (sessionId: string, pending: { browser: string | null; next: string }, logoutId = newId()) => {
        const over = await endSession(ctx, sessionId, { askedBy: alias });
        const own = pending.browser === null ? [] : frames;
        const path = over && (await singleLogout.begin(ctx, over, { logoutId, ...pending, frames: own }));
        if (path !== null && logouts.length < MANY) logouts.push(logoutId);
        return path;
      };
      for (const sessionId of sessions) if (sessionId !== here) await endOne(sessionId, { browser: null, next: "" });
      const count = sessions.length;
      if (here === undefined || !sessions.includes(here)) return { done: { count, logouts }, isHere: false, path: null };
      const logoutId = newId();
      const done = { count, logouts: [logoutId, ...logouts] };
      return { done, isHere: true, path: await endOne(here, { browser: visitor!.preSession, next: next(done) }, logoutId) };
    });
    if (!ended) return null;
    const { done, isHere, path } = ended;
    if (!isHere) return { done, goOn: null };
    visitors.leave(reply, visitor!);
    if (path !== null) return { done, goOn: () => seeOther(reply, path) };
    if (frames.length === 0) return { done, goOn: null };
    return { done, goOn: () => showSigningOut(visitors, exchange, visitor!, { frames, next: next(done) }) };
  };
