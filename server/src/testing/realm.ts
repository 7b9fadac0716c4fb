import type { Server } from "../app.ts";
import type { Core } from "../core.ts";
import { clock, MINUTE } from "../kernel/clock.ts";
import type { Permission } from "../tenancy/permissions/index.ts";
import { type Answer, Browser, type RequestOptions } from "./browser.ts";

/** The password of users that fixtures make. */
export const PASSWORD = "a password for tests";
export const MASTER_PASSWORD = "master-password-for-tests";
/** The time after which clients sign in again. It is shorter than the one after which an administrator has to authenticate again. */
const FRESH = 9 * MINUTE;

/** Calls the admin API of one realm; paths are relative to it. */
export interface AdminClient {
  readonly browser: Browser;
  readonly username: string;
  readonly userId: string;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  put(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  patch(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  delete(path: string, options?: RequestOptions): Promise<Answer>;
}

export interface RealmUnderTest {
  readonly name: string;
  /** The password of the realm's seeded user `admin`. */
  readonly adminPassword: string;
  /** Signs in the realm's own `admin`. */
  admin(): Promise<AdminClient>;
  /** Makes and signs in a new user of the realm with exactly these permissions. */
  as(...permissions: Permission[]): Promise<AdminClient>;
  /** Returns a client of `admin` of the realm `master`. */
  asMaster(): AdminClient;
  /** Returns a client without a session. */
  anonymous(): AdminClient;
  /** Makes a user with a password and without admin permissions. */
  user(username?: string, password?: string): Promise<{ userId: string; username: string; password: string }>;
  /** Returns the realm's audit trail, newest first. `since` leaves out earlier events. */
  events(filter?: string): Promise<Answer["body"][]>;
}

/** Calls the admin API of a realm, and throws if it refuses. */
type Ask = (method: "post" | "put", path: string, body: unknown) => Promise<Answer["body"]>;

/** Makes a user with exactly these permissions, by a role of their own. Without permissions there is no role. */
export async function makeHolder(
  ask: Ask,
  username: string,
  permissions: readonly Permission[],
): Promise<{ userId: string; roleId: string | null }> {
  const user = { username, password: PASSWORD };
  if (permissions.length === 0) return { userId: (await ask("post", "/users", user)).userId, roleId: null };
  const name = `${username}-role`;
  const { roleId } = await ask("post", "/roles", { name });
  await ask("put", `/admin-roles/${roleId}`, { permissions });
  const { userId } = await ask("post", "/users", { ...user, roles: ["user", name] });
  return { userId, roleId };
}

let realms = 0;

interface Parts {
  readonly core: Pick<Core, "db">;
  readonly server: Pick<Server, "app">;
}

export async function realmUnderTest({ core, server: { app } }: Parts, master: Browser): Promise<RealmUnderTest> {
  const name = `r${clock.now().toString(36)}${realms++}`;
  const adminPassword = "the admin of this realm";
  const created = await master.post("/admin/realms", { realm: name, adminPassword });
  if (created.status !== 201) throw new Error(`could not create a realm: ${created.status} ${created.text}`);

  const client = (browser: Browser, username = "", userId = "", renew = async () => {}): AdminClient => {
    const at = (path: string) => `/admin/realms/${name}${path}`;
    return {
      browser,
      username,
      userId,
      get: (path, options) => browser.get(at(path), options),
      post: (path, body, options) => renew().then(() => browser.post(at(path), body, options)),
      put: (path, body, options) => renew().then(() => browser.put(at(path), body, options)),
      patch: (path, body, options) => renew().then(() => browser.patch(at(path), body, options)),
      delete: (path, options) => renew().then(() => browser.delete(at(path), options)),
    };
  };
  // Tests move the clock, but seldom to see how long ago the administrator signed in, so the client signs in again.
  const asMaster = client(master, "master/admin", "", async () => {
    if (clock.now() - master.signedInAt >= FRESH) await master.signIn("master", "admin", MASTER_PASSWORD);
  });
  let people = 0;
  let admin: AdminClient | undefined;

  const must = (answer: Answer, what: string) => {
    if (answer.status >= 300) throw new Error(`${what}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const makeUser = async (username: string, password: string, roles?: readonly string[]) => {
    const { userId } = must(await asMaster.post("/users", { username, password, ...(roles && { roles }) }), "creating a user");
    return { userId, username, password };
  };

  return {
    name,
    adminPassword,
    async admin() {
      if (!admin) {
        const browser = new Browser(app);
        await browser.signIn(name, "admin", adminPassword);
        const named = core.db.selectFrom("users").select("user_id").where("realm_id", "=", name).where("username", "=", "admin");
        admin = client(browser, "admin", (await named.executeTakeFirstOrThrow()).user_id);
      }
      return admin;
    },
    async as(...permissions) {
      const username = `holder${people++}`;
      const ask: Ask = async (method, path, body) => must(await asMaster[method](path, body), `${method} ${path}`);
      const { userId } = await makeHolder(ask, username, permissions);
      const browser = new Browser(app);
      await browser.signIn(name, username, PASSWORD);
      return client(browser, username, userId);
    },
    asMaster: () => asMaster,
    anonymous: () => client(new Browser(app)),
    user: (username = `user${people++}`, password = PASSWORD) => makeUser(username, password),
    events: async (filter = "") => must(await asMaster.get(`/events?size=500${filter && `&${filter}`}`), "reading events").items,
  };
}
