import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { type Party, relyingParty, submit, walk } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

type Person = Awaited<ReturnType<RealmUnderTest["user"]>>;

/** Signs in and allows what the client asks for. */
async function allow(party: Party, person: Person) {
  const { baseUrl } = iam.config;
  const browser = iam.browser();
  const { page } = await walk(browser, baseUrl, party.url());
  const requested = await submit(browser, baseUrl, page, { username: person.username, password: person.password });
  const { left } = await submit(browser, baseUrl, requested.page, { decision: "allow" });
  const tokens = await party.exchange(left);
  expect(tokens.status, tokens.text).toBe(200);
  return tokens.body;
}

describe("DELETE /users/{id}/gdpr/consents/{clientId}", () => {
  test("ends the consent and the tokens of that client, and of no other user or client", async () => {
    const realm = await iam.realm();
    const members = { consentRequired: true, publicClient: false };
    const [app, shop] = [
      await relyingParty(iam, realm, { ...members, clientId: "app" }),
      await relyingParty(iam, realm, { ...members, clientId: "shop" }),
    ];
    const [ada, bob] = [await realm.user("ada"), await realm.user("bob")];
    const [adaApp, adaShop, bobApp] = [await allow(app, ada), await allow(shop, ada), await allow(app, bob)];
    const active = async (party: Party, { access_token }: { access_token: string }) =>
      (await party.post("/introspect", { token: access_token })).body.active;
    expect([await active(app, adaApp), await active(shop, adaShop), await active(app, bobApp)]).toEqual([true, true, true]);

    const admin = await realm.as("manage-users", "view-users");
    for (const id of [app.id, "app"])
      expect(await admin.get(`/users/${ada.userId}/gdpr/consents/${id}`)).toMatchObject({ status: 200, body: { clientId: "app" } });
    expect((await admin.get(`/users/${ada.userId}/gdpr/consents/another`)).status).toBe(404);
    const gone = await admin.delete(`/users/${ada.userId}/gdpr/consents/${app.id}`);
    expect(gone.status, gone.text).toBe(204);
    expect([await active(app, adaApp), await active(shop, adaShop), await active(app, bobApp)]).toEqual([false, true, true]);
    expect((await admin.get(`/users/${ada.userId}/gdpr/consents`)).body).toMatchObject([{ clientId: "shop" }]);
    expect(await realm.events("type=CONSENT_REVOKED")).toMatchObject([
      { category: "SECURITY", actor: admin.username, resourceType: "consents", resourceId: "app", detail: `user ${ada.userId}` },
    ]);
    expect(await realm.events(`type=ADMIN_DELETE&resourceId=${ada.userId}`)).toMatchObject([{ detail: "consent to app" }]);

    const again = await admin.delete(`/users/${ada.userId}/gdpr/consents/app`);
    expect([again.status, again.body.code]).toEqual([404, "consents.not_found"]);
    expect((await admin.delete(`/users/${ada.userId}/gdpr/consents/shop`)).status, "by the id that the list shows").toBe(204);
    expect(await active(shop, adaShop)).toBe(false);
    expect(await realm.events("type=CONSENT_REVOKED")).toHaveLength(2);
  });

  test("takes neither a user nor a client of another realm", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const party = await relyingParty(iam, other, { consentRequired: true });
    const ada = await other.user("ada");
    await allow(party, ada);
    const admin = await realm.as("realm-admin");
    const own = await realm.user("ada");
    const foreignUser = await admin.delete(`/users/${ada.userId}/gdpr/consents/${party.clientId}`);
    expect([foreignUser.status, foreignUser.body.code]).toEqual([404, "users.not_found"]);
    for (const client of [party.id, party.clientId])
      expect((await admin.delete(`/users/${own.userId}/gdpr/consents/${client}`)).body.code).toBe("consents.not_found");
    expect((await other.asMaster().get(`/users/${ada.userId}/gdpr/consents`)).body).toHaveLength(1);
  });
});
