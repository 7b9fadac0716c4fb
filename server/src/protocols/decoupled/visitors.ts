import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
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

/** In the query of a page: asks to sign in again, for another account. Following the link changes nothing by itself, so it needs no CSRF token. */
export const OtherAccount = Type.Optional(Type.Literal("other", { description: "Asks to sign in with another account" }));

/** The request stays open: `page` is where the user can go on with another account. */
export function sendNoAccess(
  visitors: PageParts["visitors"],
  request: FastifyRequest,
  reply: FastifyReply,
  { name, clientId }: ClientSnapshot,
  page: { readonly path: string; readonly query?: Readonly<Record<string, string>> },
): FastifyReply {
  const { visitor } = request;
  const html = renderNoAccess({
    ...visitors.frameOf(request, reply, visitor),
    client: name ?? clientId,
    account: visitor.session!.username,
    otherAccountUrl: `${page.path}?${new URLSearchParams({ ...page.query, account: "other" })}`,
  });
  return sendPage(reply, 403, html);
}
