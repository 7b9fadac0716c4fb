import type { Answer, Browser } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import type { AdminClient, RealmUnderTest } from "./realm.ts";

export const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
export const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** A provisioning client. Paths are relative to the realm's SCIM server. */
export interface ScimClient {
  readonly tokenId: string;
  readonly token: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, operations: readonly unknown[], headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export const enableScim = (realm: RealmUnderTest, enabled = true) => realm.asMaster().patch("/provisioning", { scim: { enabled } });

/** Makes a client with a new token that `maker` creates; the default is an administrator of `master`. */
export async function scimClient(
  iam: SharedHarness,
  realm: RealmUnderTest,
  options: Record<string, unknown> = {},
  maker: AdminClient = realm.asMaster(),
): Promise<ScimClient> {
  const enabled = await enableScim(realm);
  if (enabled.status !== 200) throw new Error(`could not enable SCIM: ${enabled.status} ${enabled.text}`);
  const made = await maker.post("/provisioning/scim-tokens", { name: "entra", ...options });
  if (made.status !== 201) throw new Error(`could not create a SCIM token: ${made.status} ${made.text}`);
  return { tokenId: made.body.id, ...scimCalls(iam.browser(), realm.name, made.body.token) };
}

export function scimCalls(browser: Browser, realm: string, token: string): Omit<ScimClient, "tokenId"> {
  const send: ScimClient["send"] = (method, path, body, headers = {}) =>
    browser.request(method, `/realms/${realm}/scim/v2${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  return {
    token,
    send,
    get: (path, headers) => send("GET", path, undefined, headers),
    post: (path, body, headers) => send("POST", path, body, headers),
    put: (path, body, headers) => send("PUT", path, body, headers),
    patch: (path, operations, headers) => send("PATCH", path, { schemas: [PATCH], Operations: operations }, headers),
    delete: (path, headers) => send("DELETE", path, undefined, headers),
  };
}

/** Returns the filter as a query: `users?${filter('userName eq "ada"')}`. */
export const filter = (text: string): string => `filter=${encodeURIComponent(text)}`;
