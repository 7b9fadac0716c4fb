import type { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import type { PasswordParts } from "../../directory/credentials/index.ts";
import { hashingFor } from "../../directory/import/index.ts";
import { Problem, pathParams, route, streamBodies } from "../../platform/http/index.ts";
import { relyingPartyOf } from "../../signin/passkeys/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import { type SectionTools, transactUnversioned } from "../transfer/index.ts";
import { receive } from "./body.ts";
import { ExternalImport, ExternalImportQuery } from "./schema.ts";
import { importExternal } from "./service.ts";

interface ExternalParts extends SectionTools, PasswordParts {
  readonly realms: RealmSnapshots;
}

const file = (description: string, example: string) => ({ schema: Type.String({ description, examples: [example] }) });
const body = {
  description:
    "The file as the other system wrote it, or several as `multipart/form-data`. The part `parameters` is JSON with values that the files lack.",
  content: {
    "application/json": {
      schema: Type.Unsafe<object>({
        description: "An export in JSON",
        examples: [{ realm: "shop", keycloakVersion: "26.7.3", users: [] }],
      }),
    },
    "application/x-ndjson": file("One JSON object per line", '{"user_id":"auth0|1"}\n'),
    "text/csv": file("Rows with a header", "id,email\n"),
    "text/plain": file("LDIF or YAML", "dn: uid=ada,dc=example\nuid: ada\n"),
    "multipart/form-data": file(
      "Several files",
      '--x\r\nContent-Disposition: form-data; name="file"; filename="shop.json"\r\n\r\n{}\r\n--x--\r\n',
    ),
  },
};

/** Mounted under /admin/realms/:realm. */
export const externalImportRoutes: FastifyPluginAsyncTypebox<ExternalParts> = async (app, { hasher, breaches, realms, ...tools }) => {
  // An export may be of any length, so the body is passed on as it arrives.
  const validatorCompiler = streamBodies(app, "*");
  route(app, "POST", "/import/external", {
    config: { permission: "manage-realm", takesLong: true, recentAuthentication: true },
    // The rules of each item validate the content of the files.
    validatorCompiler,
    operationId: "importExternal",
    summary: "Import the export of another product",
    description:
      "Translates the files into a realm's document and rows of users, and imports them: each item by the rules of its own POST or PUT, the configuration in one transaction, the users in batches. Items that these rules refuse are skipped and listed. The response lists what was imported, what was ignored, and what is not supported. Send the files with `dryRun` first.",
    tags: ["Export and import"],
    params: pathParams(),
    querystring: ExternalImportQuery,
    body: body as never,
    response: { 200: ExternalImport, 409: Problem },
    handler: async (req, reply) => {
      const { source = null, from = null, dryRun = false, onConflict = "skip", importId } = req.query;
      const received = await receive(req.body as unknown as Readable, req.headers).catch((error) => {
        // The rest of a refused body is not read, so the connection cannot be reused.
        if (!req.raw.complete) reply.header("connection", "close");
        throw error;
      });
      try {
        const realm = (await realms.get(req.realmId))!;
        const { settings } = realm;
        const { id: rpId } = relyingPartyOf(realm, tools.baseUrl);
        const hashPassword = hashingFor(req.read.bind(req), { hasher, breaches }, settings.passwordPolicy, dryRun);
        const all = { ...tools, users: { hashPassword, log: req.log } };
        const options = { source, from, parameters: received.parameters, rpId, dryRun, onConflict, importId };
        const transact = transactUnversioned(req);
        return await importExternal(transact, all, { realm: req.realmId, actor: req.actor! }, received.files, options);
      } finally {
        await received.close();
      }
    },
  });
};
