import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { identityProvider, linkTo } from "../../testing/identity-providers.ts";
import { signInWithPasskey, userWithPasskey } from "../../testing/passkeys.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const at = (realm: RealmUnderTest, path: string) => `/realms/${realm.name}/account${path}`;
const alternative = (authenticator: string) => ({ authenticator, requirement: "ALTERNATIVE", config: {} });

async function askBy(realm: RealmUnderTest, ...steps: object[]) {
  const saved = await realm.asMaster().put("/flows/browser", { alias: "browser", displayName: "Sign in", steps });
  expect(saved.status, saved.text).toBe(200);
}

async function signedIn(realm: RealmUnderTest) {
  const user = await realm.user();
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  return { ...user, browser };
}

type Listed = { type: string; id: string; turnedOffAt?: number };
type Signed = Pick<Awaited<ReturnType<typeof signedIn>>, "browser">;
const credentials = async (realm: RealmUnderTest, { browser }: Signed): Promise<Listed[]> =>
  (await browser.get(at(realm, "/credentials"))).body;
async function remove(realm: RealmUnderTest, who: Signed, type: string) {
  const { id } = (await credentials(realm, who)).find((each) => each.type === type)!;
  return refusal(await who.browser.delete(at(realm, `/credentials/${type}/${id}`)));
}

describe("users keep their last way to sign in", () => {
  test("a disabled passkey is none, and the lists say so", async () => {
    const realm = await iam.realm();
    const ada = await userWithPasskey(iam, realm);
    expect((await credentials(realm, ada)).map(({ turnedOffAt }) => turnedOffAt)).toEqual([undefined, undefined, undefined]);
    for (const counter of [7, 2]) await signInWithPasskey(iam.browser(), realm.name, ada.passkey, { counter });
    const since = { type: "passkey", turnedOffAt: expect.any(Number) };
    expect((await credentials(realm, ada)).filter(({ type }) => type === "passkey")).toMatchObject([since]);
    expect((await realm.asMaster().get(`/users/${ada.userId}/credentials/passkey/${ada.credentialId}`)).body).toMatchObject(since);
    expect((await ada.browser.get(at(realm, "/pages/security"))).text).toContain("someone may have a copy");
    expect(await remove(realm, ada, "password")).toEqual([409, "credentials.last_way_in"]);
    // Only a recovery code passes the second factor, which is still asked for.
    expect(await remove(realm, ada, "recovery-code")).toEqual([409, "credentials.last_way_in"]);
    expect(await remove(realm, ada, "passkey")).toEqual([204, undefined]);
    expect(await remove(realm, ada, "recovery-code")).toEqual([204, undefined]);
    expect(await remove(realm, ada, "password")).toEqual([409, "credentials.last_way_in"]);
  });

  test("a password may be removed if an enabled passkey remains, or an account at a provider; not if the realm asks for neither", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const ada = await userWithPasskey(iam, realm);
    await askBy(realm, alternative("username-password"));
    expect(await remove(realm, ada, "password")).toEqual([409, "credentials.last_way_in"]);
    await askBy(realm, alternative("username-password"), alternative("passkey"));
    expect(await remove(realm, ada, "password")).toEqual([204, undefined]);
    expect(await remove(realm, ada, "passkey")).toEqual([409, "credentials.last_way_in"]);

    const bob = await signedIn(realm);
    expect((await boss.post("/identity-providers", identityProvider("oidc", "corp"))).status).toBe(201);
    await linkTo(iam, realm, "corp", bob.userId, "subject-1");
    expect(await remove(realm, bob, "password")).toEqual([409, "credentials.last_way_in"]);
    await askBy(realm, alternative("username-password"), alternative("identity-provider"));
    expect(await remove(realm, bob, "password")).toEqual([204, undefined]);
    const own = at(realm, "/linked-accounts/corp");
    expect(refusal(await bob.browser.delete(own))).toEqual([409, "identity_providers.last_way_in"]);
    // A link with which nobody can sign in may be removed.
    await askBy(realm, alternative("username-password"));
    expect(refusal(await bob.browser.delete(own))).toEqual([204, undefined]);
  });
});
