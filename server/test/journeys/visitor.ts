import { request as send } from "node:http";

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Json;
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** A body that is sent unchanged. Its type is in `headers`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser as the server sees it: it keeps cookies, and sends the CSRF token back on writes. Each request has its own connection. */
export class Visitor {
  readonly url: string;
  readonly cookies: Map<string, string>;

  constructor(url: string, cookies = new Map<string, string>()) {
    this.url = url;
    this.cookies = cookies;
  }

  /** Returns the same browser, with the same cookies, for another node. */
  at(node: { readonly url: string }): Visitor {
    return new Visitor(node.url, this.cookies);
  }

  request(method: string, path: string, { body, form, text, headers }: RequestOptions = {}): Promise<Answer> {
    const csrf = this.cookies.get("XSRF-TOKEN");
    const payload = text ?? (form ? new URLSearchParams(form).toString() : body === undefined ? undefined : JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const outgoing = send(
        new URL(path, this.url),
        {
          method,
          agent: false,
          headers: {
            ...(this.cookies.size > 0 && { cookie: [...this.cookies].map((pair) => pair.join("=")).join("; ") }),
            ...(csrf !== undefined && method !== "GET" && { "x-xsrf-token": csrf }),
            ...(payload !== undefined && { "content-type": form ? "application/x-www-form-urlencoded" : "application/json" }),
            ...headers,
          },
        },
        (incoming) => {
          let received = "";
          incoming.setEncoding("utf8");
          incoming.on("data", (chunk) => {
            received += chunk;
          });
          incoming.on("error", reject);
          incoming.on("end", () => {
            this.#keep(incoming.headers["set-cookie"] ?? []);
            const isJson = String(incoming.headers["content-type"] ?? "").includes("json") && received !== "";
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text: received,
              body: isJson ? JSON.parse(received) : null,
            });
          });
        },
      );
      outgoing.on("error", reject);
      outgoing.end(payload);
    });
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name === undefined) continue;
      if (value === "" || /;\s*max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, decodeURIComponent(value!));
    }
  }

  get = (path: string, options?: RequestOptions) => this.request("GET", path, options);
  post = (path: string, body?: unknown, options?: RequestOptions) => this.request("POST", path, { body, ...options });
  put = (path: string, body?: unknown) => this.request("PUT", path, { body });
  patch = (path: string, body?: unknown) => this.request("PATCH", path, { body });
  delete = (path: string) => this.request("DELETE", path);

  /** Opens the sign-in page, fills in the form and submits it. */
  async trySignIn(realm: string, username: string, password: string, options: RequestOptions = {}): Promise<Answer> {
    const path = `/realms/${realm}/login`;
    await this.get(path, options);
    return this.request("POST", path, { ...options, form: { username, password, _csrf: this.cookies.get("XSRF-TOKEN") ?? "" } });
  }

  async signIn(realm: string, username: string, password: string): Promise<void> {
    must(await this.trySignIn(realm, username, password), 303);
  }
}

/** Returns the response's body if it has the expected status. Otherwise throws an error with the server's message. */
export function must(answer: Answer, status: number): Json {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer.body;
}
