import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { notFound, oneOf, route } from "../../platform/http/index.ts";
import { isKnown } from "../../platform/versions.ts";
import { MASTER } from "../../tenancy/realms/index.ts";
import { ASSETS, type AssetName, loadAssets } from "./assets.ts";
import { describeApi } from "./describe.ts";
import type { OpenApiDocument } from "./openapi.ts";
import { renderDocsPage } from "./page.tsx";
import { type Prepared, partOf, prepared } from "./part.ts";
import { tags as parts } from "./tags.ts";
import { sessionIn, type VisitorParts } from "./visitor.ts";

const tags = ["Description"];
const names = parts.map(({ name }) => name);
export const PAGE = "/interactive-docs.html";

/** Allows no inline code or style, and nothing from elsewhere: the page shares the admin session's origin. Swagger UI's icons are data: images. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** Mounted at the root. */
export const apiDocsRoutes: FastifyPluginAsyncTypebox<VisitorParts> = async (app, visiting) => {
  let whole: OpenApiDocument | undefined;
  const made = new Map<string | null, Promise<Prepared>>();
  // Routes cannot change once requests arrive, so the first request makes the text, and its compressed form, for all.
  const description = (tag: string | null): Promise<Prepared> => {
    whole ??= describeApi(app);
    const known = made.get(tag) ?? prepared(tag === null ? whole : partOf(whole, tag));
    made.set(tag, known);
    return known;
  };

  route(app, "GET", "/v3/api-docs", {
    serializerCompiler: () => (body) => body as string,
    summary: "Read the OpenAPI 3.1 document of this API",
    operationId: "getApiDescription",
    tags,
    querystring: Type.Object({ tag: Type.Optional(oneOf(names, { description: "Only the operations of this tag" })) }),
    response: { 200: Type.Object({}, { additionalProperties: true, description: "The OpenAPI document" }) },
    handler: async (request, reply) => {
      const { text, gzipped, etag } = await description(request.query.tag ?? null);
      // The browser keeps the description, and asks whether it is still the same.
      reply.headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-cache", vary: "accept-encoding", etag });
      if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304 as 200).send("");
      return acceptsGzip(request) ? sendGzipped(reply, gzipped) : reply.send(text);
    },
  });

  route(app, "GET", PAGE, {
    summary: "Show the documentation of this API",
    operationId: "getInteractiveDocs",
    tags,
    produces: ["text/html"],
    querystring: Type.Object({
      realm: Type.Optional(Type.String({ maxLength: 63, description: "The realm to fill in. Default `master`" })),
      tag: Type.Optional(Type.String({ maxLength: 63, description: "The tag whose page is shown. Without it, the page lists the tags" })),
    }),
    response: { 200: Type.String({ description: "The page" }) },
    handler: async (request, reply) => {
      const realm = (await visiting.realms.get(request.query.realm ?? MASTER)) ?? (await visiting.realms.get(MASTER));
      if (!realm) throw notFound();
      const session = await sessionIn(visiting, request, realm);
      // This sets the CSRF token, so that the first write from the page is accepted.
      if (session) visiting.visitors.tokenFor(request, reply, { binding: session.sessionId });
      const name = realm.realmId;
      const tag = names.find((known) => known === request.query.tag) ?? null;
      const here = (query: Record<string, string>) => {
        const search = new URLSearchParams({ ...(name !== MASTER && { realm: name }), ...query }).toString();
        return search === "" ? PAGE : `${PAGE}?${search}`;
      };
      const html = renderDocsPage({
        tag,
        parts: parts.map((part) => ({ ...part, href: here({ tag: part.name }) })),
        home: here({}),
        assets: await loadAssets(),
        realm: name,
        username: session?.username ?? null,
        signInUrl: signInUrl(name, here(tag === null ? {} : { tag })),
      });
      reply.headers({
        "content-security-policy": POLICY,
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
      });
      return reply.type("text/html; charset=utf-8").send(html);
    },
  });

  route(app, "GET", `${ASSETS}/:digest/:name`, {
    hide: true,
    handler: async (request, reply) => {
      const { name } = request.params as { name: string };
      const assets = await loadAssets();
      const asset = Object.hasOwn(assets, name) ? assets[name as AssetName] : undefined;
      // An address with an old digest must not return new content, which would be kept for good under the wrong name.
      if (!asset || asset.href !== request.url.split("?", 1)[0]) throw notFound();
      reply.headers({ "content-type": asset.type, "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" });
      return acceptsGzip(request) ? sendGzipped(reply, asset.gzipped) : reply.send(asset.body);
    },
  });
};

export const signInUrl = (realm: string, returnTo: string): string =>
  `/realms/${realm}/login?${new URLSearchParams({ return_to: returnTo })}`;

const acceptsGzip = (request: FastifyRequest): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(request.headers["accept-encoding"] ?? "");
const sendGzipped = (reply: FastifyReply, body: Buffer): FastifyReply => reply.header("content-encoding", "gzip").send(body);
