import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grantConsent } from "../../directory/consents/index.ts";
import { MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { systemActor } from "../../platform/context.ts";
import { insertTransaction } from "../../protocols/transactions/store.ts";
import { acceptTerms } from "../../signin/authenticators/index.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { submit } from "../../testing/relying-party.ts";
import { scimClient } from "../../testing/scim.ts";
import { serviceProvider } from "../../testing/service-provider.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const must = (answer: Answer) => {
  expect(answer.status, answer.text).toBeLessThan(400);
  return answer.body;
};
const consents = (realm: RealmUnderTest, userId: string, ...clients: [string, string[]][]) =>
  iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, async (ctx) => {
    for (const [clientId, scopes] of clients) await grantConsent(ctx, { userId, clientId, resource: null }, scopes);
  });

describe("the export", () => {
  test("is the whole document, with every part and no secret", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const { userId } = must(await boss.post("/users", { username: "ada", email: "ada@example.com", attributes: { firstName: "Ada" } }));
    must(await boss.put(`/users/${userId}/password`, { newPassword: "a password for tests" }));
    const { groupId } = must(await boss.post("/groups", { name: "readers" }));
    must(await boss.put(`/groups/${groupId}/members/${userId}`));
    const { organizationId: orgId } = must(await boss.post("/organizations", { name: "Quill & Co", alias: "quill" }));
    must(await boss.put(`/organizations/${orgId}/members/${userId}`, {}));
    must(await boss.post("/messaging/push-tokens", { userId, driver: "fcm", token: "push-token-of-hers", deviceName: "phone" }));
    const scim = await scimClient(iam, realm, { permissions: ["realm-admin"] });
    const kept = { externalId: "00u1", addresses: [{ locality: "London" }] };
    must(await scim.patch(`/Users/${userId}`, [{ op: "replace", value: kept }]));
    const ownId = { realm_id: realm.name, organization_id: orgId, connection: "okta", user_id: userId, external_id: "q7" };
    await iam.core.db.insertInto("scim_organization_user_ids").values(ownId).execute();
    await consents(realm, userId, ["shop", ["openid"]], ["shop", ["profile", "openid"]], ["app", ["openid"]]);
    await iam.browser().signIn(realm.name, "ada", "a password for tests");
    await iam.browser().trySignIn(realm.name, "ADA", "a wrong password");
    await iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, async (ctx) => {
      await acceptTerms(ctx, userId, "ada", "2026-01");
      const requested = { userId, clientId: "bank", type: "payment", summary: "50 EUR to Bob", payloadHash: "-", acr: "2" } as const;
      await insertTransaction(ctx.tx, ctx.realm, { ...requested, id: newId(), createdAt: ctx.now, expiresAt: ctx.now + MINUTE });
    });
    const photos = must(await boss.post("/clients", { clientId: "photos" }));
    must(await boss.put(`/clients/${photos.id}/authz/settings`, { enabled: true }));
    const owned = must(await boss.post(`/clients/${photos.id}/authz/resources`, { name: "album", owner: "ada", ownerManagedAccess: true }));
    must(await boss.post("/agents", { name: "bot", description: "hers", ownerUserId: userId }));
    const looker = await realm.as("view-users");

    const answer = await looker.get(`/users/${userId}/gdpr/export`);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-disposition"]).toBe(`attachment; filename="gatehouse-${realm.name}-${userId}.json"`);
    const time = expect.any(Number);
    const { body } = answer;
    const event = {
      id: expect.any(String),
      ts: expect.stringMatching(/^20\d\d-.*Z$/),
      detail: null,
      sourceIp: expect.stringMatching(/^203\.0\.113\./),
    };
    expect(body).toEqual({
      generatedAt: time,
      schema: "gatehouse.gdpr.export/v1",
      realmId: realm.name,
      userId,
      profile: { username: "ada", email: "ada@example.com", enabled: true, createdAt: time },
      attributes: { firstName: "Ada" },
      roles: ["user"],
      realmMemberships: [{ realmId: realm.name, joinedAt: body.profile.createdAt, groups: [{ groupId, name: "readers", joinedAt: time }] }],
      organizations: [{ organizationId: orgId, name: "Quill & Co", role: "member", joinedAt: time }],
      credentials: [
        { type: "password", createdAt: time, lastUsedAt: expect.toSatisfy((at) => at === null || typeof at === "number") },
        { type: "push-device", deviceName: "phone", createdAt: time, lastUsedAt: null },
        {
          type: "session",
          createdAt: time,
          lastUsedAt: time,
          sourceIp: expect.stringMatching(/^203\.0\.113\./),
          userAgent: expect.any(String),
        },
      ],
      federatedLinks: [],
      directoryEntries: [],
      consents: [
        { clientId: "app", scopes: ["openid"], resources: [], grantedAt: time, updatedAt: time },
        { clientId: "shop", scopes: ["openid", "profile"], resources: [], grantedAt: time, updatedAt: time },
      ],
      samlNameIds: [],
      provisioned: {
        externalIds: [
          { connection: "entra", externalId: "00u1" },
          { connection: "okta", externalId: "q7" },
        ],
        attributes: [{ addresses: [{ locality: "London" }] }],
        targets: [],
      },
      knownBrowsers: [{ userAgent: expect.any(String), createdAt: time, lastSeenAt: time, trustedUntil: null }],
      acceptedTerms: [{ version: "2026-01", acceptedAt: time }],
      transactions: [
        {
          ...{ id: expect.any(String), clientId: "bank", type: "payment", summary: "50 EUR to Bob" },
          ...{ status: "PENDING", createdAt: time, signedAt: null },
        },
      ],
      ownedResources: [{ clientId: "photos", resourceId: owned.resourceId, name: "album", createdAt: time, shares: 0 }],
      sharedResources: [],
      ownedAgents: [{ id: expect.any(String), name: "bot", description: "hers", status: "CREATED", createdAt: time, lastReviewedAt: null }],
      loginEvents: [
        { ...event, type: "LOGIN_FAILURE", outcome: "FAILURE", detail: "username-password: wrong" },
        { ...event, type: "LOGIN_SUCCESS", outcome: "SUCCESS" },
      ],
    });
    expect(answer.text).not.toMatch(/argon2|push-token-of-hers/);
    expect(await realm.events(`type=ADMIN_ACTION&resourceId=${userId}`)).toMatchObject([{ actor: looker.username, detail: "gdpr export" }]);
    expect((await looker.get(`/users/${userId}/gdpr/consents`)).body).toEqual(body.consents);
  });

  test("names what SAML applications know the user by, and what they were allowed", async () => {
    const realm = await iam.realm();
    const ada = await realm.user();
    const [asks, other] = [
      await serviceProvider(iam, realm, { entityId: "https://asks.example", options: { consentRequired: true } }),
      await serviceProvider(iam, realm, { entityId: "https://other.example" }),
    ];
    const known = [];
    for (const user of [await realm.user(), ada]) {
      const browser = iam.browser();
      const requested = await asks.signIn(browser, user);
      const allowed = await submit(browser, iam.config.baseUrl, requested.page, { decision: "allow" });
      const second = await other.signIn(browser, user);
      known.push([await asks.accept(allowed.page, requested.sent.id), await other.accept(second.page, second.sent.id)]);
    }
    const { samlNameIds, consents: allowed } = must(await realm.asMaster().get(`/users/${ada.userId}/gdpr/export`));
    const [first, second] = known[1]!.map(({ subject }) => subject!.nameId!.value);
    expect(first).not.toBe(second);
    expect(samlNameIds).toEqual([
      { entityId: "https://asks.example", nameId: first, createdAt: expect.any(Number) },
      { entityId: "https://other.example", nameId: second, createdAt: expect.any(Number) },
    ]);
    expect(allowed).toMatchObject([{ clientId: `${realm.name}|https://asks.example`, scopes: expect.arrayContaining(["username"]) }]);
  });

  test("holds the newest ten thousand sign-ins, across the pages in which they are read", async () => {
    const realm = await iam.realm();
    const { userId } = await realm.user();
    // Many at the same moment, so that a page ends between them.
    await sql`
      insert into audit_events (realm_id, event_id, ts, category, type, actor, actor_id, outcome, detail)
      select ${realm.name}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1700000000000 + n / 700,
        'AUTHN', 'LOGIN_SUCCESS', 'whoever', ${userId}, 'SUCCESS', n::text
      from generate_series(0, 10049) n`.execute(iam.core.db);
    const { loginEvents } = must(await realm.asMaster().get(`/users/${userId}/gdpr/export`));
    expect(loginEvents).toHaveLength(10_000);
    expect(loginEvents.map(({ detail }: { detail: string }) => Number(detail))).toEqual(
      Array.from({ length: 10_000 }, (_, n) => 10_049 - n),
    );
  });

  test("says what the user did, not what an administrator did in their name", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users", "view-users");
    const { userId, username, password } = await realm.user();
    await iam.browser().signIn(realm.name, username, password);
    const { url } = must(await admin.post(`/users/${userId}/impersonate`));
    await admin.browser.get(url.replace("http://localhost:8080", ""));
    const form = { _csrf: admin.browser.cookies.get("XSRF-TOKEN") ?? "" };
    expect((await admin.browser.request("POST", `/realms/${realm.name}/logout`, { form, csrf: false })).status).toBe(303);
    expect(await realm.events(`type=LOGOUT&actor=${userId}`)).toMatchObject([{ impersonator: admin.username }]);
    const { loginEvents } = must(await realm.asMaster().get(`/users/${userId}/gdpr/export`));
    expect(loginEvents).toMatchObject([{ type: "LOGIN_SUCCESS" }]);
  });

  test("needs view-users, and answers for the realm's own users", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const looker = await realm.as("view-users");
    const { userId } = await other.user();
    for (const path of ["gdpr/export", "gdpr/consents"]) {
      for (const id of [userId, "nobody"]) expect(refusal(await looker.get(`/users/${id}/${path}`))).toEqual([404, "users.not_found"]);
      expect((await (await realm.as("manage-users")).get(`/users/${looker.userId}/${path}`)).status).toBe(403);
    }
    expect(await realm.events("type=ADMIN_ACTION")).toEqual([]);
  });
});
