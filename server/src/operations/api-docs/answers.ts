import Type from "typebox";
import {
  isReference,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type PathItem,
  type Reference,
  type RefusalForm,
  type Response,
  type Schema,
} from "./openapi.ts";

/** The error responses of the admin and account APIs. They follow from the shape of a route, so no route lists them by hand. */
const refusals = {
  400: ["BadRequest", "The request is not valid: `errors` names every offending field"],
  401: ["Unauthorized", "There is no valid session or token for this realm: sign in"],
  403: ["Forbidden", "The permission is missing, or the CSRF token is missing or stale"],
  404: ["NotFound", "There is no such realm, or no such record in it"],
  409: ["Conflict", "The change conflicts with the current state. `code` names the conflict"],
  412: ["PreconditionFailed", "The record has changed since the version that `If-Match` names"],
  413: ["ContentTooLarge", "The body is larger than this endpoint accepts"],
  414: ["PathTooLong", "A part of the path is longer than 2048 characters"],
  415: ["UnsupportedMediaType", "The content type of the body is not supported by this endpoint"],
  429: ["TooManyRequests", "Too many requests of this kind: try again after `Retry-After` seconds"],
  431: ["HeadersTooLarge", "The headers, or the address with its query, are larger than this server accepts"],
  502: ["BadGateway", "Another system did not respond, or responded with an error. `detail` names it"],
  503: ["ServiceUnavailable", "The server is overloaded, or its database is unavailable: try again after `Retry-After` seconds"],
} as const;
type Refusal = keyof typeof refusals;

const hasRetryAfter = (status: number) => status === 429 || status === 503;

const problem = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };

/** An error response of OAuth (RFC 6749 §5.2). */
export const OAuthRefusal = Type.Object(
  {
    error: Type.String({ description: "The registered code", examples: ["invalid_request"] }),
    error_description: Type.Optional(Type.String({ description: "A text for users: what happened and what to do" })),
  },
  { $id: "OAuthRefusal", additionalProperties: true },
);

const header = (description: string, type: string, example: string | number) => ({ description, schema: { type }, example });

export const components = {
  responses: {
    ...Object.fromEntries(
      Object.entries(refusals).map(([status, [name, description]]) => [
        name,
        {
          description,
          content: problem,
          ...(hasRetryAfter(Number(status)) && { headers: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } }),
        },
      ]),
    ),
    NotModified: {
      description: "The record is still the version that `If-None-Match` names",
      headers: { ETag: { $ref: "#/components/headers/ETag" } },
    },
  },
  headers: {
    ETag: header("The version of the record, for `If-Match`", "string", '"3"'),
    TotalCount: header("The number of all items, exact up to 10,000", "integer", 42),
    TotalEstimated: header("`true` if the total is an estimate", "string", "true"),
    Link: header("The links `first`, `prev` and `next` (RFC 8288)", "string", '</admin/realms/acme/users?cursor=WyJ1c2Vyb…>; rel="next"'),
    Location: header("The address to continue at", "string", "/"),
    RetryAfter: header("The seconds to wait", "integer", 5),
    Created: header("The path of the new record", "string", "/admin/realms/acme/users/0197f1c4-6f2a-7c3e-9d5b-2f1e8a7b6c5d"),
  },
  parameters: {
    IfMatch: {
      name: "If-Match",
      in: "header",
      required: false,
      description: "The `ETag` of the record when it was read. The change is refused if the record has changed since",
      schema: { type: "string" },
    },
    IfNoneMatch: {
      name: "If-None-Match",
      in: "header",
      required: false,
      description: "The `ETag` of a known version of the record. The response is 304 without a body if the record is still the same",
      schema: { type: "string" },
    },
  },
};

const statusWords: Record<string, string> = { 200: "OK", 201: "Created", 204: "Done" };
const refer = (kind: keyof typeof components, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** Adds to every operation the answers and headers that follow from its shape. */
export function completeAnswers({ paths }: OpenApiDocument): void {
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of operationsOf(item)) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        if (isReference(answer)) continue;
        if (answer.description === "Default Response") answer.description = statusWords[status] ?? refusalWords(status) ?? "OK";
        if (status === "302" || status === "303") addHeaders(answer, { Location: "Location" });
        correctMediaTypes(status, answer, operation);
        // Only routes that call another system list it. Its description is the same for all of them.
        if (status === "502") operation.responses[502] = refusal(502, operation["x-refusals"]);
      }
      const change = method !== "get";
      const versioned = change && (operation["x-versioned"] ?? isVersioned(paths, path));
      if (versioned) operation.parameters = [...(operation.parameters ?? []), refer("parameters", "IfMatch")];
      const possible = possibleRefusals(method, path, operation, versioned);
      for (const status of Object.keys(refusals).map(Number) as Refusal[]) {
        if (possible[status]) operation.responses[status] ??= refusal(status, operation["x-refusals"]);
      }
      if (operation.security?.length && operation["x-refusals"] !== "scim") describeHeaders(paths, path, item, operation);
    }
  }
  for (const item of Object.values(paths))
    for (const [, operation] of operationsOf(item))
      for (const hint of ["x-versioned", "x-refusals", "x-limited", "x-served-always"] as const) delete operation[hint];
}

/**
 * Tells which error responses an operation has besides those that its route lists. Without a session there is no 401 or 403, and public routes list
 * their conflicts.
 */
function possibleRefusals(method: string, path: string, operation: Operation, versioned: boolean): Record<Refusal, boolean> {
  const isGuarded = (operation.security ?? []).length > 0;
  // OAuth answers every refusal by one rule: RFC 6749 §5.2.
  const isOAuth = operation["x-refusals"] === "oauth";
  const isListed = operation.responses["4XX"] !== undefined;
  const change = method !== "get";
  const takesInput =
    change ||
    (operation.parameters ?? []).some((parameter) => isReference(parameter) || parameter.in !== "path" || parameter.name !== "realm");
  return {
    400: !isListed && (isGuarded || takesInput || isOAuth),
    401: !isListed && (isGuarded || isOAuth),
    403: isGuarded,
    404: !isListed && path.includes("{"),
    409: isGuarded && mayConflict(method, path, operation),
    412: versioned,
    413: !isListed && change,
    414: path.includes("{"),
    415: !isListed && change,
    429: !isListed && (change || operation["x-limited"] === true),
    431: true,
    // Routes that call another system list it.
    502: false,
    503: operation["x-served-always"] !== true,
  };
}

const page: Response["content"] = { "text/html": { schema: { type: "string" } } };
const oauth: Response["content"] = { "application/json": { schema: { $ref: "#/components/schemas/OAuthRefusal" } } };
const scim: Response["content"] = { "application/scim+json": { schema: { $ref: "#/components/schemas/ScimError" } } };
const authzen: Response["content"] = { "application/json": { schema: { $ref: "#/components/schemas/AccessError" } } };
const contentOf: Readonly<Record<RefusalForm, Response["content"]>> = {
  page,
  oauth,
  scim,
  authzen,
  "page-or-problem": { ...problem, ...page },
};

function refusal(status: Refusal, form: RefusalForm | undefined): Response | Reference {
  const [name, description] = refusals[status];
  // The parser and the router refuse before a route is found.
  if (form === undefined || status === 414 || status === 431) return refer("responses", name);
  // A busy server refuses before it knows the form of the route's errors.
  const content = status === 503 ? { ...contentOf[form], ...problem } : contentOf[form]!;
  return { description, content, ...(hasRetryAfter(status) && { headers: { "Retry-After": refer("headers", "RetryAfter") } }) };
}

const refusalWords = (status: string): string | undefined => refusals[Number(status) as Refusal]?.[1];

/** Sets the media type of a problem, or of the page in its place: routes declare only schemas. */
function correctMediaTypes(status: string, answer: Response, { responses, "x-refusals": form }: Operation): void {
  const { "application/json": json, ...others } = answer.content ?? {};
  if (json?.schema.$ref === "#/components/schemas/Problem") answer.content = { ...others, ...problem };
  // Routes that redirect to the sign-in answer with a page.
  const showsPage = status === "200" ? responses[303] !== undefined : status.startsWith("4");
  if (form === "page-or-problem" && showsPage) answer.content = { ...answer.content, ...page };
}

function describeHeaders(paths: Record<string, PathItem>, path: string, item: PathItem, operation: Operation): void {
  const isList = operation === item.get && hasQuery(operation, "cursor");
  const read = answer(operation, "200");
  if (read && isList) addHeaders(read, { "X-Total-Count": "TotalCount", "X-Total-Estimated": "TotalEstimated", Link: "Link" });
  const isOne = read?.content?.["application/json"]?.schema.$ref !== undefined;
  const isWhole = operation === item.put || operation === item.patch || (operation === item.get && isOne);
  if (read && isWhole && isRecord(item)) {
    addHeaders(read, { ETag: "ETag" });
    if (operation === item.get) {
      operation.parameters = [...(operation.parameters ?? []), refer("parameters", "IfNoneMatch")];
      operation.responses[304] = refer("responses", "NotModified");
    }
  }
  const created = answer(operation, "201");
  if (created && path.startsWith("/admin/")) addHeaders(created, { Location: "Created" });
  const makesRecord =
    operation === item.put ||
    Object.entries(paths).some(([other, its]) => other.startsWith(`${path}/{`) && other.endsWith("}") && isRecord(its));
  if (created && makesRecord) addHeaders(created, { ETag: "ETag" });
}

/** Tells whether a record has a version: if PUT replaces and returns it, unless its routes say that it has none. */
function isRecord({ get, put }: PathItem): boolean {
  if (put?.["x-versioned"] === false) return false;
  const answered = put && answer(put, "200")?.content?.["application/json"]?.schema;
  return get?.["x-versioned"] === true || answered?.$ref !== undefined;
}

/** Tells whether a path is a versioned record or a part of one: `/users/{userId}/password` changes the user. A realm's version is only its own. */
function isVersioned(paths: Record<string, PathItem>, path: string): boolean {
  const isPartOf = (record: string) =>
    record !== "/admin/realms/{realm}" && (path.startsWith(`${record}/{`) || (record.endsWith("}") && path.startsWith(`${record}/`)));
  return Object.keys(paths).some((other) => isRecord(paths[other]!) && (path === other || isPartOf(other)));
}

/** Tells whether a change may conflict. Names can be taken, and states can forbid a change; a singleton such as the settings has neither. */
function mayConflict(method: string, path: string, operation: Operation): boolean {
  // Reading conflicts, too, if the client has no secret or no authorization services.
  if (method === "get") return path.endsWith("/secret") || (path.includes("/authz/") && !path.endsWith("/authz/settings"));
  const withinRealm = path.replace("/admin/realms/{realm}/", "/");
  if (method === "post")
    return (operation.requestBody !== undefined && operation.responses[201] !== undefined) || withinRealm.includes("}/");
  return path.endsWith("}") || withinRealm.includes("}/");
}

const answer = ({ responses }: Operation, status: string): Response | null => {
  const found = responses[status];
  return found && !isReference(found) ? found : null;
};

const hasQuery = ({ parameters = [] }: Operation, name: string): boolean =>
  parameters.some((parameter) => !isReference(parameter) && parameter.in === "query" && parameter.name === name);

function addHeaders(to: Response, names: Record<string, keyof typeof components.headers>): void {
  const added = Object.entries(names).map(([name, component]): [string, Schema] => [name, refer("headers", component)]);
  to.headers = { ...Object.fromEntries(added), ...to.headers };
}
