import {
  assetHref,
  type Hop,
  type LogoutApplication,
  type LogoutFrame,
  nonceOf,
  renderLogout,
  type SendPageOptions,
  sendPage,
} from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { requestSource, type UnitOfWork } from "../../platform/unit-of-work.ts";
import { actorOfSession, type EndedSession, endSession, type LiveSession } from "../sessions/index.ts";
import type { Exchange, Visitor, Visitors } from "./visitors.ts";

interface SignOutParts {
  readonly work: UnitOfWork;
  readonly visitors: Visitors;
}

/** Returns the path of the page after signing out, which is shown unless the request names another one. */
export const signedOutPath = (realm: string): string => `/realms/${realm}/login?signed_out=1`;

/** Ends the session of the browser. `ending` gets the transaction and the function to end it. If it ends, its cookies are removed. */
export async function signOutHere<T>(
  { work, visitors }: SignOutParts,
  { request, reply }: Exchange,
  { visitor, session, askedBy }: { readonly visitor: Visitor; readonly session: LiveSession; readonly askedBy: string | null },
  ending: (ctx: Ctx, end: () => Promise<EndedSession | null>) => Promise<T>,
): Promise<T> {
  const { realmId } = visitor.realm;
  const originOf = (each: LiveSession) => ({ realm: realmId, actor: actorOfSession(each, realmId), ...requestSource(request) });
  // When an administrator who impersonates a user signs out, the session put aside ends as well.
  const own = session.impersonator === null ? null : await visitors.sessionAside(request, visitor.realm);
  let hasEnded = false;
  const result = await work.transact(originOf(session), async (ctx) => {
    hasEnded = false;
    return ending(ctx, () => {
      hasEnded = true;
      return endSession(ctx, session.sessionId, { askedBy });
    });
  });
  if (!hasEnded) return result;
  if (own) await work.transact(originOf(own), (ctx) => endSession(ctx, own.sessionId, { askedBy }));
  visitors.leave(reply, visitor);
  return result;
}

export interface SigningOut {
  readonly frames: readonly LogoutFrame[];
  readonly applications?: readonly LogoutApplication[];
  readonly hop?: Hop;
  readonly next: string;
}

/** Shows that the user is signed out. The page notifies applications, and then goes on. */
export function showSigningOut(visitors: Visitors, { request, reply }: Exchange, visitor: Visitor, page: SigningOut) {
  const nonce = nonceOf(request);
  const frame = visitors.frameOf(request, reply, { ...visitor, session: null });
  // The order matters: a browser that leaves the page loads no more scripts.
  const names = page.hop ? (["signing-out.js", "hop.js"] as const) : (["signing-out.js"] as const);
  const scripts = [...frame.scripts, ...names.map((name) => ({ src: assetHref(name), nonce }))];
  const html = renderLogout({ ...frame, state: "frames", ...page, scripts });
  const headers: SendPageOptions = { nonce, frames: page.frames.map(({ url }) => url) };
  return sendPage(reply, 200, html, page.hop?.form ? { ...headers, postsElsewhere: true } : headers);
}
