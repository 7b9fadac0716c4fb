import type { FastifyRequest } from "fastify";
import type { SignInParts } from "../../signin/authenticators/index.ts";
import type { Flows } from "../../signin/flows/index.ts";
import { type RealmSnapshots, unknownRealm } from "../../tenancy/realms/index.ts";
import type { ClientAuthParts } from "../client-auth/index.ts";
import type { ProofParts } from "../proof/index.ts";
import type { IssuerParts } from "../tokens/index.ts";

/** What the token endpoint of one realm works with, as the realm is configured now. */
export interface TokenEndpointParts extends SignInParts, IssuerParts, ClientAuthParts, ProofParts {
  readonly realm: IssuerParts["realm"];
  readonly db: SignInParts["db"];
  readonly issuer: string;
  readonly tlsClientCertHeader: string | null;
  readonly realms: RealmSnapshots;
  readonly flows: Flows;
}

/** Where routes find them. */
export interface TokenEndpoints {
  /** Null for a realm that does not exist. */
  get(realm: string): Promise<{ readonly parts: TokenEndpointParts } | null>;
  /** What `get` would answer, where that is at hand. */
  peek(realm: string): { readonly parts: TokenEndpointParts } | undefined;
}

export async function partsFor(endpoints: TokenEndpoints, request: FastifyRequest): Promise<TokenEndpointParts> {
  const { realm } = request.params as { realm: string };
  const found = endpoints.peek(realm) ?? (await endpoints.get(realm));
  if (!found) throw unknownRealm();
  return found.parts;
}
