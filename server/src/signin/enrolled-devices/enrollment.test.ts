import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, HOUR, MINUTE } from "../../kernel/clock.ts";
import type { Answer } from "../../testing/browser.ts";
import { appKey, enrolledApp, enrollmentToken } from "../../testing/device.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The clean-up would read the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const BAD_TOKEN = [401, "devices.bad_enrollment_token"];
const call = (realm: RealmUnderTest, path: string, token: string, body?: unknown) =>
  iam.browser().post(`/realms/${realm.name}/device${path}`, body, { headers: { authorization: `Bearer ${token}` } });
const start = (realm: RealmUnderTest, token: string) => call(realm, "/enroll/start", token);

async function prepared(realm: RealmUnderTest, token: string, key = appKey(), claims: Record<string, unknown> = {}) {
  const { body } = await start(realm, token);
  const proof = key.jws({ typ: "gatehouse-enroll+jwt" }, { aud: body.audience, challenge: body.challenge, ...claims });
  return { key: key.jwk, proof, name: "Ada's phone", platform: "Android 16" };
}

describe("enrolling a device", () => {
  test.each(["ec", "rsa"] as const)("with its own key (%s) makes it a credential, once, with the event", async (kind) => {
    const realm = await iam.realm();
    const { userId, username } = await realm.user();
    const token = await enrollmentToken(realm, userId, { label: "For the phone" });
    const begun = await start(realm, token);
    expect(begun.body).toMatchObject({
      username,
      label: "For the phone",
      realm: realm.name,
      pushDriver: null,
      algorithms: ["ES256", "RS256"],
    });
    expect(begun.headers["cache-control"]).toBe("no-store");
    const body = await prepared(realm, token, appKey(kind));
    const enrolled = await call(realm, "/enroll", token, body);
    expect([enrolled.status, enrolled.body]).toEqual([
      201,
      {
        deviceId: expect.any(String),
        name: "Ada's phone",
        alg: kind === "ec" ? "ES256" : "RS256",
        username,
        createdAt: expect.any(Number),
        codes: Array.from({ length: 10 }, () => expect.stringMatching(/^[0-9A-Z]{5}-[0-9A-Z]{5}$/)),
      },
    ]);
    const { body: credentials } = await realm.asMaster().get(`/users/${userId}/credentials`);
    expect(credentials.filter(({ type }: { type: string }) => type === "push")).toMatchObject([
      { id: enrolled.body.deviceId, type: "push", label: "Ada's phone" },
    ]);
    expect(credentials.filter(({ type }: { type: string }) => type === "recovery-code")).toMatchObject([{ remaining: 10 }]);
    const another = await enrollmentToken(realm, userId);
    expect((await call(realm, "/enroll", another, await prepared(realm, another))).body.codes, "a second one brings none").toBeUndefined();
    expect((await realm.asMaster().get(`/users/${userId}`)).body.mfaEnabled).toBe(true);
    const added = (await realm.events("type=CREDENTIAL_ADDED")).filter(({ detail }) => detail === "push");
    const one = { actor: username, resourceType: "users", resourceId: userId, category: "SECURITY" };
    expect(added).toMatchObject([one, one]);
    for (const again of [await start(realm, token), await call(realm, "/enroll", token, body)]) expect(refusal(again)).toEqual(BAD_TOKEN);
  });

  test("with one token works once, also for two concurrent requests", async () => {
    const realm = await iam.realm();
    const { userId } = await realm.user();
    const token = await enrollmentToken(realm, userId);
    const bodies = await Promise.all([appKey(), appKey(), appKey()].map((key) => prepared(realm, token, key)));
    const answers = await Promise.all(bodies.map((body) => call(realm, "/enroll", token, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    const { body: credentials } = await realm.asMaster().get(`/users/${userId}/credentials`);
    expect(credentials.filter(({ type }: { type: string }) => type === "push")).toHaveLength(1);
  });

  test("ends with a new password, when sessions are ended for the user, and while they are disabled or locked, unless an administrator issued the token", async () => {
    const realm = await iam.realm();
    const { userId, username, ...user } = await realm.user();
    let { password } = user;
    const ends = [
      () => {
        password += " again";
        return realm.asMaster().put(`/users/${userId}/password`, { newPassword: password });
      },
      () => realm.asMaster().post(`/users/${userId}/logout`),
      () => realm.asMaster().delete(`/users/${userId}/sessions`),
      async () => {
        const elsewhere = iam.browser();
        await elsewhere.signIn(realm.name, username, password);
        return elsewhere.delete(`/realms/${realm.name}/account/sessions`);
      },
      async () => {
        await iam.browser().signIn(realm.name, username, password);
        const [{ id }] = (await realm.asMaster().get(`/sessions?search=${userId}`)).body;
        return realm.asMaster().delete(`/sessions/${id}`);
      },
      async () => {
        for (const enabled of [false, true]) expect((await realm.asMaster().patch(`/users/${userId}`, { enabled })).status).toBe(200);
        return { status: 204 };
      },
    ];
    for (const end of ends) {
      const browser = iam.browser();
      await browser.signIn(realm.name, username, password);
      const own = await browser.post(`/realms/${realm.name}/account/credentials`, { type: "enrollment-token" });
      expect(own.status, JSON.stringify(own.body)).toBe(201);
      const security = await browser.get(`/realms/${realm.name}/account/pages/security`);
      expect(security.text).toContain("Code for a phone, not used yet");
      expect((await start(realm, own.body.token)).status).toBe(200);
      expect((await end()).status).toBe(204);
      expect(refusal(await start(realm, own.body.token))).toEqual(BAD_TOKEN);
      const given = await enrollmentToken(realm, userId);
      expect((await end()).status).toBe(204);
      expect((await start(realm, given)).status).toBe(200);
    }
    expect((await realm.events("type=CREDENTIAL_REVOKED")).filter(({ detail }) => detail === "enrollment-token").length).toBeGreaterThan(1);
  });

  test("ends with a new password if administrators made the token for themselves", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const { token } = (await admin.post(`/users/${admin.userId}/credentials`, { type: "enrollment-token" })).body;
    expect((await start(realm, token)).status).toBe(200);
    expect((await realm.asMaster().put(`/users/${admin.userId}/password`, { newPassword: "another long sentence" })).status).toBe(204);
    expect(refusal(await start(realm, token))).toEqual(BAD_TOKEN);
  });

  test("is refused with a token that expired, of another realm, of a disabled user, or with another text", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const { userId } = await realm.user();
    const token = await enrollmentToken(realm, userId);
    const body = await prepared(realm, token);
    for (const bad of ["x".repeat(43), ""]) {
      expect(refusal(await start(realm, bad))).toEqual(BAD_TOKEN);
      expect(refusal(await call(realm, "/enroll", bad, {}))).toEqual(BAD_TOKEN);
    }
    expect(refusal(await call(other, "/enroll", token, body))).toEqual(BAD_TOKEN);
    const { body: user } = await realm.asMaster().get(`/users/${userId}`);
    await realm.asMaster().put(`/users/${userId}`, { ...user, enabled: false });
    expect(refusal(await call(realm, "/enroll", token, body))).toEqual(BAD_TOKEN);
    await realm.asMaster().put(`/users/${userId}`, { ...user, enabled: true });
    clock.advance(HOUR + 1);
    expect(refusal(await start(realm, token))).toEqual(BAD_TOKEN);
    expect(refusal(await call(realm, "/enroll", token, body))).toEqual(BAD_TOKEN);
    expect((await iam.browser().post("/realms/no-such/device/enroll/start")).status).toBe(404);
  });

  test("needs a fresh proof by the key that is sent, for this address and this token's challenge", async () => {
    const realm = await iam.realm();
    const { userId } = await realm.user();
    const elsewhere = await enrollmentToken(realm, (await realm.user()).userId);
    const token = await enrollmentToken(realm, userId);
    const key = appKey();
    const { body: begun } = await start(realm, token);
    const { body: foreign } = await start(realm, elsewhere);
    const sign = (header: Record<string, unknown>, claims: Record<string, unknown>) =>
      key.jws({ typ: "gatehouse-enroll+jwt", ...header }, { aud: begun.audience, challenge: begun.challenge, ...claims });
    const enroll = (proof: string, jwk: unknown = key.jwk) => call(realm, "/enroll", token, { key: jwk, proof, name: "Ada's phone" });
    const bad = [400, "devices.bad_proof"];
    expect(refusal(await enroll(sign({}, {}), appKey().jwk))).toEqual(bad);
    expect(refusal(await enroll(sign({ typ: "gatehouse-device+jwt" }, {})))).toEqual(bad);
    expect(refusal(await enroll(sign({ alg: "none" }, {})))).toEqual(bad);
    expect(refusal(await enroll(sign({}, { aud: `${begun.audience}/other` })))).toEqual(bad);
    expect(refusal(await enroll(sign({}, { iat: Math.floor(clock.now() / 1000) - 600 })))).toEqual(bad);
    expect(refusal(await enroll("not.a.jws"))).toEqual(bad);
    for (const challenge of [foreign.challenge, "x", "", `${begun.challenge}x`, 7])
      expect([challenge, ...refusal(await enroll(sign({}, { challenge })))]).toEqual([challenge, 400, "devices.bad_challenge"]);
    const late = sign({}, {});
    clock.advance(11 * MINUTE);
    expect(refusal(await enroll(late))).toEqual(bad);
    expect(refusal(await enroll(sign({}, {})))).toEqual([400, "devices.bad_challenge"]);
    clock.reset();
    expect((await enroll(sign({}, {}))).status).toBe(201);
  });

  test("accepts public keys that are strong enough, and says what is wrong with others", async () => {
    const realm = await iam.realm();
    const token = await enrollmentToken(realm, (await realm.user()).userId);
    const body = await prepared(realm, token);
    const { x, y } = body.key;
    const keys = [
      { ...body.key, d: "secret" },
      { kty: "EC", crv: "P-256", x, y: x },
      { kty: "oct", k: "AAAA" },
      { kty: "EC", crv: "P-384", x, y },
      {},
    ];
    for (const key of keys) expect(refusal(await call(realm, "/enroll", token, { ...body, key }))).toEqual([400, "devices.bad_key"]);
    const answer = await call(realm, "/enroll", token, { key: 7, proof: body.proof, name: "\u202e", extra: 1 });
    expect([answer.status, answer.headers["content-type"]]).toEqual([400, "application/problem+json; charset=utf-8"]);
    expect(answer.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(["extra", "key", "name"]);
    expect((await call(realm, "/enroll", token, { ...body, name: "x".repeat(40_000) })).status).toBe(413);
    expect((await call(realm, "/enroll", token, body)).status).toBe(201);
  });
});

describe("a device with a push token", () => {
  const pushToken = { driver: "fcm", token: "fcm-token_0123456789:APA91b" };

  onPostgres("is one credential: it is listed once, and removed with its key and its token", async () => {
    const realm = await iam.realm();
    const { userId } = await realm.user();
    const { deviceId } = await enrolledApp(iam, realm, userId, { pushToken });
    const at = `/users/${userId}/credentials`;
    const list = async () => (await realm.asMaster().get(at)).body.filter(({ type }: { type: string }) => type === "push");
    expect(await list()).toMatchObject([{ id: deviceId, label: "Ada's phone" }]);
    expect((await realm.asMaster().get("/messaging/push-tokens")).body).toMatchObject([{ id: deviceId, userId, driver: "fcm" }]);
    // The app was set up anew, with the same push token and another key.
    const again = await enrolledApp(iam, realm, userId, { pushToken });
    expect([again.deviceId, await list()]).toEqual([deviceId, [expect.objectContaining({ id: deviceId })]]);
    expect((await realm.asMaster().delete(`${at}/push/${deviceId}`)).status).toBe(204);
    expect([await list(), (await realm.asMaster().get("/messaging/push-tokens")).body]).toEqual([[], []]);
    expect((await again.call("GET", "/push")).status).toBe(401);
  });

  test("is not taken from another user", async () => {
    const realm = await iam.realm();
    const [ada, eve] = [await realm.user(), await realm.user()];
    await enrolledApp(iam, realm, ada.userId, { pushToken });
    await expect(enrolledApp(iam, realm, eve.userId, { pushToken })).rejects.toThrow("devices.push_token_taken");
    expect((await realm.asMaster().get("/messaging/push-tokens")).body).toMatchObject([{ userId: ada.userId }]);
    // Nothing of it was stored: the token still works, without the push token.
    expect((await realm.asMaster().get(`/users/${eve.userId}`)).body.mfaEnabled).toBe(false);
  });
});
