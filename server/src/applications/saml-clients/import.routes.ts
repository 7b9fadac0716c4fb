import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { buildValidator, createdAt, pathParams, versioned } from "../../platform/http/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import { METADATA_BYTES } from "../../platform/saml/index.ts";
import { asCreation, fetchProvider, importSamlClient, previewImport, type ReadProvider, readProvider } from "./import.service.ts";
import { ImportQuery, ImportSamlClient, ImportUrlQuery, SamlClient } from "./schema.ts";
import { type SamlClientTools, shownWithNames } from "./service.ts";
import { validateCreation } from "./valid-metadata.ts";

const tags = ["SAML clients"];
const write = { permission: "manage-clients" } as const;
const mediaTypes = ["application/samlmetadata+xml", "application/xml", "text/xml"];

const description =
  "A service provider that the realm does not know is created. If the realm knows it, the members that came from metadata are updated, and an administrator's settings stay: `metadata.members` lists the members that follow metadata. Metadata that is past its `validUntil` is refused. If it describes several service providers, `entityId` names one; without it, the answer lists them.";
const response = {
  200: { ...SamlClient, description: "Brought up to date; or, with `preview`, what would be saved" },
  201: SamlClient,
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

export interface ImportTools extends SamlClientTools {
  readonly outbound: Outbound;
}

/** Mounted under /admin/realms/:realm/saml-clients. */
export const samlImportRoutes: FastifyPluginAsyncTypebox<ImportTools> = async (app, tools) => {
  const standard = buildValidator({});
  /** Metadata is validated by the schema of a request, and its errors are answered like a request's. */
  const save = async (req: FastifyRequest, reply: FastifyReply, provider: ReadProvider, preview: boolean) => {
    if (!validateCreation(asCreation(provider)))
      throw Object.assign(new Error("invalid"), { validation: validateCreation.errors, validationContext: "body" });
    if (preview) return withoutVersion(await req.read(async (ctx) => shownWithNames(ctx, await previewImport(ctx, tools, provider))));
    const { client, isNew } = await req.transact(async (ctx) => {
      const imported = await importSamlClient(ctx, tools, provider);
      return { ...imported, client: await shownWithNames(ctx, imported.client) };
    });
    const [collection] = req.url.split(/\/import(?:-url)?(?:\?|$)/, 1);
    if (!isNew) return versioned(reply, client);
    return createdAt(reply, `${collection}/${encodeURIComponent(client.entityId)}`, { ...client, applicationId: null });
  };

  const uploads: FastifyPluginAsyncTypebox = async (upload) => {
    upload.removeAllContentTypeParsers();
    upload.addContentTypeParser(mediaTypes, { parseAs: "buffer", bodyLimit: METADATA_BYTES }, (_request, body, done) => done(null, body));
    // Refused by the route, after what else is wrong with the request.
    upload.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: METADATA_BYTES }, (_request, _body, done) => done(null, null));
    upload.post(
      "/import",
      {
        config: write,
        validatorCompiler: (route) => (route.httpPart === "body" ? () => true : standard(route)),
        schema: {
          summary: "Import a SAML client from a file of metadata",
          operationId: "importSamlClient",
          description,
          tags,
          params: pathParams(),
          querystring: ImportQuery,
          body: xmlBody as never,
          response,
        },
      },
      async (req, reply) => {
        const body = req.body as unknown;
        if (!Buffer.isBuffer(body)) throw notXml();
        const { preview = false, entityId } = req.query;
        const provider = readProvider(body, { now: clock.now(), ...(entityId !== undefined && { entityId }) });
        return save(req, reply, provider, preview);
      },
    );
  };
  await app.register(uploads);

  app.post(
    "/import-url",
    {
      config: write,
      schema: {
        summary: "Import a SAML client from the address of its metadata",
        operationId: "importSamlClientFromUrl",
        description,
        tags,
        params: pathParams(),
        querystring: ImportUrlQuery,
        body: ImportSamlClient,
        response,
      },
    },
    async (req, reply) => {
      return save(req, reply, await fetchProvider(tools.outbound, req.body), req.query.preview ?? false);
    },
  );
};

const notXml = () => new AppError("request.media_type", 415, `Send the metadata as ${mediaTypes.join(", ")}`);
const withoutVersion = <R extends { readonly version: number }>({ version: _, ...record }: R) => record;
