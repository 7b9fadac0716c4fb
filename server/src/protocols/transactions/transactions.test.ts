import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { insertTotp, totpPlace } from "../../directory/credentials/index.ts";
import { clock, DAY, MINUTE, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { systemActor } from "../../platform/context.ts";
import { totpCode, totpStep } from "../../signin/authenticators/totp-code.ts";
import type { Answer } from "../../testing/browser.ts";
import { enrolledApp } from "../../testing/device.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { type Party, relyingParty, submit, walk } from "../../testing/relying-party.ts";
import { codeOfApp, keyOn } from "../../testing/totp.ts";
import { deleteExpiredTransactions } from "./index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The cleanup would delete rows by the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

type User = Awaited<ReturnType<RealmUnderTest["user"]>>;
const refusal = ({ status, body }: Answer) => [status, body?.code];
const fieldsOf = ({ status, body }: Answer) => [
  status,
  body?.errors?.map(({ field, code }: { field: string; code: string }) => `${field}:${code}`),
];
const sha = (text: string) => createHash("sha256").update(text).digest("base64url");
const payment = { type: "payment", summary: "Pay 20 euro\nto the web shop", payload: '{"amount":20}' };
/** The members that FAPI 2 requires of a client, besides its keys. */
const PROFILE = { authMethod: "private_key_jwt", requirePkce: true, requirePar: true, requireDpop: true, rotateRefreshTokens: false };
const NOT_FOUND = [404, "transactions.not_found"];

/** Calls /tx with a token. */
const bearing = (realm: RealmUnderTest, token: string) => {
  const options = { headers: { authorization: `Bearer ${token}` } };
  const at = (path: string) => `/realms/${realm.name}/tx${path}`;
  return {
    create: (body: unknown) => iam.browser().post(at(""), body, options),
    get: (id: string) => iam.browser().get(at(`/${id}`), options),
    sign: (id: string, body: unknown) => iam.browser().post(at(`/${id}/sign`), body, options),
    decline: (id: string) => iam.browser().post(at(`/${id}/decline`), undefined, options),
    consume: (id: string) => iam.browser().post(at(`/${id}/consume`), undefined, options),
  };
};

/** Gets a token before the user has a second factor, because the sign-in is not tested here. */
async function tokenOf(party: Party, user: User): Promise<string> {
  const answer = await party.signIn(iam.browser(), user);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.access_token;
}

const machineOf = async (realm: RealmUnderTest, clientId: string) => {
  const party = await relyingParty(iam, realm, { clientId, publicClient: false, redirectUris: [], grantTypes: ["client_credentials"] });
  const { body } = await party.post("/token", { grant_type: "client_credentials" });
  return bearing(realm, body.access_token);
};

/** Adds an authenticator app to the user, and returns a function that computes its codes. */
async function withTotp(realm: RealmUnderTest, userId: string) {
  const form = { algorithm: "SHA1", digits: 6, period: 30 } as const;
  const secret = randomBytes(20);
  const id = newId();
  const sealed = iam.core.vault.seal(secret.toString("base64url"), totpPlace(realm.name, id));
  await iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
    insertTotp(ctx.tx, realm.name, userId, { id, secret: sealed, label: null, ...form, lastStep: -1 }, ctx.now),
  );
  return (steps = 0) => totpCode(secret, totpStep(clock.now(), form) + steps, form);
}

/** Creates a shop, a user of it, and the user's authenticator app. */
async function shop() {
  const realm = await iam.realm();
  const user = await realm.user();
  const party = await relyingParty(iam, realm, { clientId: "shop", name: "Web shop" });
  const asUser = bearing(realm, await tokenOf(party, user));
  const code = await withTotp(realm, user.userId);
  return { realm, user, party, asUser, code };
}

describe("a transaction", () => {
  test("is signed with an algorithm that the client's profile allows", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const party = await relyingParty(iam, realm, { clientId: "bank", publicClient: false });
    const asUser = bearing(realm, await tokenOf(party, user));
    const code = await withTotp(realm, user.userId);
    const { id } = (await asUser.create(payment)).body;
    const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
    const [client] = (await realm.asMaster().get("/clients?search=bank")).body;
    const redirectUris = ["https://bank.example/callback"];
    const fapi2 = { ...PROFILE, profile: "fapi2-security", jwks: { keys: [{ ...key, kid: "k", alg: "ES256", use: "sig" }] }, redirectUris };
    const saved = await realm.asMaster().patch(`/clients/${client.id}`, fapi2);
    expect(saved.status, saved.text).toBe(200);
    const signed = await asUser.sign(id, { factor: "totp", value: code() });
    expect(decodeProtectedHeader(signed.body.jws)).toMatchObject({ alg: "PS256", typ: "tx+jwt" });
  });

  onPostgres("is one of at most fifty that wait for one user, however many are created at once", async () => {
    const { asUser } = await shop();
    for (let i = 0; i < 45; i++) expect((await asUser.create(payment)).status).toBe(201);
    const answers = await Promise.all(Array.from({ length: 20 }, () => asUser.create(payment)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(15).fill(409)]);
  });

  onPostgres("is created, signed with a fresh code and consumed once; the realm's JWKS verifies the signature", async () => {
    const { realm, user, asUser, code } = await shop();
    const made = await asUser.create({ ...payment, expiresIn: 120 });
    const { id } = made.body;
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        status: "PENDING",
        ...{ type: "payment", summary: payment.summary, userId: user.userId, clientId: "shop", acr: "1" },
        payloadHash: sha(payment.payload),
        jws: null,
      },
    ]);
    expect(made.body).not.toHaveProperty("payload");
    expect(refusal(await asUser.consume(id))).toEqual([409, "transactions.not_signed"]);
    const signed = await asUser.sign(id, { factor: "totp", value: code() });
    expect([signed.status, signed.body.status, signed.body.signedAt]).toEqual([200, "SIGNED", expect.any(Number)]);
    const issuer = `${iam.config.baseUrl}/realms/${realm.name}`;
    const jwks = createLocalJWKSet((await iam.browser().get(`/realms/${realm.name}/jwks`)).body);
    const { payload, protectedHeader } = await jwtVerify(signed.body.jws, jwks, { issuer, audience: "shop", typ: "tx+jwt" });
    expect(protectedHeader).toMatchObject({ alg: "RS256", typ: "tx+jwt" });
    expect(payload).toMatchObject({
      ...{ sub: user.userId, txn: id, type: "payment", summary: payment.summary, payload_hash: sha(payment.payload), acr: "2" },
      amr: ["pwd", "otp", "mfa"],
      exp: Math.ceil(made.body.expiresAt / SECOND),
    });
    expect(await realm.events("type=TX_SIGNED")).toMatchObject([
      { category: "SECURITY", actor: user.username, resourceType: "tx", resourceId: id, outcome: "SUCCESS", detail: "payment" },
    ]);
    const answers = await Promise.all([1, 2, 3].map(() => asUser.consume(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await asUser.get(id)).body).toMatchObject({ status: "CONSUMED", consumedAt: expect.any(Number), jws: signed.body.jws });
    expect(await realm.events("type=TX_CONSUMED")).toHaveLength(1);
    expect(refusal(await asUser.sign(id, { factor: "totp", value: code(1) }))).toEqual([409, "transactions.not_pending"]);
  });

  onPostgres("created by an application in its own name is signed by the user it names, and consumed by that application", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const bank = await machineOf(realm, "bank");
    const mine = await relyingParty(iam, realm, { clientId: "wallet", firstParty: true });
    const wallet = bearing(realm, await tokenOf(mine, user));
    const current = await withTotp(realm, user.userId);
    expect(fieldsOf(await bank.create(payment))).toEqual([400, ["userId:required"]]);
    expect(fieldsOf(await bank.create({ ...payment, userId: newId() }))).toEqual([400, ["userId:unknown_user"]]);
    const { id } = (await bank.create({ ...payment, userId: user.userId })).body;
    expect((await bank.get(id)).body).toMatchObject({ id, clientId: "bank" });
    expect(refusal(await bank.sign(id, { factor: "totp", value: current() }))).toEqual([403, "transactions.only_users"]);
    expect((await wallet.sign(id, { factor: "totp", value: current() })).body.status).toBe("SIGNED");
    expect(refusal(await wallet.consume(id))).toEqual([403, "transactions.only_creator"]);
    expect((await bank.consume(id)).body).toMatchObject({ status: "CONSUMED" });
    expect((await realm.events("type=TX_CONSUMED"))[0]).toMatchObject({ actor: "bank" });
  });

  onPostgres("is consumed with the application's own token where it can have one, else with the user's, and with no other", async () => {
    const realm = await iam.realm();
    const [user, eve] = [await realm.user(), await realm.user()];
    const bank = await relyingParty(iam, realm, {
      clientId: "bank",
      publicClient: false,
      grantTypes: ["authorization_code", "client_credentials"],
    });
    const wallet = await relyingParty(iam, realm, { clientId: "wallet", firstParty: true });
    const own = bearing(realm, (await bank.post("/token", { grant_type: "client_credentials" })).body.access_token);
    const [held, eves, elsewhere] = [
      bearing(realm, await tokenOf(bank, user)),
      bearing(realm, await tokenOf(bank, eve)),
      bearing(realm, await tokenOf(wallet, user)),
    ];
    const current = await withTotp(realm, user.userId);
    for (const creator of [own, held]) {
      const { id } = (await creator.create({ ...payment, userId: user.userId })).body;
      expect((await held.sign(id, { factor: "totp", value: current(creator === own ? 0 : 1) })).body.status).toBe("SIGNED");
      expect(refusal(await held.consume(id))).toEqual([403, "transactions.own_token"]);
      expect(refusal(await eves.consume(id))).toEqual(NOT_FOUND);
      expect(refusal(await elsewhere.consume(id))).toEqual([403, "transactions.only_creator"]);
      expect((await own.consume(id)).body).toMatchObject({ status: "CONSUMED" });
    }
  });

  onPostgres("is refused to another user, another application, another realm, and without a token", async () => {
    const { realm, user, asUser, party, code } = await shop();
    const { id } = (await asUser.create(payment)).body;
    const other = await iam.realm();
    const [eve, abroad] = [await realm.user(), await other.user()];
    const asEve = bearing(realm, await tokenOf(party, eve));
    const foreign = await tokenOf(await relyingParty(iam, other, { clientId: "shop" }), abroad);
    const theirs = await machineOf(realm, "bank");
    for (const who of [asEve, theirs])
      for (const answer of [
        await who.get(id),
        await who.consume(id),
        await who.sign(id, { factor: "totp", value: code() }),
        await who.decline(id),
      ])
        expect(refusal(answer)).toEqual(NOT_FOUND);
    expect(refusal(await bearing(realm, foreign).get(id))).toEqual([401, "transactions.bearer"]);
    expect(refusal(await bearing(other, foreign).get(id))).toEqual(NOT_FOUND);
    expect(refusal(await bearing(realm, "x").create(payment))).toEqual([401, "transactions.bearer"]);
    expect(refusal(await iam.browser().get(`/realms/${realm.name}/tx/${id}`))).toEqual([401, "transactions.bearer"]);
    expect(fieldsOf(await asEve.create({ ...payment, userId: user.userId }))).toEqual([400, ["userId:other_user"]]);
    expect((await asUser.get(id)).body.status).toBe("PENDING");
  });

  onPostgres("is seen through another application only where an administrator trusts that one with the whole account", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const admin = realm.asMaster();
    const [scope] = (await admin.get("/client-scopes?search=account")).body;
    // From now on every client may request it.
    expect((await admin.put(`/client-scopes/${scope.scopeId}`, { ...scope, assignment: "OPTIONAL" })).status).toBe(200);
    const through = async (clientId: string, members: object) => {
      const party = await relyingParty(iam, realm, { clientId, ...members });
      const { body, text } = await party.signIn(iam.browser(), user, { scope: "openid account" });
      expect(body.scope, text).toContain("account");
      return bearing(realm, body.access_token);
    };
    const [creator, other, trusted] = [
      await through("creator", {}),
      await through("other", {}),
      await through("trusted", { scopes: ["openid", "account"] }),
    ];
    const code = await withTotp(realm, user.userId);
    const { id } = (await creator.create(payment)).body;
    for (const answer of [await other.get(id), await other.sign(id, { factor: "totp", value: code() }), await other.decline(id)])
      expect(refusal(answer)).toEqual(NOT_FOUND);
    expect((await trusted.get(id)).status).toBe(200);
  });

  onPostgres("is not signed with a wrong code, one that was used, or too many tries", async () => {
    const { realm, asUser, code } = await shop();
    await realm.asMaster().put("/settings", { ...(await realm.asMaster().get("/settings")).body, bruteForce: { enabled: false } });
    const [first, second] = [(await asUser.create(payment)).body.id, (await asUser.create(payment)).body.id];
    const used = code();
    expect((await asUser.sign(first, { factor: "totp", value: used })).status).toBe(200);
    const wrong = [403, "transactions.wrong_factor"];
    expect(refusal(await asUser.sign(second, { factor: "totp", value: used }))).toEqual(wrong);
    expect(fieldsOf(await asUser.sign(second, { factor: "password", value: "x" }))).toEqual([400, ["factor:enum"]]);
    expect(refusal(await asUser.sign(second, { factor: "recovery-code", value: "AAAAA-AAAAA" }))).toEqual(wrong);
    for (const value of ["000000", "x"]) expect(refusal(await asUser.sign(second, { factor: "totp", value }))).toEqual(wrong);
    expect(refusal(await asUser.sign(second, { factor: "totp", value: "000001" }))).toEqual([403, "transactions.declined"]);
    expect(refusal(await asUser.sign(second, { factor: "totp", value: code(1) }))).toEqual([409, "transactions.not_pending"]);
    expect((await asUser.get(second)).body.status).toBe("DECLINED");
    expect((await realm.events("type=MFA_FAILURE")).length).toBe(5);
  });

  test("is signed by only one of two concurrent requests with the same code", async () => {
    const { asUser, code } = await shop();
    const ids = [(await asUser.create(payment)).body.id, (await asUser.create(payment)).body.id];
    const answers = await Promise.all(ids.map((id) => asUser.sign(id, { factor: "totp", value: code() })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const states = await Promise.all(ids.map(async (id) => (await asUser.get(id)).body.status));
    expect(states.sort()).toEqual(["PENDING", "SIGNED"]);
  });

  test("counts wrong codes across transactions, and delays further attempts", async () => {
    const { asUser } = await shop();
    const ids: string[] = [];
    for (let n = 0; n < 11; n++) ids.push((await asUser.create(payment)).body.id);
    // Some of the concurrent attempts have to wait, or they lock the factor for the next one.
    const answers = await Promise.all(ids.slice(1).map((id) => asUser.sign(id, { factor: "totp", value: "000000" })));
    answers.push(await asUser.sign(ids[0]!, { factor: "totp", value: "000000" }));
    const waits = answers.filter(({ status }) => status === 429);
    expect(waits.length).toBeGreaterThan(0);
    for (const wait of waits) expect([...refusal(wait), Number(wait.headers["retry-after"]) > 0]).toEqual([429, "transactions.wait", true]);
  });

  test("ends with its client: a later client with the same client id can neither read nor consume it", async () => {
    const { realm, user } = await shop();
    const desk = await machineOf(realm, "desk");
    const { id } = (await desk.create({ ...payment, userId: user.userId })).body;
    expect((await desk.get(id)).status).toBe(200);
    const admin = realm.asMaster();
    const { body: found } = await admin.get("/clients?search=desk");
    expect((await admin.delete(`/clients/${found[0].id}`)).status).toBe(204);
    const later = await machineOf(realm, "desk");
    expect([refusal(await later.get(id)), refusal(await later.consume(id))]).toEqual([NOT_FOUND, NOT_FOUND]);
  });

  test("is declined by its user, and expires", async () => {
    const { realm, asUser, code } = await shop();
    const { id } = (await asUser.create(payment)).body;
    expect((await asUser.decline(id)).body.status).toBe("DECLINED");
    expect(refusal(await asUser.decline(id))).toEqual([409, "transactions.not_pending"]);
    expect(refusal(await asUser.sign(id, { factor: "totp", value: code() }))).toEqual([409, "transactions.not_pending"]);
    expect(await realm.events("type=TX_SIGNED")).toMatchObject([{ outcome: "FAILURE", detail: "payment: declined" }]);
    const [unsigned, signed] = [
      (await asUser.create({ ...payment, expiresIn: 60 })).body.id,
      (await asUser.create({ ...payment, expiresIn: 60 })).body.id,
    ];
    expect((await asUser.sign(signed, { factor: "totp", value: code() })).status).toBe(200);
    clock.advance(MINUTE + 1);
    for (const late of [unsigned, signed]) expect((await asUser.get(late)).body.status).toBe("EXPIRED");
    expect(refusal(await asUser.sign(unsigned, { factor: "totp", value: code() }))).toEqual([409, "transactions.not_pending"]);
    expect(refusal(await asUser.consume(signed))).toEqual([409, "transactions.not_signed"]);
    await deleteExpiredTransactions(iam.core.db, clock.now() + DAY + 10 * MINUTE);
    expect(await iam.core.db.selectFrom("transactions").select("transaction_id").where("realm_id", "=", realm.name).execute()).toEqual([]);
  });

  test("needs two kinds of proof where it asks for them", async () => {
    const { realm, asUser, code } = await shop();
    const signedInBy = (...amr: string[]) =>
      iam.core.db
        .updateTable("sessions")
        .set({ amr: JSON.stringify(amr) })
        .where("realm_id", "=", realm.name)
        .execute();
    await signedInBy("email");
    const strict = (await asUser.create({ ...payment, acr: "2" })).body.id;
    expect(refusal(await asUser.sign(strict, { factor: "totp", value: code() }))).toEqual([403, "transactions.acr"]);
    const loose = (await asUser.create(payment)).body.id;
    const signed = await asUser.sign(loose, { factor: "totp", value: code() });
    expect(decodeJwt(signed.body.jws)).toMatchObject({ acr: "1", amr: ["email", "otp"] });
    // An account at an identity provider is the other kind of factor.
    await signedInBy("fed");
    const federated = await asUser.sign(strict, { factor: "totp", value: code(1) });
    expect(federated.status, federated.text).toBe(200);
    expect(decodeJwt(federated.body.jws)).toMatchObject({ acr: "2", amr: ["fed", "otp", "mfa"] });
  });

  test("refuses texts that cannot be shown, contradictions, and payloads that are too large", async () => {
    const { asUser } = await shop();
    const bad: [Record<string, unknown>, string][] = [
      [{ ...payment, payloadHash: sha("another") }, "payloadHash:mismatch"],
      [{ ...payment, payloadHash: "abc" }, "payloadHash:pattern"],
      [{ type: "payment", summary: "x" }, "payload:required"],
      [{ ...payment, payload: 7 }, "payload:type"],
      [{ ...payment, payload: ["x"] }, "payload:type"],
      [{ ...payment, payload: "x".repeat(16 * 1024 + 1) }, "payload:too_long"],
      [{ ...payment, summary: "Pay \u202e02" }, "summary:pattern"],
      [{ ...payment, summary: "Pay\u200b 20" }, "summary:pattern"],
      [{ ...payment, summary: "x".repeat(1001) }, "summary:too_long"],
      [{ ...payment, type: "<b>" }, "type:pattern"],
      [{ ...payment, expiresIn: 4000 }, "expiresIn:maximum"],
    ];
    for (const [body, field] of bad) expect(fieldsOf(await asUser.create(body))).toEqual([400, [field]]);
    expect((await asUser.create({ ...payment, payload: "x".repeat(70_000) })).status).toBe(413);
    const sorted = await asUser.create({ ...payment, payload: { b: [1, { d: null, c: "é" }], a: 1e21 } });
    // RFC 8785 defines this form.
    expect(sorted.body.payloadHash).toBe(sha('{"a":1e+21,"b":[1,{"c":"é","d":null}]}'));
    expect((await asUser.create({ ...payment, payload: undefined, payloadHash: sha("x") })).body.payloadHash).toBe(sha("x"));
  });
});

test("an enrolled device signs the transaction and the payload's hash, and nothing else with it", async () => {
  const realm = await iam.realm();
  const user = await realm.user();
  const asUser = bearing(realm, await tokenOf(await relyingParty(iam, realm), user));
  const app = await enrolledApp(iam, realm, user.userId);
  const hers = await enrolledApp(iam, realm, (await realm.user()).userId);
  const [one, two] = [(await asUser.create(payment)).body, (await asUser.create(payment)).body];
  const sign = (value: string, id = one.id) => asUser.sign(id, { factor: "push", value });
  const good = app.signTx(one.id, { payload_hash: one.payloadHash });
  const wrong = [403, "transactions.wrong_factor"];
  expect(refusal(await sign(app.signTx(one.id, { payload_hash: sha("another") })))).toEqual(wrong);
  expect(refusal(await sign(hers.signTx(one.id, { payload_hash: one.payloadHash })))).toEqual(wrong);
  expect(refusal(await sign(good, two.id))).toEqual(wrong);
  const signed = await sign(good);
  expect([signed.status, signed.body.status]).toEqual([200, "SIGNED"]);
  expect(refusal(await sign(good))).toEqual([409, "transactions.not_pending"]);
});

describe("the page of a transaction", () => {
  const asPage = { headers: { accept: "text/html" } };

  onPostgres("offers people without a second factor to set one up, and takes them back to sign", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const party = await relyingParty(iam, realm, { clientId: "shop", name: "Web shop" });
    const { body } = await bearing(realm, await tokenOf(party, user)).create(payment);
    const browser = iam.browser();
    await browser.signIn(realm.name, user.username, user.password);
    const at = `/realms/${realm.name}/tx/${body.id}`;
    const page = await browser.get(at, asPage);
    expect(page.text).toContain("Signing needs a second step, and your account has none yet.");
    expect(page.text).not.toContain('name="value"');
    const link = /href="([^"]+)">Set up an authenticator app/.exec(page.text)![1]!.replaceAll("&amp;", "&");
    const { page: setUp } = await walk(browser, iam.config.baseUrl, link);
    const code = () => codeOfApp(keyOn(setUp));
    const codes = await submit(browser, iam.config.baseUrl, setUp, { code: code() });
    const back = await submit(browser, iam.config.baseUrl, codes.page, {});
    expect(back.page.body.code, "at the transaction, which programs need a token for").toBe("transactions.bearer");
    expect((await browser.get(at, asPage)).text).toContain('name="value"');
    expect((await walk(browser, iam.config.baseUrl, link)).page.text, "an app is there: nothing is set up").not.toContain("gh-key");
  });

  test("shows what is signed and its hash, and signs it by code", async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const browser = iam.browser();
    const party = await relyingParty(iam, realm, { clientId: "shop", name: "Web <shop>" });
    const answer = await party.signIn(browser, user);
    const asUser = bearing(realm, answer.body.access_token);
    const code = await withTotp(realm, user.userId);
    const { id } = (await asUser.create({ ...payment, summary: "Pay <b>20</b> euro" })).body;
    const at = `/realms/${realm.name}/tx/${id}`;
    const page = await browser.get(at, asPage);
    for (const words of ["Pay &lt;b>20&lt;/b> euro", sha(payment.payload), "Web &lt;shop>", user.username])
      expect(page.text).toContain(words);
    expect(page.text).toContain(`href="${at}?lang=de"`);
    expect((await browser.get(`${at}?lang=de`, asPage)).text).toContain("Das unterschreiben?");
    await browser.get(`${at}?lang=en`, asPage);
    const _csrf = /name="_csrf" value="([^"]+)"/.exec(page.text)![1]!;
    const send = (path: string, form: Record<string, string>) => browser.request("POST", `${at}${path}`, { ...asPage, form, csrf: false });
    expect((await send("/sign", { factor: "totp", value: code() })).status).toBe(403);
    const wrong = await send("/sign", { _csrf, factor: "totp", value: "000000" });
    expect([wrong.status, wrong.text.includes("That code isn’t right")]).toEqual([403, true]);
    const signed = await send("/sign", { _csrf, factor: "totp", value: code() });
    expect([signed.status, signed.text.includes("Signed")]).toEqual([200, true]);
    expect((await asUser.get(id)).body.status).toBe("SIGNED");
    const other = (await asUser.create(payment)).body.id;
    const declined = await browser.request("POST", `/realms/${realm.name}/tx/${other}/decline`, {
      ...asPage,
      form: { _csrf },
      csrf: false,
    });
    expect([declined.status, declined.text.includes("Not signed")]).toEqual([200, true]);
  });

  onPostgres("is for the user alone, in person", async () => {
    const { realm, user, asUser } = await shop();
    const { id } = (await asUser.create(payment)).body;
    const at = `/realms/${realm.name}/tx/${id}`;
    expect((await iam.browser().get(at, asPage)).headers.location).toMatch(/\/login\?interaction=/);
    const eve = await realm.user();
    const hers = iam.browser();
    await hers.signIn(realm.name, eve.username, eve.password);
    expect((await hers.get(at, asPage)).status).toBe(404);
    const admin = await realm.as("manage-users", "view-users");
    const { body } = await admin.post(`/users/${user.userId}/impersonate`);
    await admin.browser.get(body.url.replace(iam.config.baseUrl, ""));
    const page = await admin.browser.get(at, asPage);
    const form = { _csrf: /name="_csrf" value="([^"]+)"/.exec(page.text)![1]!, factor: "totp", value: "000000" };
    for (const path of ["/sign", "/decline"]) {
      const { factor: _, value: __, ...bare } = form;
      expect(
        (await admin.browser.request("POST", `${at}${path}`, { ...asPage, form: path === "/sign" ? form : bare, csrf: false })).status,
      ).toBe(403);
    }
    expect((await asUser.get(id)).body.status).toBe("PENDING");
  });
});
