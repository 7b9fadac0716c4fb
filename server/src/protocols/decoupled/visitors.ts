import type { FastifyReply, FastifyRequest } from "fastify";
import { clock } from "../../kernel/clock.ts";
import type { Actor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { SignInRequest } from "../../signin/authenticators/index.ts";
import { startInteraction } from "../../signin/interactions/index.ts";
import type { Visitor, VisitorParts } from "../../signin/login/index.ts";
import { hasRecentAuthentication, type LiveSession } from "../../signin/sessions/index.ts";
import type { DecoupledIssuers } from "./parts.ts";

export interface DecoupledRouteParts extends VisitorParts {
  readonly issuers: DecoupledIssuers;
  readonly work: UnitOfWork;
}

/** The user signs in before they answer, and then comes back. */
export async function toSignIn(
  work: UnitOfWork,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
  kind: string,
  returnTo: string,
  requested: SignInRequest = {},
) {
  const realm = visitor.realm.realmId;
  const origin = { realm, actor: nobody(realm), sourceIp: request.ip };
  const id = await work.transact(origin, (ctx) =>
    startInteraction(ctx, { kind, browser: visitor.preSession, request: { ...requested }, returnTo }),
  );
  return reply.header("cache-control", "no-store").redirect(`/realms/${realm}/login?${new URLSearchParams({ interaction: id })}`, 303);
}

/** As on the consent page: access without the user is allowed right after a sign-in. */
export const needsRecentSignIn = async (db: Db, session: LiveSession, scopes: readonly string[]): Promise<boolean> =>
  scopes.includes("offline_access") && session.impersonator === null && !(await hasRecentAuthentication(db, session, clock.now()));

const nobody = (realm: string): Actor => ({
  ...{ id: "anonymous", name: "anonymous", realm },
  ...{ permissions: new Set<string>(), sessionId: null, impersonator: null },
});
