import { randomBytes } from "node:crypto";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import { notFound } from "../../platform/http/index.ts";
import { type ConsoleFile, createConsoleFiles } from "./files.ts";

const hidden = { schema: { hide: true } };

/** Allows no inline code, and styles by nonce alone: the page shares the admin session's origin. */
const policyOf = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Gatehouse</title></head>
<body><h1>The admin console is not there yet</h1>
<p>It is being built, or this server was built without it. This page looks again every few seconds; <code>npm run build</code> builds it.</p>
<p>The server works all the same: the <a href="/interactive-docs.html">API reference</a> does everything that the console does.</p></body></html>`;

/** Mounted at the root. */
export const consoleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const files = createConsoleFiles();

  const sendConsole = async (_request: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(18).toString("base64");
    const page = await files.page(nonce);
    reply.type("text/html; charset=utf-8").headers({
      "content-security-policy": policyOf(nonce),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin-allow-popups",
    });
    if (page !== null) return reply.send(page);
    return reply.code(503).headers({ "retry-after": "5", refresh: "5" }).send(NOT_BUILT);
  };

  app.get("/console", hidden, async (_request, reply) => reply.redirect("/console/", 308));
  app.get("/console/*", hidden, sendConsole);

  app.get("/console/assets/:name", hidden, async (request, reply) => {
    const file = await files.asset((request.params as { name: string }).name);
    if (!file) throw notFound();
    reply.headers({
      "content-type": file.type,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
    });
    return sendCompressed(request, reply, file);
  });
};

function sendCompressed(request: FastifyRequest, reply: FastifyReply, { body, br, gzip }: ConsoleFile): FastifyReply {
  const accepted = request.headers["accept-encoding"] ?? "";
  const accepts = (coding: string) => new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted);
  if (br && accepts("br")) return reply.header("content-encoding", "br").send(br);
  if (gzip && accepts("gzip")) return reply.header("content-encoding", "gzip").send(gzip);
  return reply.send(body);
}
