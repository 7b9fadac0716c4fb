import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { startInteraction } from "../../signin/run/index.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { type Harness, harness, testDatabase } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { type Party, relyingParty, submit, walk } from "../../testing/relying-party.ts";

let iam: Harness;
let base: string;
beforeAll(async () => {
  iam = await harness();
  base = iam.config.baseUrl;
});
afterAll(() => iam?.close());

const refresh = (party: Party, refresh_token: string) => party.post("/token", { grant_type: "refresh_token", refresh_token });
const userinfo = async (realm: RealmUnderTest, token: string) =>
  (await iam.browser().get(`/realms/${realm.name}/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;
const NEW = "an altogether different one";

/** Returns tokens of every kind: with the session of a browser, without a session, and by the password grant. */
async function tokensOfEveryKind(realm: RealmUnderTest, user: { username: string; password: string }, browser: Browser) {
  const party = await relyingParty(iam, realm, { grantTypes: ["authorization_code", "refresh_token", "password"] });
  const answers = [
    await party.signIn(browser, user),
    await party.signIn(browser, user, { scope: "openid offline_access" }),
    await party.post("/token", { grant_type: "password", username: user.username, password: user.password, scope: "openid" }),
    await party.signIn(iam.browser(), user),
  ];
  const [bound, offline, direct, elsewhere] = answers.map(({ status, text, body }) => {
    expect(status, text).toBe(200);
    return body as { access_token: string; refresh_token: string };
  });
  return { party, bound: bound!, offline: offline!, direct: direct!, elsewhere: elsewhere! };
}

describe("a new password", () => {
  test("that a user set ends everything except the grants of the session in which they set it", async () => {
    const realm = await iam.realm();
    const [user, other, browser] = [await realm.user(), await realm.user(), iam.browser()];
    const { party, bound, ...others } = await tokensOfEveryKind(realm, user, browser);
    const bystander = (await party.signIn(iam.browser(), other, { scope: "openid offline_access" })).body;
    await browser.get(`/realms/${realm.name}/account/profile`);
    const change = { currentPassword: user.password, newPassword: NEW };
    expect((await browser.put(`/realms/${realm.name}/account/password`, change)).status).toBe(204);
    for (const [kind, tokens] of Object.entries(others)) {
      expect((await refresh(party, tokens.refresh_token)).body.error, kind).toBe("invalid_grant");
      expect(await userinfo(realm, tokens.access_token), kind).toBe(401);
    }
    expect(await userinfo(realm, bound.access_token)).toBe(200);
    expect((await refresh(party, bound.refresh_token)).status).toBe(200);
    expect((await refresh(party, bystander.refresh_token)).status).toBe(200);
    expect(await realm.events("type=REFRESH_TOKEN_REUSED"), "no reuse was detected").toEqual([]);
  });

  test("that an administrator set ends all grants", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const { party, ...all } = await tokensOfEveryKind(realm, user, iam.browser());
    expect((await realm.asMaster().put(`/users/${user.userId}/password`, { newPassword: NEW })).status).toBe(204);
    for (const [kind, tokens] of Object.entries(all)) {
      expect((await refresh(party, tokens.refresh_token)).body.error, kind).toBe("invalid_grant");
      expect(await userinfo(realm, tokens.access_token), kind).toBe(401);
    }
  });
});

test.skipIf(testDatabase() === "embedded")("a device that is allowed at the same moment gets nothing that would stay", async () => {
  const realm = await iam.realm();
  const [user, browser] = [await realm.user(), iam.browser()];
  const tv = await relyingParty(iam, realm, { grantTypes: ["device", "refresh_token"], redirectUris: [] });
  const { device_code, user_code } = (await tv.post("/device/authorize", { scope: "openid offline_access" })).body;
  await browser.signIn(realm.name, user.username, user.password);
  await browser.get(`/realms/${realm.name}/device`);
  const form = { user_code, decision: "allow", _csrf: browser.cookies.get("XSRF-TOKEN")! };
  let answer: Promise<Answer> | undefined;
  await iam.core.db.transaction().execute(async (tx) => {
    await tx.deleteFrom("sessions").where("realm_id", "=", realm.name).where("user_id", "=", user.userId).execute();
    answer = browser.request("POST", `/realms/${realm.name}/device`, { form, csrf: false });
    // The request has read the session, and waits for the other transaction.
    await expect
      .poll(async () => {
        const { rows } = await sql`select 1 from pg_locks where not granted and locktype = 'transactionid'`.execute(iam.core.db);
        return rows.length;
      })
      .toBeGreaterThan(0);
  });
  expect((await answer!).status).toBe(409);
  const poll = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code };
  expect((await tv.post("/token", poll)).body.error).toBe("authorization_pending");
});

describe("an erased person", () => {
  test("leaves the sign-ins and device codes of others at a client of the same name", async () => {
    const realm = await iam.realm();
    const { userId } = await realm.user("billing");
    const jwt = (claims: object) => `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.`;
    const pending = [
      { clientId: "billing", params: { client_id: "billing", scope: "billing", login_hint: "somebody.else" } },
      { clientId: "billing", params: { client_id: "billing", request: jwt({ client_id: "billing" }) } },
      { clientId: "shop", params: { login_hint: "Billing" } },
      { clientId: "shop", params: { request: jwt({ claims: { id_token: { sub: { value: userId } } } }) } },
      { clientId: "shop", params: { id_token_hint: jwt({ preferred_username: "billing" }) } },
      { clientId: "shop", claims: { id_token: { sub: { value: "billing" } } } },
    ];
    const { db } = iam.core;
    for (const [at, payload] of pending.entries()) {
      await sql`insert into oidc_records (realm_id, model, record_id, payload, expires_at)
        values (${realm.name}, 'DeviceCode', ${String(at)}, ${JSON.stringify(payload)}::text::jsonb, ${Number.MAX_SAFE_INTEGER})`.execute(
        db,
      );
      await startInteraction(
        { tx: db, realm: realm.name, now: clock.now() },
        { kind: "oidc", browser: "b", request: payload, returnTo: String(at) },
      );
    }
    expect((await realm.asMaster().delete(`/users/${userId}/gdpr`)).status).toBe(204);
    const of = async (query: { execute(): Promise<{ at: string }[]> }) => (await query.execute()).map(({ at }) => at).sort();
    const records = db.selectFrom("oidc_records").where("realm_id", "=", realm.name);
    expect(await of(records.select("record_id as at"))).toEqual(["0", "1"]);
    const interactions = db.selectFrom("interactions").where("realm_id", "=", realm.name);
    // An interaction keeps no JWT, because the engine's record has the request.
    expect(await of(interactions.select("return_to as at"))).toEqual(["0", "1", "3", "4"]);
  });

  test("is forgotten in requests that name them inside a token, also by a pseudonym; others' requests go on", async () => {
    const realm = await iam.realm();
    const [gone, stays] = [await realm.user(), await realm.user()];
    const party = await relyingParty(iam, realm, { publicClient: false, subjectClaim: { strategy: "pairwise" } });
    const named = await relyingParty(iam, realm, { clientId: "named", publicClient: false });
    const recordsOf = async () =>
      (
        await iam.core.db
          .selectFrom("oidc_records")
          .select(["model", "payload"])
          .where("realm_id", "=", realm.name)
          .where("grant_id", "is", null)
          .execute()
      ).map(({ model }) => model);
    const waiting = [];
    for (const user of [gone, stays]) {
      for (const client of [party, named]) {
        const { id_token } = (await client.signIn(iam.browser(), user)).body;
        const browser = iam.browser();
        // This request waits for a sign-in.
        const { page } = await walk(browser, base, client.url({ id_token_hint: id_token }));
        expect(page.status).toBe(200);
        if (user === stays) waiting.push({ browser, page, client });
        // This request is pushed, and not yet used.
        const pushed = await client.post("/par", {
          ...Object.fromEntries(new URLSearchParams(client.url().split("?")[1])),
          id_token_hint: id_token,
        });
        expect(pushed.status, pushed.text).toBe(201);
        // This request is posted by a form, and not yet resumed.
        const form = { client_id: client.clientId, id_token_hint: id_token };
        expect((await iam.browser().request("POST", `/realms/${realm.name}/authorize`, { form, csrf: false })).status).toBe(303);
      }
    }
    expect((await recordsOf()).length).toBe(12);
    expect((await realm.asMaster().delete(`/users/${gone.userId}/gdpr`)).status).toBe(204);
    expect((await recordsOf()).sort()).toEqual(
      ["Interaction", "Interaction", "PostedRequest", "PostedRequest", "PushedAuthorizationRequest", "PushedAuthorizationRequest"].sort(),
    );
    for (const { browser, page, client } of waiting) {
      const { left } = await submit(browser, base, page, { username: stays.username, password: stays.password });
      expect((await client.exchange(left)).status).toBe(200);
    }
  });
});

describe("a server that is about to stop", () => {
  test("ends the connection with every answer, also those of the engine", async () => {
    const node = await harness();
    try {
      const realm = await node.realm();
      const party = await relyingParty(node, realm, { publicClient: false });
      const ask = async () => [
        (await node.browser().get(`/realms/${realm.name}/jwks`)).headers.connection,
        (await node.browser().get(party.url())).headers.connection,
        (await party.post("/token", { grant_type: "nonsense" })).headers.connection,
        (await party.post("/par", {})).headers.connection,
      ];
      expect(await ask()).not.toContain("close");
      node.server.drain();
      expect(await ask()).toEqual(["close", "close", "close", "close"]);
    } finally {
      await node.close();
    }
  });
});
