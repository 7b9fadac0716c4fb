import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { callRoute, collectionRoutes, pathParams, recordRoutes, route, versioned } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { MessageTemplate, PreviewTemplate, RenderedTemplate, SaveTemplate } from "./templates.schema.ts";
import { changeTemplate, previewTemplate, readTemplate, readTemplates, removeTemplate, saveTemplate } from "./templates.service.ts";

const tags = ["Messaging"];
const config = { permission: "manage-realm" } as const;

/** Mounted under /admin/realms/:realm/messaging/templates. */
export const templateRoutes: FastifyPluginAsyncTypebox<{ readonly baseUrl: string }> = async (app, { baseUrl }) => {
  collectionRoutes(app, "/", {
    tags,
    record: MessageTemplate,
    list: {
      config,
      summary: "List the message templates",
      description:
        "Lists every message in each of its languages: the realm's own text, or the default text (`isDefault`). `search` takes the beginning of a key, or an id.",
      query: ListQuery,
      run: (ctx, _params, query) => readTemplates(ctx, query),
    },
  });

  route(app, "PUT", "/", {
    config: { ...config, writesRecord: true },
    summary: "Save the realm's own text of a template",
    description:
      "Replaces the text of one key and one language. A placeholder that the message does not have is refused by name, and so is one in an address that " +
      "mail programs load. A message that can carry a link or a code needs `realm-admin`.",
    tags,
    body: SaveTemplate,
    response: { 200: MessageTemplate },
    handler: async (req, reply) => {
      return versioned(reply, await req.transact((ctx) => saveTemplate(ctx, req.body)));
    },
  });

  callRoute(app, "POST", "/preview", {
    config,
    summary: "Show what a message would look like",
    description: "Shows the saved text, or an unsaved one from `subject`, `body`, `html` or `textBody`. Nothing is stored or sent.",
    tags,
    body: PreviewTemplate,
    answer: RenderedTemplate,
    read: (ctx, { body }) => previewTemplate(ctx, baseUrl, body),
  });

  recordRoutes(app, "/:templateKey", {
    tags,
    params: pathParams("templateKey"),
    querystring: Type.Object(
      { locale: Type.Optional(Type.String({ maxLength: 35, description: "The language; without it, the default variant" })) },
      { additionalProperties: false },
    ),
    record: MessageTemplate,
    read: {
      config,
      summary: "Read a message template",
      description: "Returns the realm's own text, or the default text.",
      run: (ctx, { templateKey }, { locale }) => readTemplate(ctx, templateKey, locale),
    },
    replace: {
      config,
      summary: "Change the realm's own text of a template",
      description:
        "Starts from the default text if the realm has no own text. A message that can carry a link or a code needs `realm-admin`.",
      body: SaveTemplate,
      run: (ctx, { templateKey }, body, { locale }) => changeTemplate(ctx, templateKey, locale, body),
      // PUT is a route of the collection, with the template's name in its body.
      methods: ["PATCH"],
    },
    remove: {
      config,
      summary: "Return to the default text of a template",
      description: "A message that can carry a link or a code needs `realm-admin`.",
      run: (ctx, { templateKey }, { locale }) => removeTemplate(ctx, templateKey, locale),
    },
  });
};
