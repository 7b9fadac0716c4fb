import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const television = (realm: RealmUnderTest, clientId = "tv") =>
  relyingParty(iam, realm, { clientId, grantTypes: ["device", "refresh_token"], redirectUris: [] });
const ask = (realm: RealmUnderTest, browser: Browser, client_id = "tv") =>
  browser.request("POST", `/realms/${realm.name}/device/authorize`, { form: { client_id, scope: "openid" }, csrf: false });

test("a client's requests for codes from one address are limited; other clients and addresses are not", async () => {
  const [realm, other] = [await iam.realm(), await iam.realm()];
  for (const each of [realm, other]) await television(each);
  await television(realm, "radio");
  const browser = new Browser(iam.server.app, "192.0.2.7");
  // A few places are regained while the requests are answered.
  const answers = await Promise.all(Array.from({ length: 180 }, () => ask(realm, browser)));
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(120);
  const late = answers.at(-1)!;
  expect([late.status, late.body.error, Number(late.headers["retry-after"]) > 0]).toEqual([429, "temporarily_unavailable", true]);
  expect((await ask(realm, browser, "radio")).status).toBe(200);
  expect((await ask(other, browser)).status).toBe(200);
  expect((await ask(realm, new Browser(iam.server.app, "192.0.2.8"))).status).toBe(200);
  clock.advance(MINUTE);
  expect((await ask(realm, browser)).status).toBe(200);
});

test("no more than ten thousand codes of a client wait at once", async () => {
  const realm = await iam.realm();
  await television(realm);
  await television(realm, "radio");
  await sql`
    insert into oidc_records (realm_id, model, record_id, payload, client_id, user_code, expires_at)
    select ${realm.name}, 'DeviceCode', n::text, '{}', 'tv', n::text, ${clock.now() + 10 * MINUTE} from generate_series(1, 9999) n`.execute(
    iam.core.db,
  );
  const atOnce = await Promise.all(Array.from({ length: 8 }, () => ask(realm, iam.browser())));
  expect(atOnce.map(({ status }) => status).sort(), "at once").toEqual([200, ...Array(7).fill(429)]);
  expect((await ask(realm, iam.browser())).body).toMatchObject({ error: "temporarily_unavailable" });
  expect((await ask(realm, iam.browser(), "radio")).status).toBe(200);
  clock.advance(11 * MINUTE); // they have expired, whether or not they were cleaned up
  expect((await ask(realm, iam.browser())).status).toBe(200);
});

test("guessing codes from one address is slowed down, no matter who is signed in there", async () => {
  const realm = await iam.realm();
  const settings = (await realm.asMaster().get("/settings")).body;
  const bruteForce = { ...settings.bruteForce, maxFailures: 3, maxFailuresPerAddress: 6 };
  expect((await realm.asMaster().put("/settings", { ...settings, bruteForce })).status).toBe(200);
  await television(realm);
  const { user_code } = (await ask(realm, iam.browser())).body;
  const guess = async (address: string, code: string, times: number) => {
    const browser = new Browser(iam.server.app, address);
    const user = await realm.user();
    await browser.signIn(realm.name, user.username, user.password);
    await browser.get(`/realms/${realm.name}/device`);
    const statuses = [];
    for (let n = 0; n < times; n++) {
      const form = { user_code: code, _csrf: browser.cookies.get("XSRF-TOKEN")! };
      statuses.push((await browser.request("POST", `/realms/${realm.name}/device`, { form, csrf: false })).status);
    }
    return statuses;
  };
  expect(await guess("192.0.2.20", "BCDF-GHJK", 3)).toEqual([400, 400, 400]);
  expect(await guess("192.0.2.20", "BCDF-GHJK", 3)).toEqual([400, 400, 400]);
  expect(await guess("192.0.2.20", user_code, 1), "a third user, who has not guessed yet").toEqual([429]);
  expect(await guess("192.0.2.21", user_code, 1), "elsewhere").toEqual([200]);
});
