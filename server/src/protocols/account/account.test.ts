import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findConsent, grantConsent } from "../../directory/consents/index.ts";
import { systemActor } from "../../platform/context.ts";
import type { Answer } from "../../testing/browser.ts";
import { MASTER_PASSWORD, type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const at = (realm: RealmUnderTest, path: string) => `/realms/${realm.name}/account/gdpr/${path}`;
const grant = (realm: RealmUnderTest, userId: string, clientId: string, scopes: string[]) =>
  iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
    grantConsent(ctx, { userId, clientId, resource: null }, scopes),
  );
async function signedIn(realm: RealmUnderTest) {
  const user = await realm.user();
  const browser = iam.browser();
  await browser.signIn(realm.name, user.username, user.password);
  return { ...user, browser };
}
const CLIENT = "https://app.example/client?id=1&x=a b";

describe("the account", () => {
  test("shows a user their own data only", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await signedIn(realm), await signedIn(realm)];
    await grant(realm, ada.userId, "shop", ["openid"]);
    const { body, status, headers } = await ada.browser.get(at(realm, "export"));
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(body).toMatchObject({ schema: "gatehouse.gdpr.export/v1", userId: ada.userId, consents: [{ clientId: "shop" }] });
    expect(body).toEqual({ ...(await realm.asMaster().get(`/users/${ada.userId}/gdpr/export`)).body, generatedAt: body.generatedAt });
    expect((await bob.browser.get(at(realm, "export"))).body).toMatchObject({ userId: bob.userId, consents: [] });
    expect((await bob.browser.get(at(realm, "consents"))).body).toEqual([]);
  });

  test("is refused to anonymous callers, to other realms, and to administrators of master", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const { browser } = await signedIn(other);
    const master = iam.browser();
    await master.signIn("master", "admin", MASTER_PASSWORD);
    for (const visitor of [iam.browser(), browser, master])
      for (const path of ["export", "consents"]) expect(refusal(await visitor.get(at(realm, path)))).toEqual([401, "account.no_session"]);
    expect(refusal(await master.delete(at(realm, "consents/shop")))).toEqual([401, "account.no_session"]);
    expect((await iam.browser().get("/realms/nowhere/account/gdpr/export")).status).toBe(404);
    // The realm's administrator sees only their own account, like every user.
    const admin = await realm.as("realm-admin");
    expect((await admin.browser.get(at(realm, "export"))).body.userId).toBe(admin.userId);
  });
});

describe("a consent", () => {
  test("is withdrawn by the user, once, for one application, and that is recorded", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await signedIn(realm), await signedIn(realm)];
    for (const { userId } of [ada, bob]) await grant(realm, userId, CLIENT, ["openid"]);
    await grant(realm, ada.userId, "shop", ["openid"]);
    const one = at(realm, `consents/${encodeURIComponent(CLIENT)}`);
    expect((await ada.browser.delete(one)).status).toBe(204);
    expect(refusal(await ada.browser.delete(one))).toEqual([404, "consents.not_found"]);
    expect((await ada.browser.get(at(realm, "consents"))).body).toMatchObject([{ clientId: "shop" }]);
    expect((await bob.browser.get(at(realm, "consents"))).body).toMatchObject([{ clientId: CLIENT }]);
    expect(await realm.events("type=CONSENT_REVOKED")).toMatchObject([
      { actor: ada.username, category: "SECURITY", resourceType: "consents", resourceId: CLIENT, impersonator: null },
    ]);
  });

  test("is not withdrawn without a matching CSRF token", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await signedIn(realm), await signedIn(realm)];
    await grant(realm, ada.userId, "shop", ["openid"]);
    const path = at(realm, "consents/shop");
    expect(refusal(await ada.browser.delete(path, { csrf: false }))).toEqual([403, "account.csrf"]);
    const foreign = bob.browser.cookies.get("XSRF-TOKEN")!;
    const own = ada.browser.cookies.get("XSRF-TOKEN")!;
    expect(refusal(await ada.browser.delete(path, { csrf: false, headers: { "x-xsrf-token": foreign } }))).toEqual([403, "account.csrf"]);
    ada.browser.cookies.set("XSRF-TOKEN", foreign);
    expect(refusal(await ada.browser.delete(path))).toEqual([403, "account.csrf"]);
    // A read sets a matching token again.
    await ada.browser.get(at(realm, "consents"));
    expect(ada.browser.cookies.get("XSRF-TOKEN")).not.toBe(foreign);
    expect(own).toMatch(/\./);
    expect((await ada.browser.delete(path)).status).toBe(204);
  });

  test("only grows when it is given again, also by concurrent requests", async () => {
    const realm = await iam.realm();
    const ada = await realm.user();
    await grant(realm, ada.userId, "shop", ["openid"]);
    const first = (await findConsent(iam.core.db, realm.name, ada.userId, "shop"))!;
    await Promise.all([grant(realm, ada.userId, "shop", ["profile", "email"]), grant(realm, ada.userId, "shop", ["phone"])]);
    const { db } = iam.core;
    const found = await findConsent(db, realm.name, ada.userId, "shop");
    expect(found).toMatchObject({ scopes: ["email", "openid", "phone", "profile"], grantedAt: first.grantedAt });
    expect((await realm.events("type=CONSENT_GRANTED"))[0]).toMatchObject({ resourceId: "shop" });
  });
});
