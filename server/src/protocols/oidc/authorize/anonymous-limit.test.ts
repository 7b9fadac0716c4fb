import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { Browser } from "../../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { CALLBACK, relyingParty } from "../../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

test("the sign-ins that an address begins are limited; signed-in users and other addresses are not", async () => {
  const [realm, other] = [await iam.realm(), await iam.realm()];
  const app = await relyingParty(iam, realm);
  const server = await relyingParty(iam, realm, { clientId: "server", publicClient: false });
  const elsewhere = await relyingParty(iam, other);
  const at = (address: string) => new Browser(iam.server.app, address);
  const push = (client: typeof app, address: string) => {
    const { searchParams } = new URL(client.url(), iam.config.baseUrl);
    const form = { ...Object.fromEntries(searchParams), ...(client.secret !== null && { client_secret: client.secret }) };
    return at(address).request("POST", `/realms/${realm.name}/par`, { form, csrf: false });
  };

  const known = at("192.0.2.7");
  await app.signIn(known, await realm.user());
  // The limit is so low that a slow machine does not regain places while it asks.
  expect((await realm.asMaster().patch("/settings", { rateLimits: { authorizations: 60 } })).status).toBe(200);
  const posts = await Promise.all(
    Array.from({ length: 160 }, () => at("192.0.2.7").request("POST", `/realms/${realm.name}/authorize`, { form: {}, csrf: false })),
  );
  expect(posts.filter(({ status }) => status === 303).length).toBeGreaterThanOrEqual(58);
  const late = posts.at(-1)!;
  expect([late.status, Number(late.headers["retry-after"]) > 0, late.text.includes("try again in")]).toEqual([429, true, true]);

  // A place that is regained during the test must not let another request through. Setting the clock back further would reset the limit.
  clock.advance(-4 * SECOND);
  const refused = await at("192.0.2.7").get(app.url());
  const to = new URL(String(refused.headers.location));
  expect([`${to.origin}${to.pathname}`, to.searchParams.get("error"), to.searchParams.get("state")]).toEqual([
    CALLBACK,
    "temporarily_unavailable",
    "st",
  ]);
  const pushed = await push(app, "192.0.2.7");
  expect([pushed.status, pushed.body.error, Number(pushed.headers["retry-after"]) > 0]).toEqual([429, "temporarily_unavailable", true]);

  expect((await push(server, "192.0.2.7")).status).toBe(201);
  expect(String((await known.get(app.url())).headers.location)).toContain(`${CALLBACK}?code=`);
  for (const answer of [await at("192.0.2.7").get(elsewhere.url()), await at("192.0.2.8").get(app.url())])
    expect(String(answer.headers.location)).toContain("/login?interaction=");
  clock.advance(MINUTE);
  expect(String((await at("192.0.2.7").get(app.url())).headers.location)).toContain("/login?interaction=");
});
