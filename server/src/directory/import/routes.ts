import type { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { AppError } from "../../kernel/errors.ts";
import type { Vault } from "../../kernel/vault.ts";
import { callRoute, Problem, pathParams, route, streamBodies } from "../../platform/http/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import type { PasswordParts } from "../credentials/index.ts";
import type { UserLinks } from "./batch-tools.ts";
import { hashingFor } from "./passwords.ts";
import { type MediaType, mediaTypes } from "./readers/index.ts";
import { ImportQuery, ImportUser, UserImport } from "./schema.ts";
import { importUsers, readImport } from "./service.ts";

const tags = ["Users"];

export interface ImportRouteParts extends PasswordParts {
  readonly realms: RealmSnapshots;
  readonly vault: Vault;
  readonly links: UserLinks;
}

const csv =
  "username,email,emailVerified,roles,attributes.department,passwordHash\nada,ada@example.com,true,user|support,R&D,$argon2id$…\n";
const body = {
  description: "A list of users. The body is read while it arrives. Its length is not limited; a row may have 1 MB.",
  content: {
    "application/json": {
      schema: Type.Array(ImportUser, { examples: [[{ username: "ada", email: "ada@example.com" }, { username: "grace" }]] }),
    },
    "application/x-ndjson": {
      schema: Type.String({ description: "One JSON object per line", examples: ['{"username":"ada"}\n{"username":"grace"}\n'] }),
    },
    "text/csv": { schema: Type.String({ description: "RFC 4180 with a header row; list items are separated by |", examples: [csv] }) },
  },
};

/** Mounted under /admin/realms/:realm/users/import. */
export const userImportRoutes: FastifyPluginAsyncTypebox<ImportRouteParts> = async (app, { hasher, breaches, realms, vault, links }) => {
  const validatorCompiler = streamBodies(app, "*");
  route(app, "POST", "/", {
    // This is checked at the start, so an import of an hour is not stopped halfway.
    config: { permission: "manage-users", takesLong: true, recentAuthentication: true },
    // The rows are validated one by one as they arrive.
    validatorCompiler,
    summary: "Import users",
    description:
      "Rows are committed in batches while the body arrives. A bad row never stops the others or applies them in part, and committed rows are kept. The response is the report. After a broken connection, send the same file with the same `importId` again: rows that were processed are not repeated.",
    operationId: "importUsers",
    tags,
    params: pathParams(),
    querystring: ImportQuery,
    body: body as never,
    response: { 200: UserImport, 409: Problem },
    handler: async (req, reply) => {
      const type = mediaTypeOf(req.headers["content-type"]);
      const { settings } = (await realms.get(req.params.realm))!;
      const { dryRun = false, onConflict = "fail", delimiter = ",", importId } = req.query;
      const hashPassword = hashingFor(req.read.bind(req), { hasher, breaches }, settings.passwordPolicy, dryRun);
      const parts = { transact: req.transact.bind(req), hashPassword, vault, links, log: req.log };
      try {
        return await importUsers(parts, req.body as unknown as Readable, { type, delimiter, onConflict, dryRun, importId });
      } finally {
        // The rest of an aborted body is not read, so the connection cannot be reused.
        if (!req.raw.complete) reply.header("connection", "close");
      }
    },
  });

  callRoute(app, "GET", "/:importId", {
    config: { permission: "view-users" },
    summary: "Follow an import of users",
    description: "Returns the progress of an import, and for 30 days after its end its report.",
    operationId: "getUserImport",
    tags,
    params: pathParams("importId"),
    answer: UserImport,
    read: (ctx, { params }) => readImport(ctx, params.importId),
  });
};

/** Returns the media type of the request. Throws if it is not supported. */
function mediaTypeOf(contentType: string | undefined): MediaType {
  const [, name = "", parameters = ""] = /^\s*([^;\s]*)\s*(.*)/s.exec(contentType ?? "") ?? [];
  const charset = /charset\s*=\s*"?([^";\s]*)/i.exec(parameters)?.[1] ?? "utf-8";
  const type = mediaTypes.find((known) => known === name.toLowerCase());
  if (!type) throw refused(`Send the users as ${mediaTypes.join(", ")}`);
  if (!["utf-8", "utf8", "us-ascii"].includes(charset.toLowerCase())) throw refused("Send the users in UTF-8");
  return type;
}

const refused = (message: string) => new AppError("request.media_type", 415, message);
