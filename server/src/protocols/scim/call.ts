import type { FastifyRequest } from "fastify";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { Connection } from "./connection.ts";
import { connectionOf } from "./connection.ts";

/** One operation of a SCIM client: a request, or a part of a bulk request. */
export interface ScimCall {
  readonly connection: Connection;
  read<T>(work: (ctx: ReadCtx) => Promise<T>): Promise<T>;
  transact<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>;
}

/** RFC 7644 §3.14: the tags of SCIM are weak, those of the services are strong. */
const strengthened = (tags: string | null): string | null => tags?.replaceAll("W/", "") ?? null;

/** `ifMatch`: instead of the header, for a part of a bulk request. */
export const callOf = (request: FastifyRequest, baseUrl: string, ifMatch?: string | null): ScimCall => ({
  connection: connectionOf(request, baseUrl),
  read: (work) => request.read(work),
  transact: (work) => request.transact((ctx) => work({ ...ctx, ifMatch: strengthened(ifMatch === undefined ? ctx.ifMatch : ifMatch) })),
});
