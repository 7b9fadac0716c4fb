// The load generator of the token rows. It is like load.mjs, for requests that depend on the responses to others.
import { Pool } from "undici";
import { sliceOf } from "./slices.mjs";

/** @typedef {{ origin: string, cookie?: string, secret: string, realm?: string, realms?: string[], accessToken?: string, accessTokens?: string[], webSecret?: string, refreshTokens?: string[] }} TokensTarget */
/** @typedef {{ method: "GET" | "POST", path: string, headers?: Record<string, string>, body?: string }} Request */

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const REDIRECT = "https://app.example/cb";
const basic = (/** @type {string} */ id, /** @type {string} */ secret) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
const inTurn = (/** @type {TokensTarget} */ { realms, realm }, /** @type {number} */ n) => realms?.[n % realms.length] ?? realm ?? "";
const form = (/** @type {Record<string, string>} */ values) => new URLSearchParams(values).toString();
const CLIENT_CREDENTIALS = form({ grant_type: "client_credentials" });

/** The state that later requests take from responses: the newest refresh token of each chain, and codes to be exchanged. */
const chains = /** @type {Map<string, string>} */ (new Map());
/** @type {string[]} */
let codes = [];

/** @typedef {{ request: (target: TokensTarget, n: number, lane: number) => Request | null, expect?: number, answered?: (target: TokensTarget, lane: number, body: string) => void }} Kind */
const machine = (/** @type {string} */ client) => ({
  request: (/** @type {TokensTarget} */ target, /** @type {number} */ n) => ({
    method: /** @type {const} */ ("POST"),
    path: `/realms/${inTurn(target, n)}/token`,
    headers: { ...FORM, authorization: basic(client, target.secret) },
    body: CLIENT_CREDENTIALS,
  }),
});
const published = (/** @type {string} */ path) => ({
  request: (/** @type {TokensTarget} */ target, /** @type {number} */ n) => ({
    method: /** @type {const} */ ("GET"),
    path: `/realms/${inTurn(target, n)}/${path}`,
  }),
});
const chainOf = (/** @type {TokensTarget} */ { origin }, /** @type {number} */ lane) => `${origin} ${lane}`;

/** @type {Record<string, Kind>} */
const kinds = {
  "machine-rs256": machine("machine"),
  "machine-es256": machine("machine-es256"),
  "machine-agent": machine("agent"),
  // Its secret is the workload's token, which is valid until it expires.
  workload: {
    request: ({ realm, secret }) => ({
      method: "POST",
      path: `/realms/${realm}/workload-identity/token`,
      headers: FORM,
      body: form({
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        subject_token: secret,
      }),
    }),
  },
  "bare-machine": {
    request: ({ secret }) => ({
      method: "POST",
      path: "/token",
      headers: { ...FORM, authorization: basic("machine", secret) },
      body: form({ grant_type: "client_credentials", scope: "read" }),
    }),
  },
  refresh: {
    request: (target, _n, lane) => ({
      method: "POST",
      path: `/realms/${target.realm}/token`,
      headers: { ...FORM, authorization: basic("web", target.secret) },
      body: form({ grant_type: "refresh_token", refresh_token: chains.get(chainOf(target, lane)) ?? target.refreshTokens?.[lane] ?? "" }),
    }),
    answered: (target, lane, body) => void chains.set(chainOf(target, lane), JSON.parse(body).refresh_token),
  },
  code: {
    request: (target) => {
      const code = codes.pop();
      return code === undefined
        ? null
        : {
            method: "POST",
            path: `/realms/${target.realm}/token`,
            headers: { ...FORM, authorization: basic("web", target.secret) },
            body: form({ grant_type: "authorization_code", code, redirect_uri: REDIRECT }),
          };
    },
  },
  userinfo: {
    request: ({ realm, accessTokens = [] }, n) => ({
      method: "GET",
      path: `/realms/${realm}/userinfo`,
      headers: { authorization: `Bearer ${accessTokens[n % accessTokens.length]}` },
    }),
  },
  "bare-userinfo": { request: ({ accessToken }) => ({ method: "GET", path: "/me", headers: { authorization: `Bearer ${accessToken}` } }) },
  introspection: {
    request: ({ realm, secret, webSecret = secret, accessTokens = [] }, n) => ({
      method: "POST",
      path: `/realms/${realm}/introspect`,
      headers: { ...FORM, authorization: basic("web", webSecret) },
      body: form({ token: accessTokens[n % accessTokens.length] ?? "" }),
    }),
  },
  "bare-introspection": {
    request: ({ secret, accessToken }) => ({
      method: "POST",
      path: "/token/introspection",
      headers: { ...FORM, authorization: basic("web", secret) },
      body: form({ token: accessToken ?? "" }),
    }),
  },
  discovery: published(".well-known/openid-configuration"),
  jwks: published("jwks"),
  empty: { request: () => ({ method: "GET", path: "/" }) },
  // The requests of a busy server that do not depend on each other.
  mixed: {
    request: (target, n, lane) =>
      /** @type {Kind} */ (kinds[["machine-rs256", "userinfo", "machine-rs256", "introspection"][n % 4] ?? ""]).request(target, n, lane),
  },
};

let sent = 0;

/** @param {{ kind: string, target: TokensTarget, seconds: number, connections: number, count?: number }} task @returns {Promise<import("./load.mjs").Slice>} */
async function slice({ kind: name, target, seconds, connections, count = Number.POSITIVE_INFINITY }) {
  const kind = kinds[name];
  if (!kind) throw new Error(`There is no request called ${name}`);
  const pool = new Pool(target.origin, { connections, pipelining: 1 });
  /** @type {number[]} */
  const latencies = [];
  let begun = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  const visitor = async (/** @type {unknown} */ _, /** @type {number} */ lane) => {
    while (performance.now() < until && begun++ < count) {
      const request = kind.request(target, sent++, lane);
      if (!request) return;
      const at = performance.now();
      const { statusCode, body } = await pool.request(request);
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${name}: ${request.method} ${request.path} answered ${statusCode}: ${text.slice(0, 500)}`);
      latencies.push(performance.now() - at);
      kind.answered?.(target, lane, text);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, visitor));
    return sliceOf(latencies, began);
  } finally {
    await pool.destroy();
  }
}

/** Requests codes for a user who is signed in. @param {{ target: TokensTarget, codes: number, connections: number }} task */
async function askForCodes({ target, codes: count, connections }) {
  codes = [];
  const pool = new Pool(target.origin, { connections, pipelining: 1 });
  const query = form({
    client_id: "web",
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: "openid profile email",
    state: "s",
    nonce: "n",
  });
  const visitor = async () => {
    while (codes.length < count) {
      const { statusCode, headers, body } = await pool.request({
        method: "GET",
        path: `/realms/${target.realm}/authorize?${query}`,
        headers: { cookie: target.cookie ?? "" },
      });
      const text = await body.text();
      const code = new URL(String(headers.location), target.origin).searchParams.get("code");
      if (!code) throw new Error(`authorize answered ${statusCode} to ${headers.location}: ${text.slice(0, 500)}`);
      codes.push(code);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, visitor));
    return { codes: codes.length };
  } finally {
    await pool.destroy();
  }
}

process.on("message", (/** @type {any} */ task) => {
  ("codes" in task ? askForCodes(task) : slice(task)).then(
    (result) => process.send?.(result),
    (error) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.send?.({ ready: true });
