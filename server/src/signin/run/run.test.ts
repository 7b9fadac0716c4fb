import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createApp } from "../../app.ts";
import { clock } from "../../kernel/clock.ts";
import { createPasswordHasher } from "../../platform/passwords/index.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty } from "../../testing/relying-party.ts";
import { giveTotp } from "../../testing/totp.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const step = (authenticator: string, requirement = "REQUIRED") => ({ authenticator, requirement });

/** Creates a client whose password grant asks for these steps. */
async function grantBy(realm: RealmUnderTest, ...steps: object[]) {
  const boss = realm.asMaster();
  const fit = [step("username-password")];
  expect((await boss.post("/flows", { alias: "direct", displayName: "Direct", steps: fit })).status).toBe(201);
  const party = await relyingParty(iam, realm, { grantTypes: ["password"], directGrantFlow: "direct" });
  const { body, headers } = await boss.get("/flows/direct");
  const saved = await boss.put("/flows/direct", { ...body, steps }, { headers: { "if-match": String(headers.etag) } });
  expect(saved.status, saved.text).toBe(200);
  return (form: Record<string, string>) => party.post("/token", { grant_type: "password", scope: "openid", ...form });
}

test("a full queue of passwords is answered alike everywhere, before anything is counted", async () => {
  const realm = await iam.realm();
  const user = await realm.user();
  const party = await relyingParty(iam, realm, { clientId: "legacy", grantTypes: ["password"] });
  const hasher = createPasswordHasher({ concurrency: 1, maxQueue: 0 });
  const server = await createApp({ ...iam.core, metrics: createMetrics(), hasher, config: iam.config });
  await server.app.ready();
  const [signedIn, browser] = [iam.browser(), new Browser(server.app)];
  await signedIn.signIn(realm.name, user.username, user.password);
  for (const [name, value] of signedIn.cookies) browser.cookies.set(name, value);
  let isBusy = true;
  const busy = (async () => {
    while (isBusy) await hasher.verifyNothing("another user's password");
  })();
  const at = `/realms/${realm.name}`;
  const grant = { grant_type: "password", client_id: party.clientId, username: user.username, password: user.password };
  const [token, change] = await Promise.all([
    new Browser(server.app).request("POST", `${at}/token`, { form: grant, csrf: false }),
    browser.put(`${at}/account/password`, { currentPassword: user.password, newPassword: "another-Long-password-1" }),
  ]);
  isBusy = false;
  await busy;
  await server.close();
  expect([token.status, token.body.error, token.headers["retry-after"]]).toEqual([503, "temporarily_unavailable", "2"]);
  expect([change.status, change.body.code, change.headers["retry-after"]]).toEqual([503, "auth.overloaded", "2"]);
  const counters = await iam.core.db.selectFrom("login_attempts").select("failures").where("realm_id", "=", realm.name).execute();
  expect(counters.filter(({ failures }) => failures > 0)).toEqual([]);
  expect(await realm.events("type=LOGIN_FAILURE")).toEqual([]);
});

test("the password grant answers a flow step by step, and what it cannot answer is refused with its reason", async () => {
  const realm = await iam.realm();
  const user = await realm.user();
  const ask = await grantBy(realm, step("username"), step("password"), step("totp"));
  const { username, password, userId } = user;
  const code = await giveTotp(iam, realm.name, userId);
  expect((await ask({ username, password: "wrong", totp: code() })).body.error_description).toContain("username or password");
  expect((await ask({ username: "nobody-at-all", password })).body.error_description).toContain("username or password");
  expect((await ask({ username, password })).body.error_description).toContain("send the code");
  expect((await realm.events("type=LOGIN_FAILURE")).map(({ detail }) => detail)).toEqual([
    "password grant: totp-missing",
    "password: unknown name",
    "password: wrong",
  ]);
  const made = await ask({ username, password, totp: code() });
  expect(made.status, made.text).toBe(200);
  expect(decodeJwt(made.body.id_token)).toMatchObject({ sub: userId, acr: "2" });
});

test("the password grant issues nothing without the password, whatever its flow asks", async () => {
  const realm = await iam.realm();
  const { username, userId } = await realm.user();
  const ask = await grantBy(realm, step("username"), step("totp"));
  const code = await giveTotp(iam, realm.name, userId);
  const answer = await ask({ username, password: "not the password", totp: code() });
  expect([answer.status, answer.body.error, answer.body.access_token]).toEqual([400, "invalid_grant", undefined]);
});

test("the code of the password grant is that of an app, also where the flow could ask for another", async () => {
  const realm = await iam.realm();
  const user = await realm.user();
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  const { body } = await browser.post(`/realms/${realm.name}/account/credentials`, { type: "recovery-code" });
  const code = await giveTotp(iam, realm.name, user.userId);
  const factors = { alias: "factors", requirement: "REQUIRED", steps: [step("recovery-code", "ALTERNATIVE"), step("totp", "ALTERNATIVE")] };
  const ask = await grantBy(realm, step("username-password"), factors);
  const { username, password } = user;
  expect((await ask({ username, password, totp: body.codes[0] })).body.error).toBe("invalid_grant");
  expect((await ask({ username, password, totp: code() })).status).toBe(200);
});
