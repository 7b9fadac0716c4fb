import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { PageParts } from "../../signin/login/index.ts";
import { renderNoAccess, sendPage } from "../../signin/pages/index.ts";
import { hasRecentAuthentication, type LiveSession } from "../../signin/sessions/index.ts";
import type { DecoupledIssuers } from "./parts.ts";

export interface DecoupledRouteParts extends PageParts {
  readonly issuers: DecoupledIssuers;
  readonly work: UnitOfWork;
}

/** As on the consent page: consent to offline access needs recent authentication. */
export const needsRecentSignIn = async (db: Db, session: LiveSession, scopes: readonly string[]): Promise<boolean> =>
  scopes.includes("offline_access") && session.impersonator === null && !(await hasRecentAuthentication(db, session, clock.now()));

/** The request stays open: the user may sign in with another account that has access. */
export function sendNoAccess(
  visitors: PageParts["visitors"],
  request: FastifyRequest,
  reply: FastifyReply,
  { name, clientId }: ClientSnapshot,
): FastifyReply {
  const { visitor } = request;
  const html = renderNoAccess({
    ...visitors.frameOf(request, reply, visitor),
    client: name ?? clientId,
    account: visitor.session!.username,
  });
  return sendPage(reply, 403, html);
}
