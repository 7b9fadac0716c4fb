import createFetchClient, { type Client, type Middleware } from "openapi-fetch";
import { ApiProblem, problemOf } from "./problem.ts";
import type { paths } from "./schema.d.ts";

export interface ApiOptions {
  /** The server's address. In a browser the default is the page's own origin. */
  readonly baseUrl?: string;
  /** A bearer access token with the audience `{base_url}/admin`, or a function that returns one. Without it the browser's session is used. */
  readonly token?: string | (() => string | Promise<string>);
  /** Replaces the global fetch, for tests and proxies. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined | null>>;
  readonly body?: unknown;
  /** The media type of the body, if it is not JSON. The body is then sent unchanged. */
  readonly contentType?: string;
  /** Sends `If-Match`: the write is refused with 412 if the record has changed since. */
  readonly ifMatch?: string | null;
  /** Further headers, such as `Export-Passphrase`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Result<T> {
  readonly data: T;
  readonly etag: string | null;
  readonly response: Response;
}

export interface ListResult<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** True if `total` is an estimate. */
  readonly estimated: boolean;
  /** The cursor of the next page, or null at the end. */
  readonly next: string | null;
}

/** Calls for any path. The calls of openapi-fetch beside them (`GET`, `POST` …) are typed for each path. */
interface AnyPath {
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<Result<T>>;
  /** Returns one page of a list. */
  list<T>(path: string, options?: RequestOptions): Promise<ListResult<T>>;
  /** Yields every item of a list, page by page. */
  all<T>(path: string, options?: RequestOptions): AsyncGenerator<T>;
}

export type Api = Client<paths> & AnyPath;

const WRITES = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** Creates a client of the admin API. Every response that is not a success is thrown as an `ApiProblem`. */
export function createApi(options: ApiOptions = {}): Api {
  const baseUrl = (options.baseUrl ?? globalThis.location?.origin ?? "").replace(/\/$/, "");
  const send = options.fetch ?? ((request: Request) => globalThis.fetch(request));

  const authorize = async (request: Request): Promise<Request> => {
    if (options.token !== undefined) {
      const token = typeof options.token === "function" ? await options.token() : options.token;
      request.headers.set("authorization", `Bearer ${token}`);
    } else if (WRITES.has(request.method)) {
      request.headers.set("x-xsrf-token", csrfToken());
    }
    return request;
  };

  const middleware: Middleware = {
    onRequest: ({ request }) => authorize(request),
    onResponse: async ({ response }) => {
      if (!response.ok) throw await problemOf(response);
      return response;
    },
  };
  const client = createFetchClient<paths>({ baseUrl, fetch: send, credentials: "same-origin" });
  client.use(middleware);

  const fetchPath = async (
    method: string,
    path: string,
    { query, body, contentType, ifMatch, headers: further, signal }: RequestOptions = {},
  ) => {
    const url = new URL(baseUrl + path);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value === undefined || value === null || value === "") continue;
      for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
    }
    const headers = new Headers({ accept: "application/json", ...further });
    const sent = body !== undefined;
    if (sent) headers.set("content-type", contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json"));
    if (ifMatch) headers.set("if-match", ifMatch);
    const init: RequestInit = { method, headers, credentials: "same-origin" };
    if (sent) init.body = contentType === undefined ? JSON.stringify(body) : (body as BodyInit);
    if (signal) init.signal = signal;
    const response = await send(await authorize(new Request(url, init)));
    if (!response.ok) throw await problemOf(response);
    return response;
  };

  const request = async <T>(method: string, path: string, requestOptions?: RequestOptions): Promise<Result<T>> => {
    const response = await fetchPath(method, path, requestOptions);
    const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "");
    const data = (response.status === 204 ? undefined : isJson ? await response.json() : await response.text()) as T;
    return { data, etag: response.headers.get("etag"), response };
  };

  const list = async <T>(path: string, requestOptions?: RequestOptions): Promise<ListResult<T>> => {
    const { data, response } = await request<readonly T[]>("GET", path, requestOptions);
    if (!Array.isArray(data)) throw new ApiProblem({ status: response.status, title: "The server did not answer with a list" });
    return {
      items: data,
      total: Number(response.headers.get("x-total-count") ?? data.length),
      estimated: response.headers.get("x-total-estimated") === "true",
      next: nextCursor(response.headers.get("link")),
    };
  };

  async function* all<T>(path: string, requestOptions: RequestOptions = {}): AsyncGenerator<T> {
    let cursor: string | null = null;
    do {
      const query: RequestOptions["query"] = { size: 1000, ...requestOptions.query, ...(cursor && { cursor }) };
      const page: ListResult<T> = await list<T>(path, { ...requestOptions, query });
      yield* page.items;
      cursor = page.next;
    } while (cursor !== null);
  }

  return Object.assign(client, { request, list, all });
}

/** Returns the CSRF token of the session. The cookie changes with every sign-in, so it is read at each write. */
function csrfToken(): string {
  const cookie = globalThis.document?.cookie ?? "";
  const found = cookie.split("; ").find((pair) => pair.startsWith("XSRF-TOKEN="));
  return found ? decodeURIComponent(found.slice("XSRF-TOKEN=".length)) : "";
}

/** Returns the cursor of `Link: <…?cursor=…>; rel="next"` (RFC 8288), or null. */
function nextCursor(link: string | null): string | null {
  const target = /<([^>]*)>\s*;[^,]*rel="?next"?/.exec(link ?? "")?.[1];
  return target === undefined ? null : new URL(target, "http://local").searchParams.get("cursor");
}
