import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import type { Answer, Browser } from "../../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { passkeyForm, testPasskey } from "../../../testing/passkey.ts";
import { answerWith, signInWithPasskey, toSecondFactor, userWithPasskey } from "../../../testing/passkeys.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { relyingParty, submit, walk } from "../../../testing/relying-party.ts";
import { answerPage, followed, isSignedIn } from "../../../testing/step-pages.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The cleanup would delete rows by the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const alertOf = ({ status, text }: Answer) => [status, /gh-alert-title">([^<]+)/.exec(text)?.[1]];
const at = (realm: RealmUnderTest, path = "") => `/realms/${realm.name}/account/credentials${path}`;
const passkeysOf = async (realm: RealmUnderTest, userId: string) =>
  (await realm.asMaster().get(`/users/${userId}/credentials`)).body.filter(({ type }: { type: string }) => type === "passkey");

/** Chooses another method on the page of a step. */
async function otherWay(browser: Browser, realm: RealmUnderTest, page: Answer, label: string) {
  const [, choose] = new RegExp(`name="choose" value="([^"]+)"(?:(?!</form>).)*${label}`, "s").exec(page.text)!;
  return followed(browser, await answerPage(browser, realm.name, page, { choose: choose! }));
}

async function signedIn(realm: RealmUnderTest) {
  const user = await realm.user();
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  const options = async () => (await browser.post(at(realm), { type: "passkey" })).body.options;
  const add = (credential: object, more: object = {}) => browser.post(at(realm), { type: "passkey", credential, ...more });
  return { ...user, browser, options, add };
}

describe("in the account, a passkey", () => {
  test("is added in two steps, named, renamed, used and removed", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    const passkey = testPasskey();
    const options = await ada.options();
    expect(options).toMatchObject({
      rp: { id: "localhost", name: realm.name },
      user: { name: ada.username },
      attestation: "none",
      excludeCredentials: [],
      authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    });
    expect(Buffer.from(options.user.id, "base64url").toString(), "nothing that identifies the user").not.toContain(ada.userId);
    const added = await ada.add(passkey.create(options), { label: "laptop" });
    expect(added).toMatchObject({ status: 201, body: { type: "passkey", label: "laptop", lastUsedAt: null } });
    expect(added.text).not.toContain(passkey.id);
    expect(added.body.codes, "with the first second factor").toHaveLength(10);
    const events = await realm.events("type=CREDENTIAL_ADDED");
    expect(events.map(({ detail }) => detail)).toEqual(["recovery-code", "passkey"]);
    expect(events[1]).toMatchObject({ actor: ada.username, resourceId: ada.userId });
    const second = await ada.add(testPasskey().create(await ada.options()));
    expect([second.status, second.body.codes]).toEqual([201, undefined]);
    expect((await ada.browser.delete(at(realm, `/passkey/${second.body.id}`))).status).toBe(204);
    expect((await realm.asMaster().get(`/users/${ada.userId}`)).body.mfaEnabled).toBe(true);
    // The next passkey has to be created on another device.
    expect((await ada.options()).excludeCredentials).toMatchObject([{ id: passkey.id }]);

    const { id } = added.body;
    expect(await ada.browser.put(at(realm, `/passkey/${id}`), { label: "old laptop" })).toMatchObject({
      status: 200,
      body: { id, label: "old laptop" },
    });
    const bob = await signedIn(realm);
    expect(refusal(await bob.browser.put(at(realm, `/passkey/${id}`), { label: "mine" }))).toEqual([404, "credentials.not_found"]);
    expect(refusal(await bob.browser.delete(at(realm, `/passkey/${id}`)))).toEqual([404, "credentials.not_found"]);
    expect(isSignedIn(await signInWithPasskey(iam.browser(), realm.name, passkey), realm.name)).toBe(true);
    expect((await ada.browser.delete(at(realm, `/passkey/${id}`))).status).toBe(204);
    expect((await signInWithPasskey(iam.browser(), realm.name, passkey)).status).toBe(401);
  });

  test("is refused when its challenge is spent, late, or another user's, and when it was made for another place", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const [ada, bob, eve] = [await signedIn(realm), await signedIn(realm), await signedIn(other)];
    const options = await ada.options();
    const REFUSED = [400, "passkeys.refused"];
    expect(refusal(await bob.add(testPasskey().create(options)))).toEqual(REFUSED);
    expect(refusal(await eve.add(testPasskey().create(options)))).toEqual(REFUSED);
    expect(refusal(await ada.add(testPasskey().create(options, { origin: "https://evil.example" })))).toEqual(REFUSED);
    expect(refusal(await ada.add(testPasskey().create(options, { rpId: "evil.example" })))).toEqual(REFUSED);
    expect(refusal(await ada.add({ id: "x" }))).toEqual(REFUSED);
    // A response to a challenge for signing in registers nothing.
    const login = passkeyForm((await iam.browser().get(`/realms/${realm.name}/login`)).text).options;
    expect(refusal(await ada.add(testPasskey().create(login)))).toEqual(REFUSED);
    expect((await ada.add(testPasskey().create(options))).status).toBe(201);
    expect(refusal(await ada.add(testPasskey().create(options)))).toEqual([400, "passkeys.expired"]);
    const late = await ada.options();
    clock.advance(5 * MINUTE);
    expect(refusal(await ada.add(testPasskey().create(late)))).toEqual([400, "passkeys.expired"]);
    expect(await passkeysOf(realm, ada.userId)).toHaveLength(1);
    expect(refusal(await ada.browser.post(at(realm), { type: "passkey", expiresIn: 60 }))).toEqual([400, "request.invalid"]);
  });

  test("belongs to one user of the realm, who has no more than the realm allows", async () => {
    const realm = await iam.realm();
    const { body } = await realm.asMaster().get("/settings");
    await realm.asMaster().put("/settings", { ...body, passkeys: { ...body.passkeys, maxPerUser: 2 } });
    const [ada, bob] = [await signedIn(realm), await signedIn(realm)];
    const passkey = testPasskey();
    expect((await ada.add(passkey.create(await ada.options()))).status).toBe(201);
    const imitation = testPasskey({ id: passkey.id });
    expect(refusal(await bob.add(imitation.create(await bob.options())))).toEqual([409, "passkeys.taken"]);
    expect(isSignedIn(await signInWithPasskey(iam.browser(), realm.name, passkey), realm.name)).toBe(true);
    const both = await Promise.all([0, 1].map(async () => ada.add(testPasskey().create(await ada.options()))));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(await passkeysOf(realm, ada.userId)).toHaveLength(2);
  });
});

describe("the required action CONFIGURE_PASSKEY", () => {
  test("within a session lets a user sign out who has no scripts or no device for it", async () => {
    const realm = await iam.realm();
    const ada = await signedIn(realm);
    await realm.asMaster().post(`/users/${ada.userId}/required-actions`, { action: "CONFIGURE_PASSKEY" });
    const base = iam.config.baseUrl;
    const { page } = await walk(ada.browser, base, (await relyingParty(iam, realm)).url());
    expect(page.text).toContain("Set up a passkey");
    expect(page.text).toContain(`href="/realms/${realm.name}/logout"`);
    await submit(ada.browser, base, (await walk(ada.browser, base, `/realms/${realm.name}/logout`)).page, {});
    expect(ada.browser.cookies.has(`gh_${realm.name}`)).toBe(false);
  });

  test("sets one up before the sign-in ends, and is not asked again", async () => {
    const realm = await iam.realm();
    const ada = await realm.user();
    const taken = await userWithPasskey(iam, realm);
    await realm.asMaster().post(`/users/${ada.userId}/required-actions`, { action: "CONFIGURE_PASSKEY" });
    const browser = iam.browser();
    const page = await toSecondFactor(browser, realm.name, ada);
    expect(page.text).toContain("Set up a passkey");
    const { options } = passkeyForm(page.text);
    const imitation = testPasskey({ id: taken.passkey.id });
    expect(alertOf(await answerWith(browser, realm.name, page, imitation.create(options)))).toEqual([
      400,
      "This device already has a passkey",
    ]);
    expect(alertOf(await answerWith(browser, realm.name, page, "{}"))).toEqual([400, "The passkey wasn’t saved"]);
    const passkey = testPasskey();
    const codes = await answerWith(browser, realm.name, page, passkey.create(options), { label: " my\u0007 phone " });
    // Recovery codes come with the first second factor. A user who closes their page still has the passkey.
    const [recoveryCode] = /[0-9A-Z]{5}-[0-9A-Z]{5}/.exec(codes.text)!;
    expect(await passkeysOf(realm, ada.userId)).toMatchObject([{ label: "my phone" }]);
    const done = await answerPage(browser, realm.name, codes, {});
    expect(isSignedIn(done, realm.name)).toBe(true);
    expect(await passkeysOf(realm, ada.userId)).toMatchObject([{ label: "my phone" }]);
    expect((await realm.asMaster().get(`/users/${ada.userId}/required-actions`)).body).toEqual([]);
    const [session] = (await browser.get(`/realms/${realm.name}/account/sessions`)).body;
    expect(session.amr, "it proves nothing that was not proven before").toEqual(["pwd"]);
    expect(isSignedIn(await signInWithPasskey(iam.browser(), realm.name, passkey), realm.name)).toBe(true);
    // In another browser, the password leads to the passkey, or to a recovery code.
    const elsewhere = iam.browser();
    const second = await toSecondFactor(elsewhere, realm.name, ada);
    expect(second.text).toContain("Use your passkey");
    const chosen = await otherWay(elsewhere, realm, second, "Use a recovery code");
    expect(isSignedIn(await answerPage(elsewhere, realm.name, chosen, { code: recoveryCode! }), realm.name)).toBe(true);
    // Users without recovery codes are asked for the passkey as well, and the page names who can help.
    const codesLeft = (await realm.asMaster().get(`/users/${ada.userId}/credentials`)).body.find(
      ({ type }: { type: string }) => type === "recovery-code",
    );
    expect(second.text).not.toContain("Ask your administrator");
    expect((await realm.asMaster().delete(`/users/${ada.userId}/credentials/recovery-code/${codesLeft.id}`)).status).toBe(204);
    const alone = await toSecondFactor(iam.browser(), realm.name, ada);
    expect(alone.text).toContain("Use your passkey");
    expect(alone.text).toContain("Ask your administrator");
  });

  test("cannot be set up without the password", async () => {
    const realm = await iam.realm();
    const ada = await realm.user();
    await realm.asMaster().post(`/users/${ada.userId}/required-actions`, { action: "CONFIGURE_PASSKEY" });
    const browser = iam.browser();
    const page = await browser.get(`/realms/${realm.name}/login`);
    const { options } = passkeyForm(page.text);
    const answer = await answerWith(browser, realm.name, page, testPasskey().create(options), { step: "action:CONFIGURE_PASSKEY" });
    expect(isSignedIn(answer, realm.name)).toBe(false);
    expect(await passkeysOf(realm, ada.userId)).toEqual([]);
  });
});
