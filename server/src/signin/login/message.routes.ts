import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { field, page, route } from "../../platform/http/index.ts";
import { MAX_COPY } from "./message-copies.ts";
import type { PageParts } from "./visitors.ts";

/** Mounted under /realms/:realm. Shows a message once more, in another language. */
export const messageRoutes: FastifyPluginAsyncTypebox<Pick<PageParts, "visitors">> = async (app, { visitors }) => {
  route(app, "GET", "/message", {
    summary: "A message of a page, in another language",
    description:
      "The languages of a page that answered a form lead here. It shows the same message, only in the browser that saw it and for an hour.",
    querystring: Type.Object({ shown: Type.String({ maxLength: MAX_COPY }), lang: field(35) }),
    response: { 200: page("The message, with the status that it had"), 404: page("Not a message of this browser") },
    handler: async (request, reply) => visitors.showCopy(request, reply, request.query.shown),
  });
};
