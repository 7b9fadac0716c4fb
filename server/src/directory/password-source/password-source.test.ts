import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type Receiver, receiver } from "../../testing/receiver.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
let old: Receiver;
beforeAll(async () => {
  iam = await sharedHarness({ GATEHOUSE_MODE: "development" });
  old = await receiver();
});
afterEach(() => clock.reset());
afterAll(async () => {
  await old?.close();
  await iam?.close();
});

const SECRET = "a secret for questions".replaceAll(" ", "-");
const known: Readonly<Record<string, { password: string; user?: object }>> = {
  ada: { password: "old-password-of-ada" },
  "new@old.example": {
    password: "old-password-of-new",
    user: {
      username: "newcomer",
      email: "new@old.example",
      emailVerified: true,
      userId: "22222222-2222-4222-8222-222222222222",
      attributes: { firstName: "New" },
      roles: ["admin"],
    },
  },
  admin2: { password: "old-password-of-admin2" },
};

async function moved() {
  const realm = await iam.realm();
  const admin = await realm.admin();
  old.received.length = 0;
  old.answer = ({ body }, response) => {
    const user = known[body.username];
    const status = body.type === "probe" ? 200 : user === undefined ? 404 : user.password === body.password ? 200 : 401;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ user: user?.user ?? {} }));
  };
  const set = await admin.put("/password-source", { url: `${old.url}/check`, secret: SECRET });
  expect(set.status, set.text).toBe(200);
  expect(set.body).toEqual({ url: `${old.url}/check`, enabled: true, secretSet: true });
  const signIn = async (username: string, password: string) => (await iam.browser().trySignIn(realm.name, username, password)).status;
  return { realm, admin, signIn, asked: () => old.received.map(({ body }) => body.username ?? body.type) };
}

test("is asked for users who were imported without a password, signed; the first right answer is kept, and it is not asked again", async () => {
  const { realm, admin, signIn, asked } = await moved();
  const imported = await admin.post("/users/import", [{ username: "ada" }, { username: "admin2", roles: ["admin"] }]);
  expect(imported.body.created).toBe(2);
  expect(await signIn("ada", "wrong")).toBe(401);
  expect(await signIn("ada", "old-password-of-ada")).toBe(303);
  const { headers, raw, body } = old.received.at(-1)!;
  expect(body).toEqual({ type: "password", realm: realm.name, username: "ada", password: "old-password-of-ada" });
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`;
  expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", SECRET).update(signed).update(raw).digest("base64")}`);
  expect(asked()).toEqual(["ada", "ada"]);
  old.answer = (_request, response) => void response.writeHead(500).end();
  expect(await signIn("ada", "old-password-of-ada"), "by a hash of our own").toBe(303);
  expect(asked()).toHaveLength(2);
  // A password that is taken away later does not come back from there.
  const [{ userId }] = (await admin.get("/users?search=ada")).body;
  const [password] = (await admin.get(`/users/${userId}/credentials`)).body;
  const removed = await admin.delete(`/users/${userId}/credentials/password/${password.credentialId ?? password.id}`);
  expect(removed.status, removed.text).toBe(204);
  expect(await signIn("ada", "old-password-of-ada")).not.toBe(303);
  expect(asked().filter((name) => name === "ada")).toHaveLength(2);
});

test("is never asked for holders of permissions, for users who were made here, or with a password of theirs", async () => {
  const { realm, admin, signIn, asked } = await moved();
  await admin.post("/users/import", [{ username: "admin2", roles: ["admin"] }]);
  await admin.post("/users/import", [{ username: "ada" }]);
  const [{ userId }] = (await admin.get("/users?search=ada")).body;
  const set = await admin.put(`/users/${userId}/password`, { newPassword: "a password that an administrator set" });
  expect(set.status, set.text).toBeLessThan(300);
  await admin.post("/users", { username: "new@old.example" });
  const user = await realm.user();
  for (const [name, password] of [
    ["admin2", "old-password-of-admin2"],
    ["ada", "old-password-of-ada"],
    ["new@old.example", "old-password-of-new"],
    [user.username, "wrong-password-of-a-local-user"],
  ] as const)
    expect(await signIn(name, password), name).toBe(401);
  // Each is answered as a name that no user has: with a question without name and password.
  expect(asked()).toEqual(["probe", "probe", "probe", "probe"]);
  expect(JSON.stringify(old.received.map(({ body }) => body))).not.toContain("local-user");
});

test("makes the user whose name is not here, with what it says of them, and no role but the default", async () => {
  const { realm, admin, signIn } = await moved();
  expect(await signIn("new@old.example", "wrong")).toBe(401);
  expect(await signIn("nobody", "whatever-it-is")).toBe(401);
  expect((await admin.get("/users?search=new")).body).toEqual([]);
  const party = await relyingParty(iam, realm, { clientId: "shop", grantTypes: ["password"] });
  const ask = () =>
    party.post("/token", { grant_type: "password", scope: "openid", username: "new@old.example", password: "old-password-of-new" });
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await admin.get("/users/22222222-2222-4222-8222-222222222222")).body).toMatchObject({
    ...{ username: "newcomer", email: "new@old.example", emailVerified: true, attributes: { firstName: "New" }, roles: ["user"] },
  });
});

test("that cannot be reached is a 503 and no attempt, alike for every name; only realm-admin configures it, with https and a secret", async () => {
  const { realm, admin, signIn } = await moved();
  await admin.post("/users/import", [{ username: "ada" }]);
  const user = await realm.user();
  for (const answer of [500, 302, 200]) {
    old.answer = (_request, response) => void response.writeHead(answer).end("<html>");
    expect([await signIn("ada", "old-password-of-ada"), await signIn("nobody", "x")], String(answer)).toEqual([503, 503]);
  }
  expect(await signIn(user.username, "wrong"), "not told apart from the others").toBe(503);
  expect(await signIn(user.username, user.password)).toBe(303);
  const counters = await iam.core.db.selectFrom("login_attempts").select("failures").where("realm_id", "=", realm.name).execute();
  expect(counters.filter(({ failures }) => failures > 1)).toEqual([]);
  const other = await admin.put("/password-source", { url: "https://elsewhere.example/check" });
  expect([other.status, other.body.errors[0].field]).toEqual([400, "secret"]);
  for (const url of ["http://old.example/check", "ftp://x", "https://169.254.169.254/"])
    expect((await admin.put("/password-source", { url, secret: SECRET })).body.errors?.[0].field, url).toBe("url");
  expect((await (await realm.as("manage-realm", "manage-users")).put("/password-source", { url: null })).status).toBe(403);
  expect((await admin.put("/password-source", { url: null })).body).toEqual({ url: null, enabled: false, secretSet: false });
  expect(await signIn("nobody", "x")).toBe(401);
});
