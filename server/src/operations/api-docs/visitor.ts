import type { FastifyReply, FastifyRequest } from "fastify";
import { clock } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import { type Cookies, type Csrf, type LiveSession, resolveSession } from "../../signin/sessions/index.ts";
import type { RealmSnapshot, RealmSnapshots } from "../../tenancy/realms/index.ts";

export interface VisitorParts {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly cookies: Cookies;
  readonly csrf: Csrf;
}

/** The visitor's session in a realm, if there is one. Whoever plays somebody is nobody on pages for administrators. */
export async function sessionIn({ db, cookies }: VisitorParts, request: FastifyRequest, realm: RealmSnapshot): Promise<LiveSession | null> {
  const token = cookies.sessionToken(request, realm.realmId);
  const session = await resolveSession(db, realm.realmId, token, realm.settings.sessions, clock.now());
  return session?.impersonator === null ? session : null;
}

/** Leaves the browser with a CSRF token that fits the session, so that the first write from the page is accepted. */
export function fitCsrfToken({ cookies, csrf }: VisitorParts, request: FastifyRequest, reply: FastifyReply, session: LiveSession): void {
  if (!csrf.fits(cookies.csrf(request), session.sessionId)) cookies.setCsrf(reply, csrf.issue(session.sessionId));
}
