import { parse } from "node:querystring";
import type { FastifyReply, FastifyRequest } from "fastify";
import { refuseUnreadableParameters } from "../../../platform/http/index.ts";
import { searchOf } from "../authorize/index.ts";
import type { RealmParts } from "../parts.ts";
import { setRequest } from "./context.ts";
import type { RealmEngine } from "./provider.ts";
import { withEngine } from "./steps.ts";

/** Passes the request to the engine, which writes the response. */
export async function handOver(
  { isDraining }: Pick<RealmParts, "isDraining">,
  { callback }: RealmEngine,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  search = searchOf(request.raw),
): Promise<void> {
  const { raw, body } = request;
  // The engine parses these without a limit of depth, and fails with a 500 if the database cannot store a value.
  refuseUnreadableParameters(parse(search.slice(1)));
  if (Buffer.isBuffer(body)) {
    refuseUnreadableParameters(parse(body.toString("utf8")));
    // The engine reads the body from the stream, which was consumed already.
    Object.defineProperties(raw, { readable: { value: true }, iterator: { value: () => [body] } });
  }
  setRequest(request);
  Object.assign(raw, { originalUrl: raw.url, url: path + search });
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
  // Our `onSend` hooks do not run for a hijacked reply.
  if (isDraining()) reply.raw.setHeader("connection", "close");
  reply.hijack();
  await withEngine(() => callback(raw, reply.raw));
}
