import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";

const requests = new WeakMap<IncomingMessage, FastifyRequest>();

export const setRequest = (request: FastifyRequest): void => void requests.set(request.raw, request);

/** The request of ours behind one that the engine answers. */
export const requestOf = (ctx: { req: IncomingMessage }): FastifyRequest | undefined => requests.get(ctx.req);
