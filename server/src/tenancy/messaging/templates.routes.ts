import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { MessageTemplate, PreviewTemplate, RenderedTemplate, SaveTemplate } from "./templates.schema.ts";
import { previewTemplate, readTemplates, removeTemplate, saveTemplate } from "./templates.service.ts";

const tags = ["Messaging"];
const config = { permission: "manage-realm" } as const;

/** Mounted under /admin/realms/:realm/messaging/templates. */
export const templateRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    {
      config,
      schema: {
        summary: "List the message templates",
        description:
          "Every message there is, in every language it has: the realm's own text, or the one that ships (`isDefault`). `search` takes the beginning of a key, or an id.",
        tags,
        querystring: ListQuery,
        response: { 200: Type.Array(MessageTemplate) },
      },
    },
    async (req, reply) => {
      const page = await req.read((ctx) => readTemplates(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.put(
    "/",
    {
      config,
      schema: {
        summary: "Save the realm's own text of a template",
        description:
          "Of one key and one language. A placeholder that the message does not have is refused by name, and so is one in an address that " +
          "mail programs load. A message that can carry a link or a code needs `realm-admin`.",
        tags,
        body: SaveTemplate,
        response: { 200: MessageTemplate },
      },
    },
    async (req, reply) => {
      const { template, version } = await req.transact((ctx) => saveTemplate(ctx, req.body));
      reply.header("etag", etag(version));
      return template;
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
    (req) => req.read((ctx) => previewTemplate(ctx, req.body)),
  );

  app.delete(
    "/:templateKey",
    {
      config,
      schema: {
        summary: "Return to the text that ships",
        description: "A message that can carry a link or a code needs `realm-admin`.",
        tags,
        params: Type.Object({ realm: Type.String(), templateKey: Type.String() }),
        querystring: Type.Object(
          {
            locale: Type.Optional(
              Type.String({ maxLength: 35, description: "Of this language; without it, of the variant for everybody" }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 204: Type.Null({ description: "Done" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeTemplate(ctx, req.params.templateKey, req.query.locale));
      return reply.code(204).send(null);
    },
  );
};
