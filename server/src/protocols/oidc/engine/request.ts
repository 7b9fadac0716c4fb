import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";

const requests = new WeakMap<IncomingMessage, FastifyRequest>();

export const setRequest = (request: FastifyRequest): void => void requests.set(request.raw, request);

/** The Fastify request behind an engine request. */
export const requestOf = (ctx: { req: IncomingMessage }): FastifyRequest | undefined => requests.get(ctx.req);
