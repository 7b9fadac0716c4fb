import type { FastifyInstance, FastifyReply } from "fastify";
import Type from "typebox";
import type { ListQuery, Page } from "../paging/index.ts";
import { etag, isKnown, withDigest } from "../versions.ts";

/** The path parameters of a route below `/admin/realms/:realm`. */
export const pathParams = <const N extends readonly string[]>(...names: N) =>
  Type.Object(Object.fromEntries(["realm", ...names].map((name) => [name, Type.String()])) as Record<"realm" | N[number], Type.TString>);

/** Describes a 204 for `response`, with what has been done then. */
export const noContentAnswer = (description = "Done") => ({ 204: Type.Null({ description }) });

/** Answers 204 when `_done` has been awaited: `noContent(reply, await req.transact(…))`. */
export function noContent(reply: FastifyReply, _done?: unknown): null {
  reply.code(204);
  return null;
}

/** Answers 200 with the record and its version. */
export function versioned<R extends { readonly version: number }>(reply: FastifyReply, record: R): R;
export function versioned<R>(reply: FastifyReply, record: R, version: number): R;
export function versioned<R>(reply: FastifyReply, record: R, version = (record as { version?: number }).version!): R {
  reply.header("etag", etag(version));
  return record;
}

/** Answers 201 with the record, its `Location` (`id` below the requested address) and its version, if it has one. */
export function created<R extends object>(reply: FastifyReply, id: string | readonly string[], record: R): R {
  const [collection = ""] = reply.request.url.split("?", 1);
  const item = [id].flat().map(encodeURIComponent).join("/");
  return createdAt(reply, `${collection.replace(/\/$/, "")}/${item}`, record);
}

/** Answers 201 for a record whose address is not below the requested one. */
export function createdAt<R extends object>(reply: FastifyReply, location: string, record: R): R {
  reply.code(201).header("location", location);
  const { version } = record as { version?: number };
  if (version !== undefined) reply.header("etag", etag(version));
  return record;
}

/** Answers 200 with the rows, and with `X-Total-Count`, `X-Total-Estimated` and `Link` (RFC 8288). */
export function paged<Row>(reply: FastifyReply, page: Page<Row>): Row[] {
  reply.header("x-total-count", String(page.total));
  if (page.estimated) reply.header("x-total-estimated", "true");
  const [path = "", search = ""] = reply.request.url.split("?", 2);
  const link = (rel: string, change: Record<string, string | null>) => {
    const params = new URLSearchParams(search);
    for (const [name, value] of Object.entries(change)) value === null ? params.delete(name) : params.set(name, value);
    const text = params.toString();
    return `<${path}${text && `?${text}`}>; rel="${rel}"`;
  };
  const { page: number = 0, cursor } = reply.request.query as ListQuery;
  const links = [link("first", { page: null, cursor: null })];
  if (number > 0 && cursor === undefined) links.push(link("prev", { page: String(number - 1), cursor: null }));
  if (page.nextCursor) links.push(link("next", { page: null, cursor: page.nextCursor }));
  reply.header("link", links.join(", "));
  return page.rows;
}

/**
 * Makes the version that a route has set a strong ETag, and answers `If-None-Match` with 304. A representation can change without a new version (a user's
 * `mfaEnabled`, the path of a group whose parent was renamed), so the tag contains a digest of it. Answers to writes keep the bare version: they may contain a
 * secret that is shown once, and nothing derived from it belongs in a header.
 */
export function answerConditionally(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const version = reply.getHeader("etag");
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || typeof version !== "string" || typeof payload !== "string") return done(null, payload);
    const tag = withDigest(version, payload);
    reply.header("etag", tag);
    if (reply.statusCode !== 200 || !isKnown(request.headers["if-none-match"], tag)) return done(null, payload);
    // RFC 9110 §15.4.5: a 304 has no headers that describe a body.
    reply.code(304).removeHeader("content-type").removeHeader("content-length");
    done(null, null);
  });
}
