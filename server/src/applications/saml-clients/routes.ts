import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { buildValidator, createdAt, crudRoutes, pathParams, route, versioned } from "../../platform/http/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import { METADATA_BYTES } from "../../platform/saml/index.ts";
import { mapperRoutes } from "../claims/index.ts";
import * as imports from "./import.service.ts";
import { CreateSamlMapper, SamlMapper, UpdateSamlMapper } from "./mappers.schema.ts";
import { samlClientMappers } from "./mappers.ts";
import * as schemas from "./schema.ts";
import * as service from "./service.ts";
import { validateCreation } from "./valid-metadata.ts";

const tags = ["SAML clients"];
const params = Type.Object({
  realm: Type.String(),
  entityId: Type.String({ description: "The service provider's entityID, URL-encoded" }),
});
const read = { permission: "view-clients" } as const;
const write = { permission: "manage-clients" } as const;

/** Mounted under /admin/realms/:realm/saml-clients. */
export const samlClientRoutes: FastifyPluginAsyncTypebox<ImportTools> = async (app, tools) => {
  const { baseUrl, outbound } = tools;
  await app.register(samlImportRoutes, { baseUrl, outbound });

  const mappers: FastifyPluginAsyncTypebox = async (below) =>
    mapperRoutes(below as unknown as FastifyInstance, {
      ...{ tags, param: "entityId", of: "a SAML client", mappers: samlClientMappers },
      ...{ record: SamlMapper, create: CreateSamlMapper, update: UpdateSamlMapper },
    });
  await app.register(mappers, { prefix: "/:entityId" });

  crudRoutes(app, ["/", "/:entityId"], {
    ...{ tags, names: ["a SAML client", "SAML clients"], readers: read, writers: write },
    itemParams: params,
    record: schemas.SamlClient,
    list: { query: schemas.SamlClientQuery, run: (ctx, _params, query) => service.searchSamlClients(ctx, query) },
    create: {
      description: "For members that are omitted or null, the realm's settings `saml` apply.",
      body: schemas.CreateSamlClient,
      id: ({ entityId }) => entityId,
      run: async (ctx, _params, body) => ({
        ...(await service.shownWithNames(ctx, await service.createSamlClient(ctx, tools, body))),
        applicationId: null,
      }),
    },
    read: { run: async (ctx, { entityId }) => service.shownWithNames(ctx, await service.readSamlClient(ctx, entityId)) },
    replace: {
      summary: "Replace a SAML client's state",
      ofPut: "Omitted members return to their defaults. `enabled` is required.",
      description: "The entityId cannot be changed.",
      body: schemas.UpdateSamlClient,
      run: async (ctx, { entityId }, body) => service.shownWithNames(ctx, await service.saveSamlClient(ctx, tools, entityId, body)),
    },
    remove: { description: "Also deletes its mappers.", run: (ctx, { entityId }) => service.removeSamlClient(ctx, entityId) },
  });
};

const mediaTypes = ["application/samlmetadata+xml", "application/xml", "text/xml"];

const description =
  "Creates the service provider if the realm does not know it. Otherwise the members that came from metadata are updated, and an administrator's settings are kept: `metadata.members` lists the members that follow metadata. Metadata that is past its `validUntil` is refused. If it describes several service providers, `entityId` selects one; without it, the response lists them.";
const response = {
  200: { ...schemas.SamlClient, description: "The updated service provider or, with `preview`, what would be saved" },
  201: schemas.SamlClient,
};

const xml = Type.String({
  description: "SAML metadata: an EntityDescriptor or EntitiesDescriptor with an SPSSODescriptor",
  examples: [
    '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://sp.example.com/metadata">…</md:EntityDescriptor>',
  ],
});
const xmlBody = {
  description: "SAML metadata, up to 4 MiB",
  content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: xml }])),
};

export interface ImportTools extends service.SamlClientTools {
  readonly outbound: Outbound;
}

/** Mounted under /admin/realms/:realm/saml-clients. */
const samlImportRoutes: FastifyPluginAsyncTypebox<ImportTools> = async (app, tools) => {
  const standard = buildValidator({});
  /** Validates metadata by the schema of a request, and answers its errors like those of a request. */
  const save = async (req: FastifyRequest, reply: FastifyReply, provider: imports.ReadProvider, preview: boolean) => {
    if (!validateCreation(imports.asCreation(provider)))
      throw Object.assign(new Error("invalid"), { validation: validateCreation.errors, validationContext: "body" });
    if (preview)
      return withoutVersion(await req.read(async (ctx) => service.shownWithNames(ctx, await imports.previewImport(ctx, tools, provider))));
    const { client, isNew } = await req.transact(async (ctx) => {
      const imported = await imports.importSamlClient(ctx, tools, provider);
      return { ...imported, client: await service.shownWithNames(ctx, imported.client) };
    });
    const [collection] = req.url.split(/\/import(?:-url)?(?:\?|$)/, 1);
    if (!isNew) return versioned(reply, client);
    return createdAt(reply, `${collection}/${encodeURIComponent(client.entityId)}`, { ...client, applicationId: null });
  };

  const uploads: FastifyPluginAsyncTypebox = async (upload) => {
    upload.removeAllContentTypeParsers();
    upload.addContentTypeParser(mediaTypes, { parseAs: "buffer", bodyLimit: METADATA_BYTES }, (_request, body, done) => done(null, body));
    // The route refuses other types, after it has reported other errors of the request.
    upload.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: METADATA_BYTES }, (_request, _body, done) => done(null, null));
    upload.post(
      "/import",
      {
        config: write,
        validatorCompiler: (route) => (route.httpPart === "body" ? () => true : standard(route)),
        schema: {
          summary: "Import a SAML client from a metadata file",
          operationId: "importSamlClient",
          description,
          tags,
          params: pathParams(),
          querystring: schemas.ImportQuery,
          body: xmlBody as never,
          response,
        },
      },
      async (req, reply) => {
        const body = req.body as unknown;
        if (!Buffer.isBuffer(body)) throw notXml();
        const { preview = false, entityId } = req.query;
        const provider = imports.readProvider(body, { now: clock.now(), ...(entityId !== undefined && { entityId }) });
        return save(req, reply, provider, preview);
      },
    );
  };
  await app.register(uploads);

  route(app, "POST", "/import-url", {
    config: write,
    summary: "Import a SAML client from the address of its metadata",
    operationId: "importSamlClientFromUrl",
    description,
    tags,
    params: pathParams(),
    querystring: schemas.ImportUrlQuery,
    body: schemas.ImportSamlClient,
    response,
    handler: async (req, reply) => {
      return save(req, reply, await imports.fetchProvider(tools.outbound, req.body), req.query.preview ?? false);
    },
  });
};

const notXml = () => new AppError("request.media_type", 415, `Send the metadata as ${mediaTypes.join(", ")}`);
const withoutVersion = <R extends { readonly version: number }>({ version: _, ...record }: R) => record;
