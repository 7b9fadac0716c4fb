import { clock } from "../kernel/clock.ts";
import type { App } from "../platform/http/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  readonly body: Json;
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly form?: Record<string, string>;
  readonly headers?: Record<string, string>;
  /** True to send the CSRF header on writes, as our own pages do. */
  readonly csrf?: boolean;
}

let addresses = 0;

/** A browser as the server sees it. It keeps cookies and, on writes, sends the CSRF token back in the header. */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** The time of the last successful `signIn`. */
  signedInAt = 0;
  readonly #app: App;
  readonly #address: string;

  constructor(app: App, address = `203.0.113.${(addresses++ % 250) + 1}`) {
    this.#app = app;
    this.#address = address;
  }

  async request(method: string, url: string, options: RequestOptions = {}): Promise<Answer> {
    const isWrite = !["GET", "HEAD", "OPTIONS"].includes(method);
    const csrf = this.cookies.get("XSRF-TOKEN");
    const response = await this.#app.inject({
      method: method as "GET",
      url,
      headers: {
        "x-forwarded-for": this.#address,
        ...(this.cookies.size > 0 && { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") }),
        ...(isWrite && csrf && options.csrf !== false && { "x-xsrf-token": csrf }),
        ...(options.form && { "content-type": "application/x-www-form-urlencoded" }),
        ...options.headers,
      },
      ...(options.form && { payload: new URLSearchParams(options.form).toString() }),
      ...(options.body !== undefined && { payload: options.body as object }),
    });
    for (const { name, value, maxAge } of response.cookies)
      maxAge === 0 || value === "" ? this.cookies.delete(name) : this.cookies.set(name, value);
    const type = String(response.headers["content-type"] ?? "");
    return {
      status: response.statusCode,
      headers: response.headers as Answer["headers"],
      text: response.body,
      body: type.includes("json") && response.body !== "" ? response.json() : null,
    };
  }

  get = (url: string, options?: RequestOptions) => this.request("GET", url, options);
  post = (url: string, body?: unknown, options?: RequestOptions) => this.request("POST", url, { body, ...options });
  put = (url: string, body?: unknown, options?: RequestOptions) => this.request("PUT", url, { body, ...options });
  patch = (url: string, body?: unknown, options?: RequestOptions) => this.request("PATCH", url, { body, ...options });
  delete = (url: string, options?: RequestOptions) => this.request("DELETE", url, options);

  /** Returns the same browser for requests to another node. */
  elsewhere(app: App): Browser {
    const browser = new Browser(app, this.#address);
    for (const [name, value] of this.cookies) browser.cookies.set(name, value);
    return browser;
  }

  /** Opens the page, fills in the form and submits it. */
  async trySignIn(realm: string, username: string, password: string, more: Record<string, string> = {}): Promise<Answer> {
    await this.get(`/realms/${realm}/login`);
    const form = { username, password, _csrf: this.cookies.get("XSRF-TOKEN") ?? "", ...more };
    return this.request("POST", `/realms/${realm}/login`, { form, csrf: false });
  }

  async signIn(realm: string, username: string, password: string): Promise<void> {
    const answer = await this.trySignIn(realm, username, password);
    if (answer.status !== 303) throw new Error(`${username} could not sign in to ${realm}: ${answer.status} ${answer.text}`);
    this.signedInAt = clock.now();
  }
}
