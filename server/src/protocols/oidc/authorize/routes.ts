import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { anonymous, declare, page, redirect, route } from "../../../platform/http/index.ts";
import type { PageParts } from "../../../signin/login/index.ts";
import { interactionErrors } from "../../../signin/run/index.ts";
import { issuerFor } from "../../gate/index.ts";
import type { Issuers } from "../issuer.ts";
import { keepPosted, takePosted } from "./posted-requests.ts";
import { searchOf, withRequestObject } from "./request-uris.ts";

/** The size limit of a posted form, which is stored for an anonymous caller. */
const POSTED_LIMIT = 32 * 1024;

/** Mounted under /realms/:realm. */
export const authorizeRoutes: FastifyPluginAsyncTypebox<Pick<PageParts, "db"> & { issuers: Issuers }> = async (app, parts) => {
  const { issuers } = parts;
  // The engine reads the session itself.
  declare(app, { tags: ["Protocol"], caller: anonymous(), csrf: "none", errors: "page" });
  app.removeContentTypeParser(["application/json", "text/plain"]);

  route(app, "GET", "/authorize", {
    summary: "The authorization endpoint (RFC 6749 §3.1)",
    description: "Redirects the browser to the sign-in page, to the consent page, or back to the client.",
    response: {
      303: redirect("Redirects to the next address"),
      400: page("The page for a request that cannot be answered to its client"),
    },
    handler: async (request, reply) => {
      const issuer = await issuerFor(issuers, request);
      const { posted } = request.query as { posted?: unknown };
      const query = typeof posted === "string" ? await takePosted(parts.db, issuer.parts.realm.realmId, posted) : undefined;
      if (query === null) throw interactionErrors.gone();
      const search = await withRequestObject(issuer.parts, query === undefined ? searchOf(request.raw) : `?${query}`);
      return issuer.engine.handle(request, reply, "/authorize", search) as never;
    },
  });

  route(app, "POST", "/authorize", {
    bodyLimit: POSTED_LIMIT,
    summary: "The authorization endpoint by POST",
    consumes: ["application/x-www-form-urlencoded"],
    response: { 303: redirect("Redirects to the same address by GET") },
    handler: async (request, reply) => {
      const { parts: ofRealm } = await issuerFor(issuers, request);
      const { realm } = ofRealm;
      const form = (request.body ?? {}) as Record<string, unknown>;
      const id = await keepPosted(ofRealm, form, request.ip);
      return reply.header("cache-control", "no-store").redirect(`/realms/${realm.realmId}/authorize?posted=${id}`, 303);
    },
  });
};
