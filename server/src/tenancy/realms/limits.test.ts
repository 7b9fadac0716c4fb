import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

test("a realm's own limit of sign-ins per address counts from the next request, and for that realm alone", async () => {
  const [narrow, other] = [await iam.realm(), await iam.realm()];
  const post = async (realm: string, address: string) => {
    const answer = await new Browser(iam.server.app, address).request("POST", `/realms/${realm}/login`, { form: {}, csrf: false });
    return [answer.status, answer.headers["ratelimit-policy"]];
  };
  expect(await post(narrow.name, "192.0.2.7")).toEqual([403, '"signIns";q=600;w=60']);
  expect((await narrow.asMaster().put("/settings", { rateLimits: { signIns: 10 } })).status).toBe(200);
  for (let n = 0; n < 10; n++) expect(await post(narrow.name, "192.0.2.7")).toEqual([403, '"signIns";q=10;w=60']);
  expect((await post(narrow.name, "192.0.2.7"))[0]).toBe(429);
  expect((await post(narrow.name, "192.0.2.8"))[0]).toBe(403);
  expect(await post(other.name, "192.0.2.7")).toEqual([403, '"signIns";q=600;w=60']);
});

test("sign-ins that applications begin are limited by the realm, too", async () => {
  const realm = await iam.realm();
  expect((await realm.asMaster().put("/settings", { rateLimits: { authorizations: 10 } })).status).toBe(200);
  const party = await relyingParty(iam, realm);
  const led: string[] = [];
  for (let n = 0; n < 11; n++) led.push(String((await new Browser(iam.server.app, "192.0.2.9").get(party.url())).headers.location));
  expect(led.slice(0, 10)).toEqual(Array(10).fill(expect.stringContaining(`/realms/${realm.name}/login?interaction=`)));
  expect(new URL(led[10]!).searchParams.get("error")).toBe("temporarily_unavailable");
});

test("sign-ins that pages begin and sign-outs that other sites post are limited with them, each request once", async () => {
  const realm = await iam.realm();
  expect((await realm.asMaster().put("/settings", { rateLimits: { authorizations: 10 } })).status).toBe(200);
  const at = (path: string) => `/realms/${realm.name}${path}`;
  const paths = ["/account/", "/account/pages/profile?lang=de", "/device", "/ciba", "/account/pages/security"].map(at);
  const stored = async () => {
    const { db } = iam.core;
    const rows = [
      await db.selectFrom("interactions").select("kind").where("realm_id", "=", realm.name).execute(),
      await db.selectFrom("oidc_records").select("model").where("realm_id", "=", realm.name).execute(),
    ];
    return rows.flat().length;
  };
  const visit = (path: string, ip: string) => new Browser(iam.server.app, ip).get(path);
  const before = await stored();
  for (const path of [...paths, ...paths]) expect((await visit(path, "192.0.2.20")).status, path).toBe(303);
  for (const path of paths) expect((await visit(path, "192.0.2.20")).status, path).toBe(429);
  expect(await stored()).toBe(before + 10);

  const signOut = (ip: string) =>
    new Browser(iam.server.app, ip).request("POST", at("/logout"), { form: { client_id: "shop", state: "x" }, csrf: false });
  for (let n = 0; n < 10; n++) expect((await signOut("192.0.2.21")).status).toBe(303);
  expect((await signOut("192.0.2.21")).status).toBe(429);
  expect(await stored()).toBe(before + 20);

  // These have a limit of their own, and visitors with a session none of this kind.
  for (let n = 0; n < 11; n++) expect((await visit(at("/login/step-up"), "192.0.2.22")).status).toBe(303);
  const browser = new Browser(iam.server.app, "192.0.2.20");
  const user = await realm.user("ada");
  await browser.signIn(realm.name, user.username, user.password);
  expect((await browser.get(at("/account/"))).status).toBe(200);
});

test("an IPv6 network counts as one address, because a single visitor can use all of its addresses", async () => {
  const realm = await iam.realm();
  expect((await realm.asMaster().put("/settings", { rateLimits: { signIns: 10, authorizations: 10, deviceCodes: 1 } })).status).toBe(200);
  const party = await relyingParty(iam, realm, { publicClient: true, grantTypes: ["authorization_code", "device"] });
  const at = (network: string, n: number) => new Browser(iam.server.app, `2001:db8:0:${network}::${n}`);
  const form = { client_id: party.clientId };
  const ways: Record<string, (browser: Browser) => Promise<number>> = {
    signIns: async (browser) => (await browser.request("POST", `/realms/${realm.name}/login`, { form: {}, csrf: false })).status,
    authorizations: async (browser) => (await browser.get(`/realms/${realm.name}/account/`)).status,
    deviceCodes: async (browser) => (await browser.request("POST", `/realms/${realm.name}/device/authorize`, { form, csrf: false })).status,
  };
  for (const [name, ask] of Object.entries(ways)) {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(at("1", n + 1))));
    expect(answers, name).toContain(429);
    expect(await ask(at("2", 1)), name).not.toBe(429);
  }
});

test("the port that some proxies add to an address does not make another address", async () => {
  const realm = await iam.realm();
  expect((await realm.asMaster().put("/settings", { rateLimits: { signIns: 10 } })).status).toBe(200);
  const post = async (address: string) =>
    (await new Browser(iam.server.app, address).request("POST", `/realms/${realm.name}/login`, { form: {}, csrf: false })).status;
  for (const at of [(port: number) => `192.0.2.31:${port}`, (port: number) => `[2001:db8:0:3::1]:${port}`])
    expect(await Promise.all(Array.from({ length: 30 }, (_, n) => post(at(50_000 + n)))), at(1)).toContain(429);
});

test("realms that do not exist share one count", async () => {
  const post = (realm: string) =>
    new Browser(iam.server.app, "192.0.2.10").request("POST", `/realms/${realm}/login`, { form: {}, csrf: false });
  const left = async (realm: string) => Number(/r=(\d+)/.exec(String((await post(realm)).headers.ratelimit))?.[1]);
  const first = await left("no-such-realm");
  expect(await left("nor-this-one")).toBeLessThan(first);
});

test("a limit outside its bounds is refused, and named", async () => {
  const realm = await iam.realm();
  for (const signIns of [0, 9, 100_001, 1.5, "600"]) {
    const answer = await realm.asMaster().put("/settings", { rateLimits: { signIns } });
    expect([answer.status, answer.body.errors?.[0]?.field], String(signIns)).toEqual([400, "rateLimits.signIns"]);
  }
});
