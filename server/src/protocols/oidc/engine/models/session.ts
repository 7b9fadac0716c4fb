import type { IncomingMessage } from "node:http";
import type { Provider, Session } from "oidc-provider";
import { clock, SECOND } from "../../../../kernel/clock.ts";
import type { Db } from "../../../../platform/db/index.ts";
import { type LiveSession, resolveSession } from "../../../../signin/sessions/index.ts";
import { grantsOfSession } from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";
import { requestOf, resumedBy } from "../context.ts";

/** Returns the name of the session cookie, which the engine requires; it neither reads nor sets the cookie. */
export const sessionCookie = (realm: string) => `gh_${realm}`;

const LIVE = Symbol("the session it is a view of");

/** Returns the session of the engine's Session, which the engine wraps in a proxy. Returns null if nobody is signed in. */
export const liveSessionOf = (session: Session | undefined): LiveSession | null =>
  (session as { [LIVE]?: LiveSession } | undefined)?.[LIVE] ?? null;

interface SessionModel {
  get(ctx: { req: IncomingMessage; oidc: { entity(name: string, value: object): void } }): Promise<Session>;
  instantiate(payload?: object): Session;
  prototype: {
    ensureClientContainer(this: Session & SessionMethods, clientId: string): void;
    past(this: Session, age: number | string): boolean;
  };
}
interface SessionMethods {
  sidFor(clientId: string, value?: string): string | undefined;
}

/** Makes the engine's Session a read-only view of ours: it never writes, signs in or sets a cookie. */
export function overrideSessions(provider: Provider, { db, realm, cookies }: Pick<RealmParts, "db" | "realm" | "cookies">): void {
  const model = provider.Session as unknown as SessionModel;

  model.get = async (ctx) => {
    const request = requestOf(ctx);
    const token = request && cookies.sessionToken(request, realm.realmId);
    const live = resumedBy(ctx.req)?.session ?? (await resolveSession(db, realm.realmId, token, realm.settings.sessions, clock.now()));
    const session = live ? model.instantiate(await payloadOf(db, realm.realmId, live)) : model.instantiate();
    Object.defineProperty(session, LIVE, { value: live });
    // These prevent the engine from storing the session and from setting its cookie.
    if (live) Object.defineProperty(session, "new", { value: true });
    Object.defineProperty(session, "touched", { value: false, writable: false, configurable: false });
    ctx.oidc.entity("Session", session);
    return session;
  };
  // `sid` is the same for every client.
  model.prototype.ensureClientContainer = function (clientId) {
    this.sidFor(clientId, this.uid);
  };
  model.prototype.past = function (age) {
    return this.loginTs === undefined || Math.floor(clock.now() / SECOND) - this.loginTs > Number(age);
  };
}

async function payloadOf(db: Db, realm: string, live: LiveSession): Promise<object> {
  const grants = await grantsOfSession(db, { realm, sessionId: live.sessionId });
  return {
    kind: "Session",
    jti: live.sessionId, // never the cookie's value
    uid: live.sessionId,
    accountId: live.userId,
    loginTs: Math.floor(live.authTime / SECOND),
    acr: live.acr,
    amr: [...live.amr],
    authorizations: Object.fromEntries(grants.map(({ clientId, grantId }) => [clientId, { sid: live.sessionId, grantId }])),
  };
}
