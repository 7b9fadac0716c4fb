import type { FastifyRequest } from "fastify";
import type { RealmCache } from "../../platform/cache/index.ts";
import { unknownRealm } from "../../tenancy/realms/index.ts";

/** Returns the issuer of the realm that a request names. An unknown realm is a 404. */
export async function issuerFor<T>(issuers: RealmCache<T>, request: FastifyRequest): Promise<T> {
  const { realm } = request.params as { realm: string };
  const issuer = issuers.peek(realm) ?? (await issuers.get(realm));
  if (!issuer) throw unknownRealm();
  return issuer;
}
