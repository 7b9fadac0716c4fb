import type { FastifyRequest } from "fastify";
import { scimUrl } from "./tokens/service.ts";

/** The scope of a request, as its token defines it, and the base address of the resources. */
export interface Connection {
  readonly realm: string;
  /** `externalId`s are kept by it. */
  readonly name: string;
  /** Only its members are seen; null: all users of the realm. */
  readonly organizationId: string | null;
  /** The identity provider whose accounts the `externalId`s are. */
  readonly identityProvider: string | null;
  readonly trustEmails: boolean;
  /** The base address of the resources. */
  readonly url: string;
}

export const connectionOf = ({ scimToken, realmId }: FastifyRequest, baseUrl: string): Connection => ({
  realm: realmId,
  name: scimToken.connection,
  organizationId: scimToken.organizationId,
  identityProvider: scimToken.identityProvider,
  trustEmails: scimToken.trustEmails,
  url: scimUrl(baseUrl, realmId),
});
