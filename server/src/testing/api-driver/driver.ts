import { newId } from "../../kernel/ids.ts";
import {
  isReference,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  type Schema,
} from "../../operations/api-docs/index.ts";
import type { Answer, Browser, RequestOptions } from "../browser.ts";
import { declarations } from "./declared.ts";
import { AWKWARD_TEXT, seededRandom } from "./random.ts";
import { valuesOf } from "./values.ts";

export interface DrivenOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface Driver {
  readonly operations: readonly DrivenOperation[];
  /** The number of requests that were sent. */
  readonly sent: number;
  /** Operations that succeeded at least once. */
  readonly succeeded: ReadonlySet<string>;
  /** Every way in which an answer differed from its declaration, once. */
  readonly faults: readonly string[];
  /** Registers an existing value, which may then be used for a member of that name, or for a path parameter. */
  learn(member: string, value: unknown): void;
  /** Forgets every other value of the member. */
  knowOnly(member: string, value: unknown): void;
  /** Sends requests of many kinds to an operation, good and bad. */
  drive(driven: DrivenOperation, callers: Callers): Promise<void>;
}

export interface Callers {
  readonly browser: Browser;
  readonly anonymous: Browser;
  readonly realm: string;
}

interface Attempt extends RequestOptions {
  readonly what: string;
  readonly by?: Browser;
  readonly url?: string;
  readonly path?: Record<string, string>;
  readonly query?: Record<string, string>;
}

/** Other names that answers use for ids of the path. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  orgId: ["organizationId"],
  roleName: ["name"],
  webhookId: ["id"],
  clientInternalId: ["id"],
};
/** The body is bytes, because a text would be encoded for every request. */
const OVERSIZE = Buffer.from(JSON.stringify({ name: "x".repeat(11 * 1024 * 1024) }));
const FORM = "application/x-www-form-urlencoded";
const MAX_KNOWN = 12;

export function createDriver(api: OpenApiDocument, seed: number): Driver {
  const random = seededRandom(seed);
  const pool = new Map<string, unknown[]>();
  const known = (member: string): readonly unknown[] => pool.get(member) ?? [];
  const values = valuesOf({ random, schemas: api.components.schemas, known });
  const faultOf = declarations(api);
  const faults = new Set<string>();
  const succeeded = new Set<string>();
  let sent = 0;

  const learn = (member: string, value: unknown) => {
    const before = pool.get(member) ?? [];
    if (!before.includes(value)) pool.set(member, [value, ...before].slice(0, MAX_KNOWN));
  };
  const learnFrom = (value: unknown, depth = 0): void => {
    if (typeof value !== "object" || value === null || depth > 3) return;
    for (const [member, held] of Object.entries(value).slice(0, 30)) {
      if (typeof held === "string" && held.length < 200 && !Array.isArray(value)) learn(member, held);
      else learnFrom(held, depth + 1);
    }
  };

  const parametersOf = ({ parameters = [] }: Operation, where: string): Parameter[] =>
    parameters.filter((parameter): parameter is Parameter => !isReference(parameter) && parameter.in === where);

  /** The last known addresses of records, by path: `/admin/realms/{realm}/users/{userId}` and the addresses of users. */
  const places = new Map<string, string[]>();
  const learnPlace = (path: string, url: string) => {
    const [names, parts] = [path.split("/"), url.split("?", 1)[0]!.split("/")];
    for (const [at, name] of names.entries()) {
      if (!/^\{(?!realm\})/.test(name)) continue;
      const [template, place] = [names.slice(0, at + 1).join("/"), parts.slice(0, at + 1).join("/")];
      places.set(template, [place, ...(places.get(template) ?? []).filter((other) => other !== place)].slice(0, MAX_KNOWN));
    }
  };

  const idFor = (name: string): string => {
    const ids = [name, ...(CALLED[name] ?? [])].map(known).find((each) => each.length > 0);
    return ids ? String(random.pick(ids)) : newId();
  };

  /** Returns an address for a path, with records that exist as far as the driver knows. */
  const placeOf = (path: string, realm: string): string => {
    const names = path.split("/");
    for (let length = names.length; length > 0; length--) {
      const template = names.slice(0, length).join("/");
      const known = (places.get(template) ?? []).filter((place) => place.includes(`/realms/${realm}/`));
      if (known.length === 0 || random.chance(0.1)) continue;
      return [random.pick(known), ...names.slice(length).map((name) => fill(name, realm))].join("/");
    }
    return names.map((name) => fill(name, realm)).join("/");
  };
  const fill = (part: string, realm: string): string =>
    part.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(name === "realm" ? realm : idFor(name)));

  const urlOf = ({ path, operation }: DrivenOperation, realm: string, attempt: Attempt): string => {
    const given = attempt.path ?? {};
    const known = Object.keys(given).length > 0 ? fill(replaced(path, given), realm) : placeOf(path, realm);
    const query = { ...neededQuery(operation), ...attempt.query };
    return Object.keys(query).length > 0 ? `${known}?${new URLSearchParams(query)}` : known;
  };
  const neededQuery = (operation: Operation): Record<string, string> =>
    Object.fromEntries(
      parametersOf(operation, "query")
        .filter(({ required }) => required === true || random.chance(0.15))
        .map(({ name, schema }) => [name, String(values.fitting(schema, name))]),
    );

  async function send(driven: DrivenOperation, { browser, realm }: Callers, attempt: Attempt): Promise<Answer> {
    const by = attempt.by ?? browser;
    const url = attempt.url ?? urlOf(driven, realm, attempt);
    const answer = await by.request(driven.method.toUpperCase(), url, attempt);
    sent += 1;
    const fault = faultOf(driven.operation, answer);
    if (fault) faults.add(`${driven.name} (${attempt.what}): ${fault}`);
    if (answer.status < 400) succeeded.add(driven.name);
    if (answer.status < 300) {
      learnFrom(answer.body);
      if (driven.method !== "delete") learnPlace(driven.path, url);
    }
    if (answer.status === 201 && driven.path.startsWith("/admin/")) await followLocation(driven, by, answer);
    return answer;
  }

  /** Checks that the caller that created a record finds it at the address in the answer. */
  async function followLocation({ name }: DrivenOperation, by: Browser, { headers: { location } }: Answer): Promise<void> {
    const template = Object.keys(api.paths).find((path) => api.paths[path]!.get && matches(path, String(location)));
    const status = template && (await by.get(String(location))).status;
    if (template) learnPlace(template, String(location));
    if (status !== 200) faults.add(`${name}: its Location, ${template ?? location}, answers ${status ?? "no GET"}`);
  }

  /** Returns a body in the form that the operation reads. */
  const bodyOf = ({ requestBody }: Operation, { browser }: Callers, make: (schema: Schema) => unknown): RequestOptions => {
    const types = Object.entries(requestBody?.content ?? {});
    if (types.length === 0) return {};
    const [type, { schema, example }] = random.pick(types);
    // A named schema already contains its example.
    const value = make(example === undefined ? schema : { ...schema, examples: [example] });
    if (type === FORM) return { form: { ...asForm(value), _csrf: browser.cookies.get("XSRF-TOKEN") ?? "" }, csrf: false };
    return { body: JSON.stringify(value) ?? "", headers: { "content-type": type } };
  };

  const some = <T>(count: number, of: readonly T[]): T[] => {
    const left = [...of];
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)[0]!);
  };

  function attemptsFor({ method, operation }: DrivenOperation, callers: Callers): Attempt[] {
    const fitting = () => bodyOf(operation, callers, values.fitting);
    const isWrite = method !== "get";
    const takesBody = operation.requestBody !== undefined;
    const ids = parametersOf(operation, "path").filter(({ name }) => name !== "realm");
    const inRealm = parametersOf(operation, "path").length > ids.length;
    const strange = (text: string) => Object.fromEntries(ids.map(({ name }) => [name, text]));
    const accept = (): Record<string, string> => random.pick([{}, { accept: "application/json" }, { accept: "text/html" }]);
    const type = (value: string) => ({ headers: { "content-type": value } });
    // One part of the server reads these for all operations, so each operation gets some of them.
    const common = [
      () => ({ what: "without session", by: callers.anonymous, ...fitting() }),
      ...(inRealm ? [() => ({ what: "unknown realm", path: { realm: "nowhere" }, ...fitting() })] : []),
      () => ({ what: "stale version", ...merged(fitting(), { headers: { "if-match": '"999999"', "if-none-match": '"999999"' } }) }),
      () => ({ what: "strange version", ...merged(fitting(), { headers: { "if-match": random.pick(["x", "*", 'W/"1"', ""]) } }) }),
      () => ({ what: "unknown query", query: { unheardOf: "1" }, ...fitting() }),
      ...(isWrite
        ? [
            () => ({ what: "wrong CSRF token", ...merged(fitting(), { headers: { "x-xsrf-token": "wrong" } }) }),
            () => ({ what: "no JSON", body: '{"a":', ...type("application/json") }),
            () => ({ what: "empty body", body: "", ...type("application/json") }),
            () => ({ what: "XML", body: "<a/>", ...type("application/xml") }),
            () => ({ what: "plain text", body: "a", ...type("text/plain") }),
            () => ({ what: "form", form: { a: "b" } }),
            () => ({ what: "deep JSON", body: "[".repeat(50_000), ...type("application/json") }),
          ]
        : []),
      ...(takesBody ? [() => ({ what: "oversize", body: OVERSIZE, ...type(Object.keys(operation.requestBody!.content)[0]!) })] : []),
    ];
    return [
      ...repeated(2, () => ({ what: "fitting", ...merged(fitting(), { headers: accept() }) })),
      ...(takesBody ? repeated(2, () => ({ what: "broken", ...bodyOf(operation, callers, values.broken) })) : []),
      ...(ids.length > 0
        ? [
            { what: "unknown id", path: strange(newId()), ...fitting() },
            { what: "strange id", path: strange(random.pick(AWKWARD_TEXT.slice(1, -1))), ...fitting() },
          ]
        : []),
      ...some(2, parametersOf(operation, "query")).map(({ name }) => ({
        what: `strange ${name}`,
        query: { [name]: random.pick(AWKWARD_TEXT.slice(0, -1)) },
        ...fitting(),
      })),
      ...some(isWrite ? 4 : 2, common).map((make) => make()),
    ];
  }

  /** Checks that a record can be written as it was read. */
  async function putBack(driven: DrivenOperation, callers: Callers): Promise<void> {
    const [schema] = Object.values(driven.operation.requestBody?.content ?? {}).map((content) => content.schema);
    if (!schema || !api.paths[driven.path]!.get) return;
    const url = placeOf(driven.path, callers.realm);
    const { status, body } = await callers.browser.get(url);
    const { properties = {} } = schema.$ref ? api.components.schemas[schema.$ref.split("/").at(-1)!]! : schema;
    if (status !== 200 || typeof body !== "object") return;
    const kept = Array.isArray(body) ? body : Object.fromEntries(Object.entries(body).filter(([name]) => name in properties));
    await send(driven, callers, { what: "as it was read", url, body: kept as object });
  }

  return {
    operations: Object.entries(api.paths).flatMap(([path, item]) =>
      operationsOf(item).map(([method, operation]) => ({ method, path, operation, name: `${method.toUpperCase()} ${path}` })),
    ),
    get sent() {
      return sent;
    },
    get faults() {
      return [...faults];
    },
    succeeded,
    learn,
    knowOnly: (member, value) => void pool.set(member, [value]),
    async drive(driven, callers) {
      if (driven.method === "put") await putBack(driven, callers);
      for (const attempt of attemptsFor(driven, callers)) await send(driven, callers, attempt);
    },
  };
}

const repeated = (times: number, make: () => Attempt): Attempt[] => Array.from({ length: times }, make);
const merged = (options: RequestOptions, more: { headers: Record<string, string> }): RequestOptions => ({
  ...options,
  headers: { ...options.headers, ...more.headers },
});
const replaced = (path: string, given: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (whole, name: string) => (given[name] === undefined ? whole : encodeURIComponent(given[name])));
const matches = (template: string, location: string): boolean =>
  new RegExp(`^${template.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`).test(location);
const asForm = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typeof value === "object" && value !== null ? value : { value }).map(([name, held]) => [
      name,
      typeof held === "string" ? held : (JSON.stringify(held) ?? ""),
    ]),
  );
