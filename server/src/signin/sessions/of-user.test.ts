import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const idsOf = (sessions: { id: string }[]) => sessions.map(({ id }) => id).sort();

describe("the sessions of a user", () => {
  test("are listed page by page, without those of other users", async () => {
    const realm = await iam.realm();
    const [ada, bob] = [await realm.user("ada"), await realm.user("bob")];
    for (const user of [ada, ada, ada, bob]) await iam.browser().signIn(realm.name, user.username, user.password);
    const looker = await realm.as("view-users");
    const first = await looker.get(`/users/${ada.userId}/sessions?size=2`);
    expect(first.headers["x-total-count"]).toBe("3");
    const next = /<[^>]*\/users([^>]*)>; rel="next"/.exec(String(first.headers.link))![1]!;
    const all = [...first.body, ...(await looker.get(`/users${next}`)).body];
    expect(new Set(idsOf(all)).size).toBe(3);
    expect(all.every(({ userId }: { userId: string }) => userId === ada.userId)).toBe(true);
    const [bobs] = (await looker.get(`/users/${bob.userId}/sessions`)).body;
    expect((await looker.get(`/users/${ada.userId}/sessions?search=${bobs.id}`)).body).toEqual([]);
    expect((await looker.get(`/users/${looker.userId}/sessions`)).body).toMatchObject([{ current: true }]);
    expect((await looker.get(`/users/${ada.userId}/sessions?unheardOf=1`)).status).toBe(400);
    expect((await looker.delete(`/users/${ada.userId}/sessions`)).status).toBe(403);
  });

  test("end all at once, each with its event, and offline access continues until the user is logged out", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { publicClient: false });
    const [ada, bob] = [await realm.user("ada"), await realm.user("bob")];
    const browser = iam.browser();
    const offline = (await party.signIn(browser, ada, { scope: "openid offline_access" })).body;
    const bound = (await party.signIn(iam.browser(), ada)).body;
    const bobs = (await party.signIn(iam.browser(), bob)).body;
    const alive = async () =>
      Promise.all(
        [offline, bound, bobs].map(async ({ access_token }) => (await party.post("/introspect", { token: access_token })).body.active),
      );
    expect(await alive()).toEqual([true, true, true]);
    const admin = await realm.as("manage-users");
    const live = idsOf((await realm.asMaster().get(`/users/${ada.userId}/sessions`)).body);
    expect(live).toHaveLength(2);

    expect((await admin.delete(`/users/${ada.userId}/sessions`)).status).toBe(204);
    expect(await alive()).toEqual([true, false, true]);
    expect((await realm.asMaster().get(`/users/${ada.userId}/sessions`)).body).toEqual([]);
    expect((await browser.get(`/realms/${realm.name}/account/sessions`)).status, "the cookie opens nothing").toBe(401);
    const revoked = await realm.events(`type=SESSION_REVOKED&resourceId=${ada.userId}`);
    expect(revoked.map(({ detail }) => detail).sort()).toEqual(live);
    expect(revoked[0]).toMatchObject({ category: "SECURITY", actor: admin.username });
    expect(await realm.events(`type=ADMIN_DELETE&resourceId=${ada.userId}`)).toMatchObject([{ detail: "sessions: 2" }]);
    expect((await admin.delete(`/users/${ada.userId}/sessions`)).status, "none is left").toBe(204);
    expect(await realm.events(`type=ADMIN_DELETE&resourceId=${ada.userId}`)).toHaveLength(1);

    expect((await admin.post(`/users/${ada.userId}/logout`)).status).toBe(204);
    expect(await alive()).toEqual([false, false, true]);
    const refreshed = await party.post("/token", { grant_type: "refresh_token", refresh_token: offline.refresh_token });
    expect(refreshed.body.error).toBe("invalid_grant");
    expect(await realm.events(`type=ADMIN_ACTION&resourceId=${ada.userId}`)).toMatchObject([{ detail: "logout, sessions: 0" }]);
  });

  test("are not ended by an administrator with fewer permissions than the user, by any route", async () => {
    const realm = await iam.realm();
    const [boss, lesser] = [await realm.as("realm-admin"), await realm.as("manage-users", "manage-events", "view-events", "view-users")];
    const [session] = (await lesser.get(`/users/${boss.userId}/sessions`)).body;
    const attempts = async (of: { userId: string }, id: string) => [
      (await lesser.delete(`/sessions/${id}`)).status,
      (await lesser.delete(`/users/${of.userId}/sessions`)).status,
      (await lesser.post(`/users/${of.userId}/logout`)).status,
    ];
    expect(await attempts(boss, session.id)).toEqual([403, 403, 403]);
    expect((await boss.get("/users")).status, "still signed in").toBe(200);
    expect((await realm.events("type=ADMIN_DENIED")).length).toBe(3);
    const [own] = (await lesser.get(`/users/${lesser.userId}/sessions`)).body;
    expect((await boss.delete(`/sessions/${own.id}`)).status).toBe(204);
  });

  test("end together with those in which the user impersonates another", async () => {
    const realm = await iam.realm();
    const support = await realm.as("manage-users");
    const { userId } = await realm.user();
    const { url } = (await support.post(`/users/${userId}/impersonate`)).body;
    await support.browser.get(url.replace(iam.config.baseUrl, ""));
    expect((await realm.asMaster().get(`/users/${userId}/sessions`)).body).toMatchObject([{ impersonator: support.username }]);
    expect((await realm.asMaster().post(`/users/${support.userId}/logout`)).status).toBe(204);
    expect((await realm.asMaster().get(`/users/${userId}/sessions`)).body).toEqual([]);
  });
});
