import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { buildValidator, callRoute, Problem, paged, pathParams, route } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import { imageErrors } from "./errors.ts";
import { type ImageMediaType, type ImageName, isImageName, mediaTypes, RealmImage } from "./schema.ts";
import { cleanImage, listImages, MAX_IMAGE, readImage, removeImage, saveImage } from "./service.ts";

const config = { permission: "manage-realm", versioned: false } as const;
const tags = ["Settings"];
const params = pathParams("image");
const picture = (what: string, example: string) => ({ schema: Type.String({ format: "binary", description: what, examples: [example] }) });

const imageList: ShortList<RealmImage> = {
  sorts: { name: ({ name }) => name },
  names: ({ name }) => [name],
  ids: () => [],
};

/** Returns a known name. An unknown one is a 404, like a malformed id. */
function named({ image: name }: { readonly image: string }): ImageName {
  if (!isImageName(name)) throw imageErrors.not_found();
  return name;
}

/** Mounted under /admin/realms/:realm/settings/images. */
export const imageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...mediaTypes], { parseAs: "buffer", bodyLimit: MAX_IMAGE }, (_request, body, done) => done(null, body));
  const standard = buildValidator({});

  route(app, "GET", "/", {
    config,
    summary: "List the images of the realm's brand",
    tags,
    params: pathParams(),
    querystring: ListQuery,
    response: { 200: Type.Array(RealmImage) },
    handler: async (req, reply) => paged(reply, pageInMemory(await req.read(listImages), imageList, req.query)),
  });

  callRoute(app, "GET", "/:image", {
    config,
    summary: "Read an image of the realm's brand",
    description: "Returns the properties of the picture and its address.",
    tags,
    params,
    answer: RealmImage,
    read: (ctx, { params }) => readImage(ctx, named(params)),
  });

  route(app, "PUT", "/:image", {
    config,
    // `cleanImage` checks the picture, so the body is not validated here.
    validatorCompiler: (route) => (route.httpPart === "body" ? () => true : standard(route as never)),
    summary: "Set an image of the realm's brand",
    description:
      "The body is the picture itself: PNG or SVG, at most 512 kB and 2048 by 2048 pixels. The server rewrites it, so that nothing but the picture remains. SVG with scripts, links, animation, embedded pictures or external references is refused, and the error names the element. A new `logo` becomes the realm's `logoUrl`.",
    tags,
    params,
    body: {
      content: {
        "image/png": picture("A PNG", "\u0089PNG"),
        "image/svg+xml": picture("An SVG", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'),
      },
    } as never,
    response: { 200: RealmImage, 413: Problem, 415: Problem },
    handler: async (req) => {
      const name = named(req.params);
      const body: unknown = req.body;
      if (!Buffer.isBuffer(body)) throw imageErrors.media_type();
      const type = req.headers["content-type"]!.split(";", 1)[0]!.trim().toLowerCase() as ImageMediaType;
      const image = await cleanImage(body, type);
      return req.transact((ctx) => saveImage(ctx, name, image));
    },
  });

  callRoute(app, "DELETE", "/:image", {
    config,
    summary: "Delete an image of the realm's brand",
    tags,
    params,
    done: "Deleted",
    transact: (ctx, { params }) => removeImage(ctx, named(params)),
  });
};
