import type { FastifyRequest } from "fastify";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { scimUrl } from "./tokens/service.ts";
import { strengthened } from "./version.ts";

/** The scope of a request, as its token defines it, and the base address of the resources. */
export interface Connection {
  readonly realm: string;
  /** The name of the connection that `externalId`s belong to. */
  readonly name: string;
  /** The organization whose members the token sees, or null if it sees all users of the realm. */
  readonly organizationId: string | null;
  /** The identity provider whose accounts the `externalId`s name, or null. */
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

/** An operation of a SCIM client: a request, or a part of a bulk request. */
export interface ScimCall {
  readonly connection: Connection;
  read<T>(work: (ctx: ReadCtx) => Promise<T>): Promise<T>;
  transact<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>;
}

/** Makes the call of a request. `ifMatch` replaces the header for a part of a bulk request. */
export const callOf = (request: FastifyRequest, baseUrl: string, ifMatch?: string | null): ScimCall => ({
  connection: connectionOf(request, baseUrl),
  read: (work) => request.read(work),
  transact: (work) =>
    request.transact((ctx) => {
      const tags = ifMatch === undefined ? ctx.ifMatch : ifMatch;
      return work({ ...ctx, ifMatch: tags === null ? null : strengthened(tags) });
    }),
});
