import type { FastifyRequest } from "fastify";
import type { Visitors } from "../../signin/login/index.ts";
import type { LiveSession } from "../../signin/sessions/index.ts";
import type { RealmSnapshot, RealmSnapshots } from "../../tenancy/realms/index.ts";

export interface VisitorParts {
  readonly realms: RealmSnapshots;
  readonly visitors: Visitors;
}

/** Returns the visitor's session in a realm, or null if there is none, or if it is an impersonation. */
export async function sessionIn({ visitors }: VisitorParts, request: FastifyRequest, realm: RealmSnapshot): Promise<LiveSession | null> {
  const session = await visitors.sessionIn(request, realm);
  return session?.impersonator === null ? session : null;
}
