import type { FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "../../../platform/context.ts";
import type { UnitOfWork } from "../../../platform/unit-of-work.ts";
import { startInteraction } from "../../../signin/interactions/index.ts";
import type { Visitor, VisitorParts } from "../../../signin/login/index.ts";
import type { Issuers } from "../provider.ts";

export interface AwayRouteParts extends VisitorParts {
  readonly issuers: Issuers;
  readonly work: UnitOfWork;
}

/** First of all whoever answers for an account signs in to it, and then comes back. */
export async function toSignIn(
  work: UnitOfWork,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
  kind: string,
  returnTo: string,
) {
  const realm = visitor.realm.realmId;
  const origin = { realm, actor: nobody(realm), sourceIp: request.ip };
  const id = await work.transact(origin, (ctx) => startInteraction(ctx, { kind, browser: visitor.preSession, request: {}, returnTo }));
  return reply.header("cache-control", "no-store").redirect(`/realms/${realm}/login?${new URLSearchParams({ interaction: id })}`, 303);
}

const nobody = (realm: string): Actor => ({
  ...{ id: "anonymous", name: "anonymous", realm },
  ...{ permissions: new Set<string>(), sessionId: null, impersonator: null },
});
