// The load generator of the broker rows. Sign-ins begin before the measurement. Only the request that ends in a session counts.
import { Pool, request } from "undici";
import { sliceOf } from "./slices.mjs";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const AUTHORIZE = new URLSearchParams({
  ...{ client_id: "web", redirect_uri: "https://app.example/cb", response_type: "code" },
  ...{ scope: "openid profile email", state: "s", nonce: "n" },
}).toString();

/** @typedef {{ origin: string, realm: string, users: number, password: string, provider: string }} BrokersTarget */
/** @typedef {import("undici").Dispatcher.RequestOptions & { user: string }} LastRequest */
/** @typedef {"password" | "callback" | "hanging"} Kind */

let begun = 0;
/** The cookie by which a browser is known, by user. */
const known = /** @type {Map<string, string>} */ (new Map());
/** @type {LastRequest[]} */
let stock = [];

/** Opens the sign-in page of an application in a browser, up to the last request. @param {Pool} pool @param {BrokersTarget} target @param {Kind} kind */
async function begin(pool, target, kind) {
  const n = begun++;
  const user = `${kind === "password" ? "user" : "subject"}-${n % target.users}`;
  const at = `/realms/${target.realm}`;
  const device = `gh__device_${target.realm}`;
  const cookies = new Map(known.has(user) ? [[device, known.get(user)]] : []);
  const headers = () => ({
    "x-forwarded-for": `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
  });
  const get = async (/** @type {string} */ path) => {
    const answer = await pool.request({ method: "GET", path, headers: headers() });
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { status: answer.statusCode, location: String(answer.headers.location ?? ""), text: await answer.body.text() };
  };
  let page = await get(`${at}/authorize?${AUTHORIZE}`);
  while (page.location) page = await get(page.location.slice(page.location.indexOf("/realms/")));
  const interaction = /name="interaction" value="([^"]+)"/.exec(page.text)?.[1];
  if (!interaction) throw new Error(`the sign-in page answered ${page.status}: ${page.text.slice(0, 300)}`);
  if (kind === "password") {
    const _csrf = decodeURIComponent(cookies.get("XSRF-TOKEN") ?? "");
    const form = { username: user, password: target.password, interaction, _csrf };
    const body = new URLSearchParams(form).toString();
    return { user, method: /** @type {const} */ ("POST"), path: `${at}/login`, headers: { ...headers(), ...FORM }, body };
  }
  const { location } = await get(`${at}/broker/bench/login?interaction=${interaction}`);
  const left = new URL(location).searchParams;
  const person = JSON.stringify({ sub: user, nonce: left.get("nonce"), hangs: kind === "hanging" });
  const { body } = await request(`${target.provider}/code`, { method: "POST", body: person });
  const { code } = /** @type {{ code: string }} */ (await body.json());
  const answer = new URLSearchParams({ state: left.get("state") ?? "", iss: target.provider, code });
  return { user, method: /** @type {const} */ ("GET"), path: `${at}/broker/bench/endpoint?${answer}`, headers: headers() };
}

/** @param {{ target: BrokersTarget, kind: Kind, count: number, connections: number }} task */
async function prepare({ target, kind, count, connections }) {
  const pool = new Pool(target.origin, { connections, pipelining: 1 });
  let left = count;
  const visitor = async () => {
    while (left-- > 0) stock.push(await begin(pool, target, kind));
  };
  try {
    await Promise.all(Array.from({ length: connections }, visitor));
    return { count: stock.length };
  } finally {
    await pool.destroy();
  }
}

/** Sends the last requests of the sign-ins. @param {{ target: BrokersTarget, connections: number }} task @returns {Promise<import("./load.mjs").Slice>} */
async function finish({ target, connections }) {
  const pool = new Pool(target.origin, { connections, pipelining: 1 });
  const device = new RegExp(`^gh__device_${target.realm}=([^;]+)`);
  /** @type {number[]} */
  const times = [];
  const began = performance.now();
  const visitor = async () => {
    for (let next = stock.pop(); next; next = stock.pop()) {
      const at = performance.now();
      const { statusCode, headers, body } = await pool.request(next);
      const text = await body.text();
      times.push(performance.now() - at);
      const set = [headers["set-cookie"] ?? []].flat();
      if (statusCode !== 303 || !set.some((line) => line.startsWith(`gh_${target.realm}=`)))
        throw new Error(`${next.method} ${next.path} answered ${statusCode}: ${text.slice(0, 500)}`);
      for (const line of set) {
        const token = device.exec(line)?.[1];
        if (token) known.set(next.user, token);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, visitor));
    return sliceOf(times, began);
  } finally {
    await pool.destroy();
  }
}

/** Sends the last requests of sign-ins at a provider that never answers, and does not wait. @param {{ target: BrokersTarget }} task */
async function hang({ target }) {
  const waiting = stock;
  stock = [];
  const pool = new Pool(target.origin, { connections: waiting.length, pipelining: 1 });
  const sent = waiting.map(async (request) => (await pool.request(request)).body.dump());
  void Promise.allSettled(sent).then(() => pool.destroy());
  // A request that is answered at once does not hang.
  const isAnswered = await Promise.race([Promise.any(sent).then(() => true), new Promise((late) => setTimeout(late, 300, false))]);
  if (isAnswered) throw new Error("a sign-in at a provider that never answers was answered");
  return { count: waiting.length };
}

process.on("message", (/** @type {any} */ task) => {
  ({ prepare, finish, hang })[/** @type {"hang"} */ (task.do)](task).then(
    (result) => process.send?.(result),
    (error) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.send?.({ ready: true });
