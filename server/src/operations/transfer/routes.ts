import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import type { PasswordParts } from "../../directory/credentials/index.ts";
import { hashingFor } from "../../directory/import/index.ts";
import { assertRecent } from "../../platform/context.ts";
import { Problem, pathParams, route, streamBodies } from "../../platform/http/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import { splitBody } from "./body.ts";
import { RealmDocumentSchema, readDocument } from "./document.ts";
import { ExportQuery, ImportQuery, RealmImport } from "./schema.ts";
import type { SectionTools } from "./section.ts";
import { exportRealm, importRealm } from "./service.ts";
import { transactUnversioned } from "./unversioned.ts";

const tags = ["Export and import"];
const config = { permission: "manage-realm", takesLong: true } as const;

/** Returns the passphrase in the header: a query string would be logged on its way. It may be percent-encoded, because headers are ASCII. */
function passphraseOf({ headers }: FastifyRequest): string | null {
  const given = headers["export-passphrase"];
  if (typeof given !== "string" || given === "") return null;
  try {
    return decodeURIComponent(given);
  } catch {
    return given;
  }
}

interface TransferParts extends SectionTools, PasswordParts {
  readonly realms: RealmSnapshots;
}

/** Many users are written at once: a write for each would cost more than its text. */
const PIECE = 64 * 1024;

/** Yields the document as text, with one user per line. */
async function* textOf(document: object, users: AsyncIterable<object> | null): AsyncGenerator<string> {
  const text = JSON.stringify(document, null, 2);
  if (users === null) {
    yield `${text}\n`;
    return;
  }
  let piece = `${text.slice(0, -"\n}".length)},\n  "users": [`;
  let isFirst = true;
  for await (const user of users) {
    piece += `${isFirst ? "" : ","}\n    ${JSON.stringify(user)}`;
    isFirst = false;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}${isFirst ? "" : "\n  "}]\n}\n`;
}

/** Mounted under /admin/realms/:realm. */
export const transferRoutes: FastifyPluginAsyncTypebox<TransferParts> = async (app, { hasher, breaches, realms, ...tools }) => {
  // A document may have millions of users, so its body is passed on as it arrives.
  const validatorCompiler = streamBodies(app, "application/json");
  route(app, "GET", "/export", {
    config,
    operationId: "exportRealm",
    summary: "Export the realm",
    description:
      "Returns the configuration as one document with natural keys: two exports of the same state are the same text, and an import into another server creates the same realm. Secrets are omitted, or sealed. With `users`, the users follow as the last member, one per line; they are read in pages while the realm is in use. Each section needs the permission to read its area.",
    tags,
    params: pathParams(),
    querystring: ExportQuery,
    response: { 200: RealmDocumentSchema },
    handler: async (req, reply) => {
      const { sections = null, full = false, secrets = "none", users = false } = req.query;
      const isSealed = secrets === "sealed";
      if (isSealed) assertRecent(req.actor!);
      const passphrase = isSealed ? (passphraseOf(req) ?? "") : null;
      const made = await exportRealm(req.transact.bind(req), tools, { sections, full, passphrase, users });
      const text = Readable.from(await req.read(async (ctx) => textOf(made.document, made.users(ctx))));
      return reply.type("application/json; charset=utf-8").send(text);
    },
  });

  route(app, "POST", "/import", {
    config: { ...config, recentAuthentication: true },
    // The document is validated item by item, by the schemas of its sections.
    validatorCompiler,
    operationId: "importRealm",
    summary: "Import a realm's document",
    description:
      "Changes the realm to the state in the document, in one transaction: every item by the rules of its own POST or PUT. If one is refused, nothing is changed. Omitted sections and items are not changed, and omitted secrets are kept. With `dryRun`, the response lists what would change.",
    tags,
    params: pathParams(),
    querystring: ImportQuery,
    body: RealmDocumentSchema,
    response: { 200: RealmImport, 409: Problem },
    handler: async (req, reply) => {
      const { dryRun = false, prune = "none", source = null, plan = null, onConflict = "skip", importId } = req.query;
      try {
        const { configuration, users } = await splitBody(req.body as unknown as Readable);
        const document = await readDocument(configuration, passphraseOf(req));
        const { settings } = (await realms.get(req.realmId))!;
        const hashPassword = hashingFor(req.read.bind(req), { hasher, breaches }, settings.passwordPolicy, dryRun);
        const all = { ...tools, users: { hashPassword, log: req.log } };
        const options = { dryRun, prune, source, plan, onConflict, importId };
        const transact = transactUnversioned(req);
        return await importRealm(transact, all, { realm: req.realmId, actor: req.actor! }, { document, users }, options);
      } finally {
        // The rest of a refused body is not read, so the connection cannot be reused.
        if (!req.raw.complete) reply.header("connection", "close");
      }
    },
  });
};
