import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { MASTER } from "../../tenancy/realms/index.ts";
import { signInUrl } from "./routes.ts";
import { sessionIn, type VisitorParts } from "./visitor.ts";

/** The icon, a gate with its two leaves open. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#3e49c3"/>' +
  '<path d="M8 25V14a8 8 0 0 1 16 0v11M13 25V14.5a3 3 0 0 1 6 0V25" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>';

/** The admin console. */
const CONSOLE = "/console/";

const hidden = { schema: { hide: true } };

/** Mounted at the root: the entry points for browsers and programs. */
export const homeRoutes: FastifyPluginAsyncTypebox<VisitorParts> = async (app, parts) => {
  app.get("/", hidden, async (request, reply) => {
    const master = await parts.realms.get(MASTER);
    const session = master && (await sessionIn(parts, request, master));
    return reply.header("cache-control", "no-store").redirect(session ? CONSOLE : signInUrl(MASTER, CONSOLE), 303);
  });

  for (const path of ["/favicon.svg", "/favicon.ico"]) {
    app.get(path, hidden, async (_request, reply) =>
      reply
        .type("image/svg+xml")
        .headers({ "cache-control": "public, max-age=86400", "content-security-policy": "default-src 'none'" })
        .send(ICON),
    );
  }

  // Sign-in pages and an API do not belong in a search engine.
  app.get("/robots.txt", hidden, async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").header("cache-control", "public, max-age=86400").send("User-agent: *\nDisallow: /\n"),
  );
};
