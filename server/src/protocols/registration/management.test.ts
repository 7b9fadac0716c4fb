import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { waitingSessions } from "../../testing/waiting-sessions.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const web = { client_name: "Shop", redirect_uris: ["https://shop.example/cb"] };
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const endpoint = (realm: RealmUnderTest) => `/realms/${realm.name}/connect/register`;
const manage = (client: Answer["body"]) => new URL(client.registration_client_uri).pathname;
const tokenFor = async (realm: RealmUnderTest): Promise<string> =>
  (await realm.asMaster().post("/provisioning/initial-access-tokens", { count: 1 })).body.token;

/** Creates a realm with anonymous registration, and a function that registers. */
async function openRealm() {
  const realm = await iam.realm();
  const opened = await realm.asMaster().put("/provisioning", { registration: { requireInitialAccessToken: false } });
  expect(opened.status, opened.text).toBe(200);
  const register = (metadata: object): Promise<Answer> => iam.browser().post(endpoint(realm), metadata);
  return { realm, register };
}

describe("a registered client", () => {
  test("is no longer managed by its token once an administrator has ended its secret at once", async () => {
    const { realm, register } = await openRealm();
    const admin = realm.asMaster();
    const ends = [
      (id: string) => admin.post(`/clients/${id}/secret`),
      (id: string) => admin.patch(`/clients/${id}`, { secret: "0123456789abcdef0123456789abcdef" }),
    ];
    for (const end of ends) {
      const { registration_access_token: token, ...client } = (await register(web)).body;
      const id = manage(client).split("/").at(-1)!;
      const overlapping = (await admin.post(`/clients/${id}/secret`, { overlapSeconds: 60 })).body;
      expect((await iam.browser().get(manage(client), bearer(token))).body.client_secret).toBe(overlapping.secret);
      expect((await admin.patch(`/clients/${id}`, { name: "Shop of ours" })).status).toBe(200);
      const { registration_access_token: next } = (
        await iam.browser().put(manage(client), { ...web, client_id: client.client_id }, bearer(token))
      ).body;
      expect((await end(id)).status).toBe(200);
      for (const each of [token, next]) expect((await iam.browser().get(manage(client), bearer(each))).status).toBe(401);
    }
  });

  onPostgres("reads, replaces and deletes itself, with a token that changes with an update only", async () => {
    const { realm, register } = await openRealm();
    const registered = (await register({ ...web, contacts: ["ada@shop.example"] })).body;
    const path = manage(registered);
    const id = path.split("/").at(-1)!;

    const read = await iam.browser().get(path, bearer(registered.registration_access_token));
    expect(read).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
    expect(read.body).toEqual(registered);
    const { registration_access_token: second, ...state } = read.body;
    expect((await iam.browser().get(path, bearer(second))).body).toEqual(registered);

    const admin = realm.asMaster();
    const { body: shown } = await admin.get(`/clients/${id}`);
    await admin.put(`/clients/${id}`, { ...shown, firstParty: true, accessTokenLifetime: 60 });
    const change = {
      client_id: state.client_id,
      client_secret: state.client_secret,
      client_name: "New",
      redirect_uris: ["https://shop.example/new"],
    };
    const replaced = await iam.browser().put(path, change, bearer(second));
    expect(replaced).toMatchObject({ status: 200, body: { client_name: "New", client_secret: state.client_secret } });
    expect(replaced.body, "what is left out returns to its default").not.toHaveProperty("contacts");
    expect((await admin.get(`/clients/${id}`)).body).toMatchObject({
      name: "New",
      redirectUris: ["https://shop.example/new"],
      firstParty: true,
      accessTokenLifetime: 60,
      consentRequired: true,
    });

    const third = replaced.body.registration_access_token;
    expect(third).not.toBe(second);
    expect((await iam.browser().get(path, bearer(second))).body, "until the new one was used").toMatchObject({
      client_name: "New",
      registration_access_token: second,
    });
    expect((await iam.browser().get(path, bearer(third))).status).toBe(200);
    expect((await iam.browser().get(path, bearer(second))).status).toBe(401);
    expect((await iam.browser().delete(path, bearer(second))).status).toBe(401);
    expect(await iam.browser().delete(path, bearer(third))).toMatchObject({ status: 204, text: "" });
    expect((await admin.get(`/clients/${id}`)).status).toBe(404);
    expect((await iam.browser().get(path, bearer(third))).status).toBe(401);
    const [gone] = await realm.events("type=ADMIN_DELETE&resourceType=clients");
    expect(gone).toMatchObject({ actor: state.client_id, resourceId: id });
  });

  test("may send back values of administrators, gets nothing else by that, and keeps the requirements for it", async () => {
    const { realm, register } = await openRealm();
    const { body: registered } = await register(web);
    const path = manage(registered);
    const admin = realm.asMaster();
    const record = `/clients/${path.split("/").at(-1)}`;
    const grantTypes = ["authorization_code", "client_credentials", "uma-ticket"];
    const demanded = { requirePar: true, requireDpop: true, subjectClaim: { strategy: "pairwise" } };
    const given = { scopes: ["account"], grantTypes, ...demanded, backchannelLogoutUri: "https://10.1.2.3/out" };
    const changed = await admin.patch(record, given);
    expect(changed.status, changed.text).toBe(200);
    let token = registered.registration_access_token;
    const put = async (metadata: object) => {
      const answer = await iam.browser().put(path, { client_id: registered.client_id, ...metadata }, bearer(token));
      token = answer.body.registration_access_token ?? token;
      return answer;
    };
    const { body: own } = await iam.browser().get(path, bearer(token));
    expect(own).toMatchObject({ scope: "account", grant_types: expect.arrayContaining(["client_credentials"]) });
    const echoed = await put(own);
    expect(echoed.status, echoed.text).toBe(200);
    expect((await admin.get(record)).body).toMatchObject({ ...given, grantTypes: expect.arrayContaining(grantTypes) });
    const beyond: [object, RegExp][] = [
      [{ grant_types: [...own.grant_types, "password"] }, /grant_types: password/],
      [{ grant_types: [...own.grant_types, "urn:ietf:params:oauth:grant-type:jwt-bearer"] }, /grant_types: urn:.*jwt-bearer/],
      [{ token_endpoint_auth_method: "federated_jwt" }, /token_endpoint_auth_method federated_jwt/],
      [{ backchannel_logout_uri: "https://10.1.2.4/out" }, /backchannel_logout_uri/],
    ];
    for (const [more, description] of beyond)
      expect(await put({ ...own, ...more }), `${description}`).toMatchObject({
        status: 400,
        body: { error_description: expect.stringMatching(description) },
      });

    for (const taken of [{ require_pushed_authorization_requests: false, subject_type: "public" }, {}]) {
      const short = await put({ ...web, ...taken });
      expect(short.status, short.text).toBe(200);
      const kept = { require_pushed_authorization_requests: true, dpop_bound_access_tokens: true, subject_type: "pairwise" };
      expect(short.body).toMatchObject(kept);
      expect((await admin.get(record)).body).toMatchObject({ scopes: [], ...demanded });
    }
    expect((await put({ ...web, scope: "account" })).body.error_description, "given up").toContain("account");
  });

  test("a refused change keeps the token; another id or secret is refused", async () => {
    const { register } = await openRealm();
    const client = (await register(web)).body;
    const put = (change: object) =>
      iam.browser().put(manage(client), { client_id: client.client_id, ...web, ...change }, bearer(client.registration_access_token));
    for (const [change, member] of [
      [{ client_id: "another" }, "client_id"],
      [{ client_id: null }, "client_id"],
      [{ client_secret: "chosen by the client" }, "client_secret"],
      [{ redirect_uris: ["http://shop.example/"] }, "redirect_uris"],
    ] as const)
      expect(await put(change), member).toMatchObject({ status: 400, body: { error_description: expect.stringContaining(member) } });
    const secretless = await put({ token_endpoint_auth_method: "none" });
    expect(secretless.status, secretless.text).toBe(200);
    expect(secretless.body).not.toHaveProperty("client_secret");
  });

  test.runIf(testDatabase() === "postgres")("of many updates at once, one goes on", async () => {
    const { register } = await openRealm();
    const client = (await register(web)).body;
    const token = bearer(client.registration_access_token);
    const change = { client_id: client.client_id, ...web };
    // The lock makes all of them find the client first: later ones would repeat a lost response.
    const all = await iam.core.db.transaction().execute(async (tx) => {
      await sql`select from clients where client_id = ${client.client_id} for update`.execute(tx);
      const asked = Promise.all(Array.from({ length: 3 }, () => iam.browser().put(manage(client), change, token)));
      await expect.poll(() => waitingSessions(iam.core.db)).toBe(3);
      return { asked };
    });
    const answers = await all.asked;
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const { registration_access_token: next } = answers.find(({ status }) => status === 200)!.body;
    expect((await iam.browser().get(manage(client), bearer(next))).status).toBe(200);
  });

  test("a client that lost a response tries again with its token; the lost token ends", async () => {
    const { register } = await openRealm();
    const client = (await register(web)).body;
    const put = (token: string) => iam.browser().put(manage(client), { client_id: client.client_id, ...web }, bearer(token));
    const lost = (await put(client.registration_access_token)).body.registration_access_token;
    const kept = (await put(client.registration_access_token)).body.registration_access_token;
    expect((await put(lost)).status).toBe(401);
    expect((await put(kept)).status).toBe(200);
    expect((await put(client.registration_access_token)).status).toBe(401);
  });

  test("no other caller is accepted, and none learns which clients exist", async () => {
    const { realm, register } = await openRealm();
    const { realm: elsewhere, register: registerElsewhere } = await openRealm();
    const [mine, other, foreign] = [(await register(web)).body, (await register(web)).body, (await registerElsewhere(web)).body];
    const { id: administered } = (await realm.asMaster().post("/clients", { clientId: "by-hand" })).body;
    const token = bearer(mine.registration_access_token);
    const at = (id: string) => `${endpoint(realm)}/${id}`;
    const foreignId = manage(foreign).split("/").at(-1)!;
    const answers = [];
    for (const path of [
      manage(other),
      at(administered),
      at(newId()),
      at("not-an-id"),
      at(foreignId),
      `${endpoint(elsewhere)}/${manage(mine).split("/").at(-1)}`,
    ])
      for (const method of ["GET", "PUT", "DELETE"])
        answers.push(
          await iam.browser().request(method, path, { ...token, ...(method === "PUT" && { body: { client_id: mine.client_id, ...web } }) }),
        );
    answers.push(await iam.browser().get(manage(mine)), await iam.browser().get(manage(mine), bearer("")));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, "all alike").toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, body: { error: "invalid_token" } });
    const initial = await tokenFor(realm);
    expect((await iam.browser().get(manage(mine), bearer(initial))).status).toBe(401);
    expect((await iam.browser().get(manage(mine), token)).status).toBe(200);
  });

  test("one that an administrator disabled cannot enable itself", async () => {
    const { realm, register } = await openRealm();
    const client = (await register(web)).body;
    const id = manage(client).split("/").at(-1);
    const { body } = await realm.asMaster().get(`/clients/${id}`);
    await realm.asMaster().put(`/clients/${id}`, { ...body, enabled: false });
    const change = { client_id: client.client_id, enabled: true, ...web };
    expect((await iam.browser().put(manage(client), change, bearer(client.registration_access_token))).status).toBe(403);
    expect((await realm.asMaster().get(`/clients/${id}`)).body.enabled).toBe(false);
  });
});
