// The rows of the table: the request, the server, and the limit of the machine with which it is compared.

/**
 * The address and the data of requests. They are sent to the load generator as JSON.
 * @typedef {object} Target
 * @property {string} origin
 * @property {string} realm
 * @property {string} createRealm the realm of new users, so that the lists of `realm` do not change
 * @property {string[]} userIds
 * @property {string[]} logins the names of users with the password `password`
 * @property {string} password
 * @property {{ cookie: string, csrf: string }} admin the cookies of an administrator of `realm`
 * @property {{ cookie: string, csrf: string }} createAdmin the cookies of an administrator of `createRealm`
 * @property {{ cookie: string, csrf: string }} visitor a browser that has opened the login page
 */

/** @typedef {{ method: "GET" | "POST", path: string, headers?: Record<string, string>, body?: string }} Request */

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} title
 * @property {"limits" | "empty" | "read" | "product"} server
 * @property {string} [against] the row by whose CPU time its own is divided
 * @property {number} [target] the maximum of that ratio
 * @property {number} [expect] the status of every response
 * @property {(target: Target, n: number) => Request} [request]
 */

/** @param {string[]} list @param {number} n */
const inTurn = (list, n) => /** @type {string} */ (list[n % list.length]);
/** Returns an address of 10.0.0.0/8 for each request. @param {number} n */
const address = (n) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

/** Different in each run, so that names are new even in a database that was used before. */
const run = process.pid.toString(36);

export const rows = /** @type {const} @satisfies {readonly Row[]} */ ([
  { id: "rsa", title: "RSA-2048 signature", server: "limits" },
  { id: "argon2", title: "Argon2id hash (19 MiB, t=2)", server: "limits" },
  {
    id: "empty",
    title: "Fastify, empty answer",
    server: "empty",
    expect: 200,
    request: () => ({ method: "GET", path: "/" }),
  },
  {
    id: "read",
    title: "Fastify, primary-key read",
    server: "read",
    expect: 200,
    request: ({ realm, userIds }, n) => ({ method: "GET", path: `/realms/${realm}/users/${inTurn(userIds, n)}` }),
  },
  {
    id: "jwks",
    title: "JWKS",
    server: "product",
    against: "empty",
    expect: 200,
    request: ({ realm }) => ({ method: "GET", path: `/realms/${realm}/jwks` }),
  },
  {
    id: "login-page",
    title: "login page",
    server: "product",
    against: "empty",
    expect: 200,
    request: ({ realm, visitor }) => ({ method: "GET", path: `/realms/${realm}/login`, headers: { cookie: visitor.cookie } }),
  },
  {
    id: "login",
    title: "login",
    server: "product",
    against: "argon2",
    expect: 303,
    request: ({ realm, visitor, logins, password }, n) => ({
      method: "POST",
      path: `/realms/${realm}/login`,
      headers: { cookie: visitor.cookie, "content-type": "application/x-www-form-urlencoded", "x-forwarded-for": address(n) },
      body: new URLSearchParams({ username: inTurn(logins, n), password, _csrf: visitor.csrf }).toString(),
    }),
  },
  {
    id: "admin-read",
    title: "admin read (one user)",
    server: "product",
    against: "read",
    target: 2.5,
    expect: 200,
    request: ({ realm, admin, userIds }, n) => ({
      method: "GET",
      path: `/admin/realms/${realm}/users/${inTurn(userIds, n)}`,
      headers: { cookie: admin.cookie },
    }),
  },
  {
    id: "user-list",
    title: "user list (100 of 1,000)",
    server: "product",
    against: "read",
    expect: 200,
    request: ({ realm, admin }) => ({ method: "GET", path: `/admin/realms/${realm}/users?size=100`, headers: { cookie: admin.cookie } }),
  },
  {
    id: "user-create",
    title: "user create",
    server: "product",
    against: "read",
    expect: 201,
    request: ({ createRealm, createAdmin }, n) => ({
      method: "POST",
      path: `/admin/realms/${createRealm}/users`,
      headers: { cookie: createAdmin.cookie, "x-xsrf-token": createAdmin.csrf, "content-type": "application/json" },
      body: JSON.stringify({ username: `new-${run}-${n}`, email: `new-${run}-${n}@example.com`, attributes: { firstName: "New" } }),
    }),
  },
]);
