import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { field, page, route } from "../../platform/http/index.ts";
import { MAX_COPY } from "./message-copies.ts";
import type { PageParts } from "./visitors.ts";

/** Mounted under /realms/:realm. Shows a message once more, in another language. */
export const messageRoutes: FastifyPluginAsyncTypebox<Pick<PageParts, "visitors">> = async (app, { visitors }) => {
  route(app, "GET", "/message", {
    summary: "Show the message of a page in another language",
    description:
      "The language links of a page that answered a form lead here. It shows the same message, only in the browser that saw it and for an hour.",
    querystring: Type.Object({ shown: Type.String({ maxLength: MAX_COPY }), lang: field(35) }),
    response: { 200: page("The message, with its original status"), 404: page("This browser has no such message") },
    handler: async (request, reply) => visitors.showCopy(request, reply, request.query.shown),
  });
};
