import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { collectionRoutes, pathParams, recordRoutes, versioned } from "../../platform/http/index.ts";
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
        "Every message there is, in every language it has: the realm's own text, or the one that ships (`isDefault`). `search` takes the beginning of a key, or an id.",
      query: ListQuery,
      run: (ctx, _params, query) => readTemplates(ctx, query),
    },
  });

  app.put(
    "/",
    {
      config,
      schema: {
        summary: "Save the realm's own text of a template",
        description:
          "Replaces the text of one key and one language. A placeholder that the message does not have is refused by name, and so is one in an address that " +
          "mail programs load. A message that can carry a link or a code needs `realm-admin`.",
        tags,
        body: SaveTemplate,
        response: { 200: MessageTemplate },
      },
    },
    async (req, reply) => {
      return versioned(reply, await req.transact((ctx) => saveTemplate(ctx, req.body)));
    },
  );

  app.post(
    "/preview",
    {
      config,
      schema: {
        summary: "Show what a message would look like",
        description: "With `subject`, `body`, `html` or `textBody`, of a text that is not saved yet. Nothing is stored or sent.",
        tags,
        body: PreviewTemplate,
        response: { 200: RenderedTemplate },
      },
    },
    (req) => req.read((ctx) => previewTemplate(ctx, baseUrl, req.body)),
  );

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
      description: "The realm's own text, or the one that ships.",
      run: (ctx, { templateKey }, { locale }) => readTemplate(ctx, templateKey, locale),
    },
    replace: {
      config,
      summary: "Change the realm's own text of a template",
      description:
        "Begins with the text that ships where the realm has none. A message that can carry a link or a code needs `realm-admin`.",
      body: SaveTemplate,
      run: (ctx, { templateKey }, body, { locale }) => changeTemplate(ctx, templateKey, locale, body),
      // PUT is at the collection, with the template's name in its body.
      methods: ["PATCH"],
    },
    remove: {
      config,
      summary: "Return to the text that ships",
      description: "A message that can carry a link or a code needs `realm-admin`.",
      run: (ctx, { templateKey }, { locale }) => removeTemplate(ctx, templateKey, locale),
    },
  });
};
