import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type OpenApiDocument, operationsOf, type PathItem } from "./openapi.ts";

const compress = promisify(gzip);

/** A description in the form in which it is sent. It is made and compressed once. */
export interface Prepared {
  readonly text: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
}

export async function prepared(document: OpenApiDocument): Promise<Prepared> {
  const text = Buffer.from(JSON.stringify(document));
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;
  return { text, gzipped: await compress(text, { level: 9 }), etag };
}

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;

/** Returns a document of the operations of one tag, with the components that they refer to. */
export function partOf(document: OpenApiDocument, tag: string): OpenApiDocument {
  const paths: Record<string, PathItem> = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const own = operationsOf(item).filter(([, operation]) => operation.tags.includes(tag));
    if (own.length > 0) paths[path] = Object.fromEntries(own);
  }
  const all: Readonly<Record<string, Json>> = document.components;
  const components: Record<string, Record<string, unknown>> = { securitySchemes: { ...all.securitySchemes } };
  const collect = (value: unknown): void => {
    if (!isJson(value)) return;
    for (const [member, inner] of Object.entries(value)) {
      const [, kind, name] = (member === "$ref" && /^#\/components\/([^/]+)\/([^/]+)/.exec(String(inner))) || [];
      if (kind === undefined || name === undefined) collect(inner);
      else if (components[kind]?.[name] === undefined && all[kind]?.[name] !== undefined) {
        components[kind] = { ...components[kind], [name]: all[kind][name] };
        collect(all[kind][name]);
      }
    }
  };
  collect(paths);
  const tags = (document.tags ?? []).filter(({ name }) => name === tag);
  return { ...document, tags, paths, components: { schemas: {}, ...components } };
}
