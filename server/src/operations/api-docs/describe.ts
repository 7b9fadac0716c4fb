import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifySchema, RouteOptions } from "fastify";
import fp from "fastify-plugin";
import { callersOf, Problem } from "../../platform/http/index.ts";
import { isRateLimited } from "../../platform/rate-limit/index.ts";
import { completeAnswers, components, OAuthRefusal } from "./answers.ts";
import { examples } from "./examples.ts";
import {
  type Method,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type PathItem,
  type RefusalForm,
  type Schema,
} from "./openapi.ts";
import { operationIdOf } from "./operation-id.ts";
import { describePathParameters } from "./parameters.ts";
import { withPortablePatterns } from "./portable.ts";
import { tags } from "./tags.ts";

const introduction = `
The admin API (\`/admin/…\`), the public endpoints of each realm (\`/realms/{realm}/…\`) and monitoring.

**Signing in.** \`GET /realms/{realm}/login\` sets the cookie \`XSRF-TOKEN\`; \`POST\` the form there with that value as \`_csrf\`, and the
response sets the session cookie. Writes send the current value of \`XSRF-TOKEN\` in the header \`X-XSRF-TOKEN\`. An administrator of the
realm \`master\` may administer every realm. Programs send an access token instead (\`Authorization: Bearer\`), without CSRF token.

**Permissions.** \`x-permission\` names the permission that an operation needs: one of a list is enough, and \`any\` is any of the catalogue.
\`realm-admin\` is always enough. With \`x-realm: master\`, the permission must be held in the realm \`master\`.

**Errors** are \`application/problem+json\` (RFC 9457) with a stable \`code\`. Besides the answers listed, any operation may answer 500, or 503
with \`Retry-After\` while the database cannot be reached.

**Lists** take \`page\`, \`size\`, \`search\` and \`sort\`; \`Link rel=next\` has a cursor for the next page, at any depth.

**Versions.** Records have an \`ETag\`. Send it back as \`If-Match\` to change a record only if nobody has changed it since.
\`If-None-Match: *\` lets a PUT only create a record, and never replace one.
`.trim();

const securitySchemes = {
  session: {
    type: "apiKey",
    in: "cookie",
    name: "gh_master",
    description:
      "The session cookie, named `gh_` and the realm's name, over https `__Host-gh_` and the realm's name. The session belongs to the realm or, for the " +
      "admin API, to `master`. The cookie cannot be sent together with a token",
  },
  csrf: {
    type: "apiKey",
    in: "header",
    name: "X-XSRF-TOKEN",
    description: "The value of the cookie `XSRF-TOKEN`. Writes with a session need it",
  },
  scimToken: { type: "http", scheme: "bearer", description: "A SCIM token of the realm (`/provisioning/scim-tokens`)" },
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "An access token of the realm, or of `master`, for the audience `{base_url}/admin`, of a user or of a client in its own name. It replaces " +
      "the session and the CSRF token, and needs the same permissions",
  },
  accountBearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "A user's access token of the realm, from one of its own applications (`firstParty`), with the scope `account`, or for the audience " +
      "`{issuer}/account`",
  },
};

/** Returns the security of an operation: a session, with the CSRF token for writes, or a token. */
const securityOf = (method: RouteOptions["method"], bearer: "bearer" | "accountBearer") => [
  method === "GET" ? { session: [] } : { session: [], csrf: [] },
  { [bearer]: [] },
];

/** Watches routes being added, so it is registered before all of them. */
export const apiDescription = fp<{ version: string }>(async (app, { version }) => {
  if (!app.getSchema("Problem")) app.addSchema(Problem);
  app.addSchema(OAuthRefusal);
  await app.register(swagger, {
    // OpenAPI 3.1 is JSON Schema 2020-12: our schemas (null as a type, const) are used unchanged.
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Gatehouse",
        version,
        description: introduction,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" } as { name: string },
      },
      // The address is relative, so that the document is the same wherever the server runs.
      servers: [{ url: "/" }],
      components: { ...components, securitySchemes } as object,
    },
    convertConstToEnum: false,
    refResolver: { buildLocalReference: (schema, _base, _fragment, i) => (typeof schema.$id === "string" ? schema.$id : `Unnamed${i}`) },
    // "/" below a prefix is served with and without the slash. The description has the address without it.
    transform: ({ schema, url, route }) => ({
      schema: { ...describeRoute(withMediaType(schema, url), route), ...hintsOf(route) },
      url: url.replace(/(?<=.)\/$/, ""),
    }),
    transformObject: (document) => finish((document as unknown as { openapiObject: OpenApiDocument }).openapiObject) as object,
  });
});

/** Returns the whole description. The server must be ready, so that no more routes can be added. */
export const describeApi = (app: FastifyInstance): OpenApiDocument => app.swagger() as unknown as OpenApiDocument;

/** Declares a text without a content type as a page or style sheet. */
function withMediaType(schema: FastifySchema = {}, url: string): FastifySchema {
  const answers = Object.values((schema.response ?? {}) as Record<string, Schema>);
  if (schema.produces || !answers.some(({ type }) => type === "string")) return schema;
  return { ...schema, produces: [url.endsWith(".css") ? "text/css" : "text/html"] };
}

/** Returns the form of a route's errors, if it is not problem+json. */
function refusalsOf({ config }: RouteOptions): RefusalForm | undefined {
  const { errors = "problem" } = config ?? {};
  if (typeof errors === "object") return "page-or-problem";
  return errors === "registration" ? "oauth" : errors === "problem" ? undefined : errors;
}

/** Hints for an operation's error responses, besides its shape. */
const hintsOf = (route: RouteOptions): object => ({
  ...(route.config?.versioned !== undefined && { "x-versioned": route.config.versioned }),
  ...(refusalsOf(route) && { "x-refusals": refusalsOf(route) }),
  ...((route.config?.limit !== undefined || isRateLimited(route)) && { "x-limited": true }),
  ...(route.config?.servedAlways && { "x-served-always": true }),
});

const RECENT_AUTHENTICATION =
  "Needs a sign-in within the last 10 minutes, with the second factor if the user has one; otherwise 403 " +
  "`auth.recent_authentication_required`, with `WWW-Authenticate` as in RFC 9470. Clients that act in their own name are exempt.";

/** Adds the documentation of a route's declaration to its schema. */
function describeRoute(schema: FastifySchema, { method, config }: RouteOptions): FastifySchema {
  const { permission, masterOnly, recentAuthentication } = config ?? {};
  const account = callersOf(config ?? {}).some((caller) => caller.by === "bearer" && caller.audience === "account");
  const byToken = callersOf(config ?? {}).some((caller) => caller.by === "token");
  const recent = recentAuthentication && RECENT_AUTHENTICATION;
  const description = (...sentences: (string | false | undefined)[]) => [schema.description, ...sentences].filter(Boolean).join("\n\n");
  if (permission === undefined) {
    const isList = account && method === "GET" && ((schema.response ?? {}) as Record<string, Schema>)[200]?.type === "array";
    const notes = [isList && "Not paged: the items of one user are few.", recent].filter(Boolean) as string[];
    return {
      ...schema,
      ...(notes.length > 0 && { description: description(...notes) }),
      ...(recent && { "x-recent-authentication": true }),
      security: account ? securityOf(method, "accountBearer") : byToken ? [{ scimToken: [] }] : [],
    } as FastifySchema;
  }
  const needed = typeof permission === "string" ? `\`${permission}\`` : permission.map((one) => `\`${one}\``).join(" or ");
  const sentence = `Needs ${permission === "any" ? "any admin permission" : needed}${masterOnly ? " in the realm `master`" : ""}.`;
  return {
    ...schema,
    description: description(sentence, recent),
    security: byToken ? [{ scimToken: [] }] : securityOf(method, "bearer"),
    "x-permission": permission,
    ...(masterOnly && { "x-realm": "master" }),
    ...(recent && { "x-recent-authentication": true }),
  } as FastifySchema;
}

function finish(document: OpenApiDocument): OpenApiDocument {
  const names = new Map<string, string>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of operationsOf(item)) {
      operation.operationId ??= operationIdOf(method, path, answersList(path, item, method));
      const where = `${method.toUpperCase()} ${path}`;
      const other = names.get(operation.operationId);
      if (other) throw new Error(`${where} and ${other} are both called ${operation.operationId}: one must declare its operationId`);
      names.set(operation.operationId, where);
      describePathParameters(path, operation);
      if (operation.requestBody && mayBeLeftOut(operation.requestBody, document)) operation.requestBody.required = false;
    }
  }
  completeAnswers(document);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    // The name is the key already; a title would make client generators name it twice.
    delete schema.title;
    if (name in examples) schema.examples ??= [examples[name]];
  }
  const used = new Set(
    Object.values(document.paths).flatMap((item) => operationsOf(item).flatMap(([, operation]) => operation.tags ?? [])),
  );
  return withPortablePatterns({
    ...document,
    tags: tags.filter(({ name }) => used.has(name)),
    paths: sorted(Object.fromEntries(Object.entries(document.paths).map(([path, item]) => [path, inReadingOrder(item)]))),
    components: { ...document.components, schemas: sorted(document.components.schemas) },
  });
}

/** Puts names first, and path parameters before the query: the page shows the order of the document. */
function inReadingOrder(item: PathItem): PathItem {
  const inPath = (parameter: object) => ("in" in parameter && parameter.in === "path" ? 0 : 1);
  return Object.fromEntries(
    operationsOf(item).map(([method, { operationId, summary, parameters, ...rest }]) => [
      method,
      { operationId, summary, ...(parameters && { parameters: [...parameters].sort((a, b) => inPath(a) - inPath(b)) }), ...rest },
    ]),
  );
}

/** Tells whether a body may be left out: it then arrives as null, which its schema accepts. */
const mayBeLeftOut = ({ content }: NonNullable<Operation["requestBody"]>, { components: { schemas } }: OpenApiDocument): boolean =>
  Object.values(content).some(({ schema }) => {
    const named = schema.$ref ? schemas[schema.$ref.replace("#/components/schemas/", "")] : schema;
    return named?.anyOf?.some(({ type }) => type === "null") === true;
  });

/** Tells whether an operation returns a list: an array, or pages of a collection. */
function answersList(path: string, item: PathItem, method: Method): boolean {
  const ok = item[method]?.responses["200"];
  const schema = ok && "content" in ok ? ok.content?.["application/json"]?.schema : undefined;
  const pages = item[method]?.parameters?.some((parameter) => "name" in parameter && parameter.name === "page");
  return schema?.type === "array" || (pages === true && path.endsWith("s"));
}

/** Sorts by code unit, so that no machine's language changes the order. */
const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
