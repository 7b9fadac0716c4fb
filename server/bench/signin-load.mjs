// The load generator of the sign-in rows: whole sign-ins through the code flow, a flood of passwords, and a reader of JWKS.
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { sliceOf } from "./slices.mjs";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
export const REDIRECT = "https://app.example/cb";
const AUTHORIZE = new URLSearchParams({
  client_id: "web",
  redirect_uri: REDIRECT,
  response_type: "code",
  scope: "openid profile email",
  state: "s",
  nonce: "n",
}).toString();

/** @typedef {{ origin: string, realm: string, logins: string[], password: string, secret: string, visitor: { cookie: string, csrf: string } }} SignInTarget */

let sent = 0;
/** Returns an address for each visitor, so that the limits per address do not affect the figures. @param {number} n */
const address = (n) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
const loginOf = (/** @type {SignInTarget} */ { logins }, /** @type {number} */ n) => /** @type {string} */ (logins[n % logins.length]);

/** The cookie by which a browser is known, by login. People sign in with browsers that they have used before. */
const known = /** @type {Map<string, string>} */ (new Map());

/** Runs one sign-in in a browser, from the application's link to the application's tokens. @param {Pool} pool @param {SignInTarget} target @param {number} n */
async function signInOnce(pool, target, n) {
  const device = `gh__device_${target.realm}`;
  const knownAs = known.get(loginOf(target, n));
  /** @type {Map<string, string>} */
  const cookies = new Map(knownAs === undefined ? [] : [[device, knownAs]]);
  const from = address(n);
  const send = async (
    /** @type {"GET" | "POST"} */ method,
    /** @type {string} */ path,
    /** @type {Record<string, string>} */ form = {},
  ) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { "x-forwarded-for": from, ...(cookie && { cookie }), ...(method === "POST" && FORM) };
    const answer = await pool.request({ method, path, headers, body: method === "POST" ? new URLSearchParams(form).toString() : null });
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { status: answer.statusCode, text: await answer.body.text(), location: String(answer.headers.location ?? "") };
  };
  let answer = await send("GET", `/realms/${target.realm}/authorize?${AUTHORIZE}`);
  for (let step = 0; step < 10; step++) {
    if (answer.status === 200) {
      const interaction = /name="interaction" value="([^"]+)"/.exec(answer.text)?.[1] ?? "";
      const _csrf = decodeURIComponent(cookies.get("XSRF-TOKEN") ?? "");
      const form = { username: loginOf(target, n), password: target.password, interaction, _csrf };
      answer = await send("POST", `/realms/${target.realm}/login`, form);
    } else if (answer.location.startsWith(REDIRECT)) {
      known.set(loginOf(target, n), cookies.get(device) ?? "");
      const code = new URL(answer.location).searchParams.get("code") ?? "";
      const { statusCode, body } = await pool.request({
        method: "POST",
        path: `/realms/${target.realm}/token`,
        headers: { ...FORM, authorization: `Basic ${Buffer.from(`web:${target.secret}`).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: REDIRECT }).toString(),
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`token answered ${statusCode}: ${text.slice(0, 300)}`);
      return;
    } else if (answer.location) {
      const { pathname, search } = new URL(answer.location, target.origin);
      answer = await send("GET", pathname + search);
    } else throw new Error(`the sign-in answered ${answer.status}: ${answer.text.slice(0, 300)}`);
  }
  throw new Error("the sign-in never ended");
}

/** Keeps `connections` sign-ins in progress. @param {{ target: SignInTarget, seconds: number, connections: number }} task */
async function signIns({ target, seconds, connections }) {
  return whileTime(target.origin, { seconds, connections }, (pool) => signInOnce(pool, target, sent++));
}

/** Sends the requests of every application, one after the other. @param {{ origin: string, path: string, seconds: number }} task */
async function look({ origin, path, seconds }) {
  return whileTime(origin, { seconds, connections: 1 }, async (pool) => {
    const { statusCode, body } = await pool.request({ method: "GET", path });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
    await sleep(5);
  });
}

/** @param {string} origin @param {{ seconds: number, connections: number }} options @param {(pool: Pool) => Promise<void>} once */
async function whileTime(origin, { seconds, connections }, once) {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  /** @type {number[]} */
  const times = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  const visitor = async () => {
    while (performance.now() < until) {
      const at = performance.now();
      await once(pool);
      times.push(performance.now() - at);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, visitor));
    return sliceOf(times, began);
  } finally {
    await pool.destroy();
  }
}

/** Sends passwords at a fixed rate, whatever the responses. @param {{ target: SignInTarget, seconds: number, rate: number }} task */
async function flood({ target, seconds, rate }) {
  const pool = new Pool(target.origin, { connections: 256, pipelining: 1 });
  const answers = { signedIn: 0, busy: 0, busyWithoutRetryAfter: 0, other: 0 };
  /** @type {Promise<void>[]} */
  const underWay = [];
  const post = async () => {
    const n = sent++;
    const { statusCode, headers, body } = await pool.request({
      method: "POST",
      path: `/realms/${target.realm}/login`,
      headers: { ...FORM, cookie: target.visitor.cookie, "x-forwarded-for": address(n) },
      body: new URLSearchParams({ username: loginOf(target, n), password: target.password, _csrf: target.visitor.csrf }).toString(),
    });
    await body.dump();
    if (statusCode === 303) answers.signedIn++;
    else if (statusCode !== 503) answers.other++;
    else if (headers["retry-after"] === undefined) answers.busyWithoutRetryAfter++;
    else answers.busy++;
  };
  const began = performance.now();
  for (let n = 0; n < rate * seconds; n++) {
    const due = began + (n / rate) * 1000;
    const wait = due - performance.now();
    if (wait > 1) await sleep(wait);
    underWay.push(post());
  }
  try {
    await Promise.all(underWay);
    return { ...answers, seconds: (performance.now() - began) / 1000 };
  } finally {
    await pool.destroy();
  }
}

process.on("message", (/** @type {any} */ task) => {
  ({ signIns, look, flood })[/** @type {"look"} */ (task.do)](task).then(
    (result) => process.send?.(result),
    (error) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.send?.({ ready: true });
