import { parse } from "node:querystring";
import type { FastifyReply, FastifyRequest } from "fastify";
import { refuseDeepParameters } from "../../../platform/http/index.ts";
import { searchOf } from "../authorize/index.ts";
import type { RealmParts } from "../parts.ts";
import type { RealmEngine } from "./provider.ts";
import { setRequest } from "./request.ts";
import { withEngine } from "./steps.ts";

/** From here on the engine writes the response itself. */
export async function handOver(
  { isDraining }: Pick<RealmParts, "isDraining">,
  { callback }: RealmEngine,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  search = searchOf(request.raw),
): Promise<void> {
  const { raw, body } = request;
  // `claims`, `authorization_details`, request objects: the engine parses them before it checks anything, and stores what it has parsed.
  refuseDeepParameters(parse(search.slice(1)));
  if (Buffer.isBuffer(body)) {
    refuseDeepParameters(parse(body.toString("utf8")));
    // It reads a request by itself; one whose body we have read is read to it.
    Object.defineProperties(raw, { readable: { value: true }, iterator: { value: () => [body] } });
  }
  setRequest(request);
  Object.assign(raw, { originalUrl: raw.url, url: path + search });
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
  // From here on no hook of ours sees the answer.
  if (isDraining()) reply.raw.setHeader("connection", "close");
  reply.hijack();
  await withEngine(() => callback(raw, reply.raw));
}
