// Fills a server through its own API: two realms, with users to read and to sign in.
import { Pool } from "undici";
import { ADMIN_PASSWORD } from "./processes.mjs";

const PASSWORD = "bench-User-password-1";

/** @typedef {{ cookie: string, csrf: string }} Jar */

/** A minimal browser for the bench: it keeps cookies. */
export class Browser {
  /** @type {Map<string, string>} */
  #cookies = new Map();

  /** @param {Pool} pool */
  constructor(pool) {
    this.pool = pool;
  }

  /** @returns {Jar} */
  get jar() {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return { cookie, csrf: decodeURIComponent(this.#cookies.get("XSRF-TOKEN") ?? "") };
  }

  /**
   * @param {"GET" | "POST" | "PUT" | "DELETE"} method @param {string} path @param {number} expect
   * @param {{ json?: object, form?: Record<string, string> }} [body]
   */
  async send(method, path, expect, { json, form } = {}) {
    const { cookie, csrf } = this.jar;
    const answer = await this.pool.request({
      method,
      path,
      headers: {
        ...(cookie && { cookie }),
        ...(csrf && { "x-xsrf-token": csrf }),
        ...(json && { "content-type": "application/json" }),
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      },
      body: json ? JSON.stringify(json) : form ? new URLSearchParams({ ...form, _csrf: csrf }).toString() : null,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== expect) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 500)}`);
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    return text.startsWith("{") ? JSON.parse(text) : text;
  }

  /** @param {string} realm @param {string} username @param {string} [password] */
  async signIn(realm, username, password = ADMIN_PASSWORD) {
    await this.send("GET", `/realms/${realm}/login`, 200);
    await this.send("POST", `/realms/${realm}/login`, 303, { form: { username, password } });
  }
}

/**
 * @param {string} origin
 * @param {{ users: number, logins: number }} counts the number of users, of whom the first `logins` get a password
 * @returns {Promise<import("./rows.mjs").Target>}
 */
export async function seed(origin, { users, logins }) {
  const pool = new Pool(origin, { connections: 8 });
  try {
    const master = new Browser(pool);
    await master.signIn("master", "admin", ADMIN_PASSWORD);
    const [realm, createRealm] = ["bench", "bench-create"];
    const admins = [];
    for (const name of [realm, createRealm]) {
      await master.send("POST", "/admin/realms", 201, { json: { realm: name, adminPassword: ADMIN_PASSWORD } });
      const browser = new Browser(pool);
      await browser.signIn(name, "admin", ADMIN_PASSWORD);
      admins.push(browser);
    }
    const [admin, createAdmin] = /** @type {[Browser, Browser]} */ (admins);

    const names = Array.from({ length: users }, (_, i) => `user-${String(i).padStart(4, "0")}`);
    const userIds = await inParallel(names, async (username) => {
      const json = { username, email: `${username}@example.com`, attributes: { firstName: "Ada", lastName: "Bench" } };
      return /** @type {string} */ ((await admin.send("POST", `/admin/realms/${realm}/users`, 201, { json })).userId);
    });
    await inParallel(userIds.slice(0, logins), (userId) =>
      admin.send("PUT", `/admin/realms/${realm}/users/${userId}/password`, 204, { json: { newPassword: PASSWORD } }),
    );
    const visitor = new Browser(pool);
    await visitor.send("GET", `/realms/${realm}/login`, 200);
    return {
      origin,
      realm,
      createRealm,
      userIds,
      logins: names.slice(0, logins),
      password: PASSWORD,
      admin: admin.jar,
      createAdmin: createAdmin.jar,
      visitor: visitor.jar,
    };
  } finally {
    await pool.close();
  }
}

/**
 * @template T, R
 * @param {readonly T[]} items @param {(item: T) => Promise<R>} work
 * @returns {Promise<R[]>}
 */
export async function inParallel(items, work) {
  /** @type {R[]} */
  const results = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return results;
}
