import type { FastifyRequest } from "fastify";
import { unconditional } from "../../platform/versions.ts";

/** Returns `transact` without If-Match, which names the version of one record: a document has many. */
export const transactUnversioned =
  (req: FastifyRequest): FastifyRequest["transact"] =>
  (work) =>
    req.transact((ctx) => work(unconditional(ctx)));
