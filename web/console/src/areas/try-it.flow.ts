import type { components } from "@gatehouse/api";
import type { RealmApi } from "../app/api.ts";

type Client = components["schemas"]["Client"];

/** The client of this page. It is public, and may address no API, in particular not the admin API. */
export const CLIENT_ID = "gatehouse-try-it";
export const CALLBACK = "/console/try-it/callback";

/** Finds the client, or creates it. */
export async function tryItClient(api: RealmApi): Promise<Client> {
  const { items } = await api.list<Client>("/clients", { query: { search: CLIENT_ID, size: 50 } });
  const known = items.find(({ clientId }) => clientId === CLIENT_ID);
  if (known) return known;
  const body = {
    clientId: CLIENT_ID,
    name: "Try it (console)",
    description: "Made by the console in development mode. Delete it at any time.",
    publicClient: true,
    grantTypes: ["authorization_code"],
    redirectUris: [location.origin + CALLBACK],
    // The page requests the tokens itself, so the client needs CORS.
    webOrigins: ["+"],
    requirePkce: true,
  };
  return (await api.send<Client>("POST", "/clients", { body })).data;
}

export interface Attempt {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** Prepares an authorization request: code with PKCE (RFC 7636). */
export async function prepare(realm: string, scope: string, prompt: boolean): Promise<Attempt> {
  const [state, verifier, nonce] = [random(), random(), random()];
  const challenge = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
  const query = new URLSearchParams({
    response_type: "code",
    client_id: CLIENT_ID,
    redirect_uri: location.origin + CALLBACK,
    scope,
    state,
    nonce,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...(prompt && { prompt: "login" }),
  });
  return { url: `${location.origin}/realms/${encodeURIComponent(realm)}/authorize?${query}`, state, verifier };
}

/** Waits for the server's answer, which the page at CALLBACK sends from the other window. */
export function answerOf(attempt: Attempt, signal: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CHANNEL);
    signal.addEventListener("abort", () => {
      channel.close();
      reject(new Error("It was given up"));
    });
    channel.onmessage = ({ data }) => {
      const answer = new URLSearchParams(String(data));
      if (answer.get("state") !== attempt.state) return;
      channel.close();
      resolve(answer);
    };
  });
}

export const CHANNEL = "gatehouse.try-it";

export interface Tokens {
  readonly access_token: string;
  readonly id_token?: string;
  readonly [member: string]: unknown;
}

async function json<T>(response: Response): Promise<T> {
  const body = (await response.json()) as T & { error?: string; error_description?: string };
  if (!response.ok) throw new Error(body.error_description ?? body.error ?? `The server answered ${response.status}`);
  return body;
}

export async function redeem(realm: string, code: string, verifier: string): Promise<Tokens> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: CLIENT_ID,
    code,
    redirect_uri: location.origin + CALLBACK,
    code_verifier: verifier,
  });
  return json(await fetch(`/realms/${encodeURIComponent(realm)}/token`, { method: "POST", body, credentials: "omit" }));
}

export async function userinfo(realm: string, token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  return json(await fetch(`/realms/${encodeURIComponent(realm)}/userinfo`, { headers, credentials: "omit" }));
}

/** Decodes the header and payload of a JWT for reading. */
export function decoded(jwt: string): { header: unknown; payload: unknown } {
  const [header, payload] = jwt.split(".").map((part) => {
    const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    try {
      return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
    } catch {
      return null;
    }
  });
  return { header, payload };
}
