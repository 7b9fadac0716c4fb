import { createHash, randomBytes } from "node:crypto";
import type { Answer, Browser } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import type { RealmUnderTest } from "./realm.ts";

export const CALLBACK = "https://app.example/cb";

/** Returns the target of an answer: of a redirect, or of the page that replaces one on the way to another site. Returns null for a page to read. */
export function leadsTo({ status, headers }: Answer): string | null {
  if (status === 303 || status === 302) return String(headers.location);
  return /^0; url=(https?:.*)$/.exec(String(headers.refresh ?? ""))?.[1] ?? null;
}

/** Follows redirects within this server. `left` is the address at which they leave it. */
export async function walk(browser: Browser, baseUrl: string, from: string | Answer): Promise<{ page: Answer; left: URL | null }> {
  const path = (url: string) => (url.startsWith(`${baseUrl}/`) ? url.slice(baseUrl.length) : url);
  let page = typeof from === "string" ? await browser.get(path(from)) : from;
  for (let next = leadsTo(page); next !== null; next = leadsTo(page)) {
    const to = path(next);
    if (!to.startsWith("/")) return { page, left: new URL(to) };
    page = await browser.get(to);
  }
  return { page, left: null };
}

/** Returns the value of a hidden field. */
export const fieldOf = (page: Answer, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? "";

/** Submits the form that the page shows, with its hidden fields. */
export async function submit(browser: Browser, baseUrl: string, page: Answer, fields: Record<string, string>) {
  const action = /<form class="gh-form"[^>]* action="([^"]+)"/.exec(page.text)?.[1] ?? "";
  // There may be forms for other ways beside it.
  const form = /<form class="gh-form"[^>]*>([\s\S]*?)<\/form>/.exec(page.text)?.[1] ?? page.text;
  const hidden = Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, k, v]) => [k!, v!.replaceAll("&amp;", "&")]),
  );
  return walk(browser, baseUrl, await browser.request("POST", action, { form: { ...hidden, ...fields }, csrf: false }));
}

export interface Party {
  readonly clientId: string;
  readonly secret: string | null;
  /** The client's id in the admin API. */
  readonly id: string;
  url(params?: Record<string, string>): string;
  readonly verifier: string;
  /** Sends a POST to an endpoint of the realm, as this client. */
  post(path: string, form: Record<string, string>): Promise<Answer>;
  /** Signs a user in and exchanges the code for tokens. */
  signIn(browser: Browser, user: { username: string; password: string }, params?: Record<string, string>): Promise<Answer>;
  exchange(left: URL | null, params?: Record<string, string>): Promise<Answer>;
}

/** Makes a client of the realm, with functions for what it does. */
export async function relyingParty(iam: SharedHarness, realm: RealmUnderTest, members: Record<string, unknown> = {}): Promise<Party> {
  const { baseUrl } = iam.config;
  const issuer = `/realms/${realm.name}`;
  const made = await realm.asMaster().post("/clients", { clientId: "app", redirectUris: [CALLBACK], publicClient: true, ...members });
  if (made.status !== 201) throw new Error(`could not create a client: ${made.status} ${made.text}`);
  const { clientId, id, secret = null } = made.body;
  const verifier = randomBytes(32).toString("base64url");
  const party: Party = {
    clientId,
    id,
    secret,
    verifier,
    url: (params = {}) =>
      `${issuer}/authorize?${new URLSearchParams({
        client_id: clientId,
        redirect_uri: CALLBACK,
        response_type: "code",
        scope: "openid",
        state: "st",
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        ...params,
      })}`,
    post: (path, form) =>
      iam.browser().request("POST", `${issuer}${path}`, {
        form: { client_id: clientId, ...(secret !== null && { client_secret: secret }), ...form },
        csrf: false,
      }),
    async signIn(browser, user, params = {}) {
      const { page, left } = await walk(browser, baseUrl, party.url(params));
      const signedIn = left ?? (await submit(browser, baseUrl, page, { username: user.username, password: user.password })).left;
      return party.exchange(signedIn);
    },
    exchange: (left, params = {}) =>
      party.post("/token", {
        grant_type: "authorization_code",
        code: left?.searchParams.get("code") ?? "",
        redirect_uri: CALLBACK,
        code_verifier: verifier,
        ...params,
      }),
  };
  return party;
}
