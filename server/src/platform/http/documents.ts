import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isKnown } from "../versions.ts";
import { anonymous } from "./declarations.ts";

/** A public document in its serialised form. */
export interface PublishedDocument {
  /** The text in ASCII only: a one-byte string is sent without conversion. */
  readonly body: string;
  readonly etag: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** Serialises a JSON document. Everything beyond ASCII is escaped. */
export const documentOf = (content: object): PublishedDocument =>
  published(
    JSON.stringify(content).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    "application/json; charset=utf-8",
  );

/** Serialises SAML metadata. Character references change neither the document nor its signature. */
export const samlMetadataOf = (xml: string): PublishedDocument =>
  published(
    xml.replace(/[\u{7f}-\u{10ffff}]/gu, (character) => `&#x${character.codePointAt(0)!.toString(16)};`),
    "application/samlmetadata+xml",
  );

function published(body: string, type: string): PublishedDocument {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const headers = {
    "content-type": type,
    "cache-control": "public, max-age=60",
    "access-control-allow-origin": "*",
    etag,
    "content-length": String(body.length),
  };
  return { body, etag, headers: Object.entries(headers).flat() };
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Returns the cached document of a realm: see early-answers.ts. */
    readonly document?: (realm: string) => PublishedDocument | undefined;
  }
}

export interface Publication {
  /** Returns the cached document of the realm in the path. */
  known(realm: string): PublishedDocument | undefined;
  /** Loads the document. Throws for an unknown realm. */
  find(realm: string): Promise<PublishedDocument>;
}

/** Describes a route with a public document that relying parties read often and that rarely changes. */
export const publish = ({ known, find }: Publication) => ({
  // A cached document is sent before any hook runs (early-answers.ts), so it is the same for every caller.
  config: { document: known, caller: anonymous(), errors: "problem" as const },
  serializerCompiler: () => (body: unknown) => body as string,
  handler: async (request: FastifyRequest, reply: FastifyReply): Promise<never> =>
    publishOne(request, reply, await find((request.params as { realm: string }).realm)),
});

/** Answers with the document, or with 304 if the caller already has it. */
export function publishOne(request: FastifyRequest, reply: FastifyReply, { headers, etag, body }: PublishedDocument): never {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at]!, headers[at + 1]);
  if (!isKnown(request.headers["if-none-match"], etag)) return reply.send(body) as never;
  // RFC 9110 §15.4.5: a 304 has no headers that describe a body.
  return reply.removeHeader("content-length").code(304).send() as never;
}
