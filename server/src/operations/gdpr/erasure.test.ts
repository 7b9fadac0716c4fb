import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { remindOwners } from "../../applications/agents/index.ts";
import { grantConsent } from "../../directory/consents/index.ts";
import { keepLinkTokens } from "../../federation/index.ts";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { sha256 } from "../../kernel/vault.ts";
import { actorOf } from "../../platform/context.ts";
import { inTransaction } from "../../platform/db/index.ts";
import { insertTransaction } from "../../protocols/transactions/store.ts";
import { newActionToken, storeToken } from "../../signin/action-tokens/index.ts";
import { acceptTerms, startPush } from "../../signin/authenticators/index.ts";
import { startInteraction } from "../../signin/run/index.ts";
import { messageMarks } from "../../tenancy/messaging/messages.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import { addDirectory } from "../../testing/directories.ts";
import { MASTER_PASSWORD, type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { identityProvider, leastConfig, linkTo } from "../../testing/identity-providers.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { relyingParty } from "../../testing/relying-party.ts";
import { filter, scimClient } from "../../testing/scim.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" });
  // Jobs that send or clean up stay where this test looks for them.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());

const refusal = ({ status, body }: Answer) => [status, body?.code];
const must = (answer: Answer) => {
  expect(answer.status, answer.text).toBeLessThan(400);
  return answer.body;
};
const PASSWORD = "a password for tests";

/** Every table, with the text of each of its rows: a needle is found in every column of every table. */
async function findEverywhere(needles: readonly string[]): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`.execute(iam.core.db);
  expect(tables.length).toBeGreaterThan(30);
  // In one statement: table by table takes most of the test's time.
  const rows = tables.map(({ name }) => sql`select ${sql.lit(name)} as name, lower(t::text) as row from ${sql.table(name)} t`);
  const { rows: found } = await sql<{ name: string; needle: string }>`
    select distinct r.name, n.needle from (${sql.join(rows, sql` union all `)}) r
      join unnest(${[...needles]}::text[]) n (needle) on position(lower(n.needle) in r.row) > 0
    order by 1, 2`.execute(iam.core.db);
  return found.map(({ name, needle }) => `${name}: ${needle}`);
}

/** Tables with a row for each user, by what refers to users: none of them may be forgotten in this test. */
async function tablesOfUsers(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct k.conrelid::regclass::text as name from pg_constraint k where k.contype = 'f' and k.confrelid = 'users'::regclass
    union select table_name from information_schema.columns where table_schema = current_schema() and column_name = 'user_id'
      and table_name in (select table_name from information_schema.tables where table_type = 'BASE TABLE')
    order by 1`.execute(iam.core.db);
  return rows.map(({ name }) => name);
}

const formOf = (browser: Browser, more: Record<string, string> = {}) => ({
  form: { _csrf: browser.cookies.get("XSRF-TOKEN") ?? "", ...more },
  csrf: false,
});
const become = async (admin: AdminClient, userId: string) => {
  const { url } = must(await admin.post(`/users/${userId}/impersonate`));
  // The link works in the browser of the administrator only; the copy leaves them their own session.
  const browser = iam.browser();
  for (const [name, value] of admin.browser.cookies) browser.cookies.set(name, value);
  expect((await browser.get(url.replace("http://localhost:8080", ""))).status).toBe(303);
  return browser;
};

/** Signs in by them, and administers them. */
async function useIdentityProviders(realm: RealmUnderTest, { userId, username }: { userId: string; username: string }, browser: Browser) {
  const { db } = iam.core;
  must(await realm.asMaster().post("/identity-providers", identityProvider("google")));
  await linkTo(iam, realm, "google", userId, "her-subject-at-google");
  const link = iam.core.db.selectFrom("identity_links").select("provider_id").where("subject", "=", "her-subject-at-google");
  const { provider_id: providerId } = await link.where("realm_id", "=", realm.name).executeTakeFirstOrThrow();
  const tokens = { accessToken: "at", tokenType: "Bearer", refreshToken: null, idToken: null, scope: null, expiresAt: null };
  await inTransaction(iam.core.db, (tx) => keepLinkTokens(tx, iam.core.vault, realm.name, { userId, providerId }, tokens, clock.now()));
  await sql`insert into identity_provider_grants (realm_id, user_id, provider_id, kind, target_id)
    select realm_id, ${userId}::uuid, provider_id, 'role', ${newId()}::uuid from identity_providers where realm_id = ${realm.name}`.execute(
    db,
  );
  await addDirectory(realm, { ...leastConfig.ldap, url: "ldaps://127.0.0.1:1" });
  await linkTo(iam, realm, "corp", userId, "her-entry");
  const dn = "cn=Augustaline,ou=people,dc=corp";
  await sql`insert into directory_entries (realm_id, provider_id, subject, dn, fingerprint)
    select realm_id, provider_id, subject, ${dn}, '-' from identity_links where realm_id = ${realm.name} and subject = 'her-entry'`.execute(
    db,
  );
  // No server answers there; the run is recorded all the same.
  expect((await browser.post(`/admin/realms/${realm.name}/user-federation/corp/sync`)).status).toBe(502);
  const moved = `uid=${username.toLowerCase()},ou=elsewhere,dc=corp`;
  const errors = [dn, moved, "uid=another,dc=corp"].map((each) => ({ dn: each, message: "Taken." }));
  await sql`update directory_runs set report = report || ${JSON.stringify({ errors })}::text::jsonb where realm_id = ${realm.name}`.execute(
    db,
  );
}

/** Has a name at a service provider, and is in the middle of a single logout. */
async function useSaml(realm: RealmUnderTest, { userId, email }: { userId: string; email: string }, sessionId: string) {
  const { db } = iam.core;
  await sql`insert into saml_name_ids (realm_id, entity_id, user_id, name_id, created_at)
    values (${realm.name}, 'urn:sp', ${userId}::uuid, 'her-name-id', 1)`.execute(db);
  const logoutId = newId();
  await sql`insert into saml_logouts (realm_id, logout_id, session_id, user_id, next, created_at, expires_at)
    values (${realm.name}, ${logoutId}::uuid, ${sessionId}::uuid, ${userId}::uuid, '/', 1, ${Number.MAX_SAFE_INTEGER})`.execute(db);
  await sql`insert into saml_logout_participants (realm_id, logout_id, entity_id, participant)
    values (${realm.name}, ${logoutId}::uuid, 'urn:sp', ${JSON.stringify({ nameId: { value: email } })}::text::jsonb)`.execute(db);
}

/** A user who has used everything there is, and administered it, too. */
async function busyPerson(realm: RealmUnderTest, boss: AdminClient) {
  const username = "Augusta.Q";
  const email = "Augusta@Quill.example";
  const attributes = { firstName: "Augustaline", phoneNumber: "+4915112345678", "badge-no": ["Zq-7781", "Zq-7782"] };
  // Attempts on these names before they were taken.
  for (const name of [username, email]) await iam.browser().trySignIn(realm.name, name, "a wrong password");
  const { userId } = must(await boss.post("/users", { username, email, attributes }));
  const person = { userId, username, email, attributes };
  for (const newPassword of ["the first of passwords", PASSWORD]) must(await boss.put(`/users/${userId}/password`, { newPassword }));

  const { roleId } = must(await boss.post("/roles", { name: "helpers" }));
  const permissions = ["manage-users", "view-users", "manage-organizations", "manage-identity-providers"];
  must(await boss.put(`/admin-roles/${roleId}`, { permissions }));
  must(await boss.post(`/users/${userId}/roles`, { name: "helpers" }));
  const { groupId } = must(await boss.post("/groups", { name: "readers" }));
  must(await boss.put(`/groups/${groupId}/members/${userId}`));
  const { organizationId: orgId } = must(await boss.post("/organizations", { name: "Quill & Co", alias: "quill" }));
  const mail = { channel: "EMAIL", driver: "smtp", fromAddress: "no-reply@acme.example", config: { host: "mail.example.com", port: 587 } };
  must(await boss.put("/messaging/providers", mail));
  must(await boss.post(`/organizations/${orgId}/invitations`, { email }));
  must(await boss.put(`/organizations/${orgId}/members/${userId}`, {}));
  must(
    await boss.post("/messaging/push-tokens", { userId, driver: "fcm", token: "push-token-of-hers", deviceName: "Augustaline's phone" }),
  );
  must(await boss.post(`/users/${userId}/credentials`, { type: "enrollment-token" }));
  must(await boss.post("/webhooks", { name: "all", url: "https://hooks.example.com/", eventTypes: "*", enabled: false }));

  const { id: photos } = must(await boss.post("/clients", { clientId: "photos" }));
  must(await boss.put(`/clients/${photos}/authz/settings`, { enabled: true }));
  must(await boss.post(`/clients/${photos}/authz/policies`, { name: "her", type: "user", users: [username] }));
  const { resourceId } = must(
    await boss.post(`/clients/${photos}/authz/resources`, { name: "album", owner: username, ownerManagedAccess: true }),
  );
  await sql`insert into authz_shares (realm_id, client_id, resource_id, user_id, scope, status, created_at)
    values (${realm.name}, ${photos}::uuid, ${resourceId}::uuid, ${userId}::uuid, '', 'GRANTED', 1)`.execute(iam.core.db);
  await sql`insert into authz_share_names (realm_id, client_id, resource_id, share_id, name, name_key, user_id, scopes, created_at)
    select ${realm.name}, ${photos}::uuid, ${resourceId}::uuid, n.id, n.name, lower(n.name), n.user_id, '{}', 1
    from (values (${newId()}::uuid, ${username}, ${userId}::uuid), (${newId()}::uuid, ${email}, null)) n(id, name, user_id)`.execute(
    iam.core.db,
  );

  // She answers for an agent, and has been asked to review it.
  must(await boss.post("/clients", { clientId: "bot", grantTypes: ["client_credentials"] }));
  const agent = must(await boss.post("/agents", { name: "Nightly", clientId: "bot", ownerUserId: userId }));
  must(await boss.post(`/agents/${agent.id}/activate`));
  await sql`update agents set review_due_at = 1 where realm_id = ${realm.name}`.execute(iam.core.db);
  await remindOwners({ ...iam.core.background, messages: iam.server.messages, baseUrl: iam.config.baseUrl, log: iam.core.log });

  // At work.
  const browser = iam.browser();
  await browser.signIn(realm.name, username, PASSWORD);
  const party = await relyingParty(iam, realm);
  await party.signIn(browser, { username, password: PASSWORD });
  await browser.get(party.url({ prompt: "login", login_hint: email })); // and has not gone on
  await iam.browser().trySignIn(realm.name, username.toUpperCase(), "a wrong password");
  const admin = `/admin/realms/${realm.name}`;
  const other = await realm.user();
  must(await browser.put(`${admin}/users/${other.userId}/password`, { newPassword: "another password" }));
  must(await browser.post(`${admin}/organizations/${orgId}/invitations`, { email: "someone@else.example" }));
  must(
    await browser.post(`${admin}/users/import?importId=hers`, '[{"username":"imported"}]', {
      headers: { "content-type": "application/json" },
    }),
  );
  const asHerself = { ...boss, browser, post: (path: string, body?: unknown) => browser.post(`${admin}${path}`, body) };
  await become(asHerself, other.userId);
  must(await asHerself.post(`/users/${other.userId}/impersonate`));
  // Impersonated by another user, and about to be.
  await become(boss, userId);
  must(await boss.post(`/users/${userId}/impersonate`));
  must(await boss.put(`/users/${userId}/required-actions`, { requiredActions: ["UPDATE_PROFILE"] }));

  await iam.core.work.transact(
    { realm: realm.name, actor: actorOf({ id: userId, name: username, realm: realm.name }), sourceIp: "192.0.2.1" },
    async (ctx) => {
      for (const resource of [null, "https://api.example"]) await grantConsent(ctx, { userId, clientId: "shop", resource }, ["openid"]);
      const mailed = { expiresAt: ctx.now + 10 * MINUTE, kind: "verify-email" } as const;
      await storeToken(ctx, { ...mailed, userId, data: { email }, token: newActionToken() });
      // A registration of her address, not confirmed.
      const pending = { username: "another", email: email.toUpperCase() };
      await storeToken(ctx, { ...mailed, kind: "registration", userId: null, data: pending, token: newActionToken() });
      await acceptTerms(ctx, userId, username, "1");
      const screen = { preSession: "b", sessionId: null, clientId: null, sourceIp: "192.0.2.1", userAgent: null, previous: null };
      expect(await startPush(ctx, userId, { ...screen, challengeId: newId() })).not.toBeNull();
      const payment = { userId, clientId: "bank", type: "payment", summary: `50 EUR from ${email}`, payloadHash: "-", acr: "2" } as const;
      await insertTransaction(ctx.tx, ctx.realm, { ...payment, id: newId(), createdAt: ctx.now, expiresAt: ctx.now + 10 * MINUTE });
      await startInteraction(ctx, { kind: "oidc", browser: "b", request: { login_hint: email.toLowerCase() }, returnTo: "/" });
      await startInteraction(ctx, { kind: "oidc", browser: "b", request: { nested: [{ sub: userId }] }, returnTo: "/" });
      await startInteraction(ctx, { kind: "oidc", browser: "b", request: { login_hint: "somebody.else" }, returnTo: "/" });
      await iam.server.messages.send(ctx, {
        templateKey: "otp-email",
        to: email,
        user: { id: userId, username, email, emailVerified: true, attributes },
        values: { code: "123456", ttlSeconds: 600 },
        expiresAt: ctx.now + 10 * MINUTE,
      });
    },
  );
  const { db } = iam.core;
  const [session] = await db.selectFrom("sessions").select("session_id").where("user_id", "=", userId).execute();
  await sql`insert into session_participants (realm_id, session_id, protocol, client_id, participant, joined_at)
    values (${realm.name}, ${session!.session_id}, 'saml', 'sp', ${JSON.stringify({ nameId: email })}::text::jsonb, 1)`.execute(db);
  await useIdentityProviders(realm, person, browser);
  const scim = await scimClient(iam, realm, { permissions: ["realm-admin"] });
  const [subordinate] = must(await scim.get(`/Users?${filter('userName eq "imported"')}`)).Resources;
  const emails = [{ value: email, primary: true }, { value: "augusta@home.example" }];
  must(await scim.patch(`/Users/${userId}`, [{ op: "add", value: { externalId: "her-external-id", emails, ims: [{ value: email }] } }]));
  must(await scim.patch(`/Users/${subordinate.id}`, [{ op: "add", path: "manager", value: userId }]));
  await sql`insert into scim_organization_user_ids values (${realm.name}, ${orgId}, 'okta', ${userId}, 'her-external-id 2')`.execute(db);
  await useSaml(realm, person, session!.session_id);
  const service = { name: "wiki", url: "https://scim.example.com", auth: { type: "bearer" }, secret: "a token", enabled: false };
  const { id: targetId } = must(await realm.asMaster().post("/scim-targets", service));
  const account = { realm_id: realm.name, target_id: targetId, local_id: userId, kind: "user", state: "FAILED", next_at: 1 } as const;
  await db
    .insertInto("scim_objects")
    .values({ ...account, remote_id: "id-there", error: `The target answered 400: no ${username}` })
    .execute();
  const words = `No mailbox for ${username} <${email}>`;
  await sql`update scim_target_states set suspended_reason = ${words}, pause_reason = ${words} where realm_id = ${realm.name}`.execute(db);
  await db.insertInto("scim_members").values({ realm_id: realm.name, target_id: targetId, group_id: newId(), user_id: userId }).execute();
  await db.insertInto("awaited_passwords").values({ realm_id: realm.name, user_id: userId }).execute();
  // An import that runs knows who started it.
  const starter = JSON.stringify({ id: userId, name: username });
  await sql`update user_imports set actor = ${starter}::text::jsonb where realm_id = ${realm.name}`.execute(db);
  // A receiver that repeats what it got.
  const [event] = await db.selectFrom("audit_events").select(["event_id", "ts"]).where("resource_id", "=", userId).limit(1).execute();
  const [hook] = await db.selectFrom("webhooks").select("webhook_id").where("realm_id", "=", realm.name).execute();
  // Never due while this test looks.
  const FAR = Number.MAX_SAFE_INTEGER;
  const delivery = { realm_id: realm.name, webhook_id: hook!.webhook_id, event_type: "ADMIN_UPDATE", next_at: FAR, created_at: 1 };
  await db
    .insertInto("webhook_deliveries")
    .values([
      { ...delivery, delivery_id: newId(), event_id: event!.event_id, event_ts: event!.ts, answer: `thank you for ${userId}` },
      { ...delivery, delivery_id: newId(), event_id: newId(), event_ts: 1, answer: "thank you" },
    ])
    .execute();
  return person;
}

describe("erasing", () => {
  test("leaves nothing of the person in any column of any table, and their actions without a name", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const person = await busyPerson(realm, boss);
    const { userId, username, email, attributes } = person;
    const marks = messageMarks(iam.core.vault);
    const needles = [
      ...[userId, username, email, ...Object.values(attributes).flat()],
      ...["her-subject-at-google", "her-entry", "her-name-id", "her-external-id", "augusta@home.example"],
      ...[username, email].map((name) => sha256(loginKey(name))),
      ...[marks.user(realm.name, userId), marks.recipient(realm.name, "EMAIL", email)],
    ];

    const before = await findEverywhere(needles);
    const touched = new Set(before.map((line) => line.split(":")[0]!));
    expect(
      (await tablesOfUsers()).filter((table) => !touched.has(table)),
      "a table that refers to users: let the busy person use it",
    ).toEqual([]);
    const named = ["audit_events", "login_attempts", "interactions", "jobs", "message_limits", "webhook_deliveries", "user_imports"];
    for (const table of [...named, "directory_entries", "directory_runs", "saml_logout_participants"])
      expect(touched, table).toContain(table);
    expect(
      needles.filter((needle) => !before.some((line) => line.endsWith(`: ${needle}`))),
      "a needle that was never there",
    ).toEqual([]);
    const { length } = await realm.events();

    expect((await boss.delete(`/users/${userId}/gdpr`)).status).toBe(204);
    expect(await findEverywhere(needles)).toEqual([]);

    const [erased] = await realm.events("type=USER_ERASED");
    expect(erased).toMatchObject({ category: "SECURITY", actor: "master/admin", resourceType: "users", detail: null });
    expect(erased.resourceId).toMatch(/^erased:[0-9a-f-]{36}$/);
    const theirs = await realm.events(`actor=${erased.resourceId}`);
    expect(new Set(theirs.map(({ type }) => type))).toEqual(
      new Set([
        "LOGIN_SUCCESS",
        "LOGIN_FAILURE",
        "ADMIN_UPDATE",
        "ADMIN_CREATE",
        "ADMIN_ACTION",
        "PASSWORD_RESET",
        "IMPERSONATION",
        "CONSENT_GRANTED",
        "TERMS_ACCEPTED",
      ]),
    );
    expect(theirs.every(({ sourceIp }) => sourceIp === null)).toBe(true);
    expect(await realm.events(), "nothing is lost but the name").toHaveLength(length + 4);
    expect(await realm.events(`resourceId=${erased.resourceId}&type=ADMIN_DELETE`)).toMatchObject([{ detail: "gdpr" }]);

    // Data of other users stays.
    const { db } = iam.core;
    const left = await db.selectFrom("interactions").select("request").where("realm_id", "=", realm.name).execute();
    expect(left.map(({ request }) => request)).toEqual([{ login_hint: "somebody.else" }]);
    const answers = await db.selectFrom("webhook_deliveries").select("answer").where("realm_id", "=", realm.name).execute();
    expect(answers.map(({ answer }) => answer).sort()).toEqual([null, "thank you"].sort());
    const { runs } = must(await boss.get("/user-federation/corp/sync"));
    expect(runs).toMatchObject([
      { requestedBy: erased.resourceId, errors: [{ dn: "erased" }, { dn: "erased" }, { dn: "uid=another,dc=corp" }] },
    ]);
    expect((await boss.get("/organizations?search=quill")).body).toHaveLength(1);
    expect((await boss.get("/users?search=imported")).body).toHaveLength(1);

    expect(refusal(await boss.delete(`/users/${userId}/gdpr`)), "a second time").toEqual([404, "users.not_found"]);
    expect(refusal(await boss.get(`/users/${userId}/gdpr/export`))).toEqual([404, "users.not_found"]);
    must(await boss.post("/users", { username, email }));
  }, 120_000);

  test("reaches what an administrator of master did in every realm", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    const boss = one.asMaster().browser;
    const username = "Ottoline.V";
    const { userId } = must(await boss.post("/admin/realms/master/users", { username, email: "otto@vane.example", roles: ["admin"] }));
    must(await boss.put(`/admin/realms/master/users/${userId}/password`, { newPassword: PASSWORD }));
    const otto = iam.browser();
    await otto.signIn("master", username, PASSWORD);
    for (const realm of [one, two]) {
      const { userId: played } = must(await otto.post(`/admin/realms/${realm.name}/users`, { username: "played" }));
      const client = { ...one.asMaster(), browser: otto, post: (path: string) => otto.post(`/admin/realms/${realm.name}${path}`) };
      const browser = await become(client, played);
      await browser.request("POST", `/realms/${realm.name}/logout`, formOf(browser));
      await become(client, played);
      await addDirectory(realm, { ...leastConfig.ldap, url: "ldaps://127.0.0.1:1" });
      expect((await otto.post(`/admin/realms/${realm.name}/user-federation/corp/sync`)).status).toBe(502);
    }
    must(await boss.patch(`/admin/realms/master/users/${userId}`, { username: "O.Vane" }));
    const needles = [userId, username, "O.Vane", "otto@vane.example"];
    expect((await findEverywhere(needles)).length).toBeGreaterThan(5);
    expect(await one.events("actor=master/Ottoline.V")).not.toEqual([]);
    expect((await boss.delete(`/admin/realms/master/users/${userId}/gdpr`)).status).toBe(204);
    expect(await findEverywhere(needles)).toEqual([]);
    const [erased] = must(await boss.get("/admin/realms/master/events?type=USER_ERASED")).items;
    for (const realm of [one, two]) {
      expect(await realm.events(`actor=${erased.resourceId}&type=ADMIN_CREATE`)).toHaveLength(1);
      expect(await realm.events("type=LOGOUT")).toMatchObject([{ actor: "played", impersonator: erased.resourceId, sourceIp: null }]);
    }
  });

  onPostgres("leaves other users unchanged, also of the same name in another realm", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const twin = await other.user("twin");
    const { userId } = await realm.user("twin");
    await iam.browser().signIn(other.name, "twin", twin.password);
    const before = JSON.stringify(await other.events());
    expect((await realm.asMaster().delete(`/users/${userId}/gdpr`)).status).toBe(204);
    expect(JSON.stringify(await other.events())).toBe(before);
    expect((await other.asMaster().get(`/users/${twin.userId}`)).status).toBe(200);
    expect((await other.asMaster().get(`/sessions?search=${twin.userId}`)).body).toHaveLength(1);
  });

  onPostgres("ends the person's sessions and those in which they impersonate a user", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-users", "view-users");
    const played = await become(admin, (await realm.user()).userId);
    const isPlaying = async () => (await played.get(`/realms/${realm.name}/login`)).text.includes("You are acting as");
    expect(await isPlaying()).toBe(true);
    expect((await realm.asMaster().delete(`/users/${admin.userId}/gdpr`)).status).toBe(204);
    expect((await admin.get("/users")).status).toBe(401);
    expect(await isPlaying()).toBe(false);
    expect((await realm.asMaster().get("/sessions")).body).toEqual([]);
  });

  test("is sent to webhooks, and deliveries from before are sent without the name", async () => {
    const realm = await iam.realm();
    const boss = realm.asMaster();
    const { userId } = await realm.user("hooked");
    const { id } = must(
      await boss.post("/webhooks", { name: "all", url: "https://hooks.example.com/", eventTypes: "SECURITY", enabled: true }),
    );
    expect((await boss.delete(`/users/${userId}/gdpr`)).status).toBe(204);
    const types = async () => must(await boss.get(`/webhooks/${id}/deliveries`)).map(({ eventType }: { eventType: string }) => eventType);
    await expect.poll(types).toContain("USER_ERASED");
  });
});

describe("permission to erase", () => {
  onPostgres("a caller with manage-users, for users who hold no more than the caller; refusals are recorded", async () => {
    const realm = await iam.realm();
    const manager = await realm.as("manage-users", "view-users");
    const looker = await realm.as("view-users");
    const mighty = await realm.as("realm-admin");
    const { userId } = await realm.user();
    expect(refusal(await looker.delete(`/users/${userId}/gdpr`))).toEqual([403, "auth.forbidden"]);
    expect(refusal(await manager.delete(`/users/${mighty.userId}/gdpr`))).toEqual([403, "permissions.escalation"]);
    expect(await realm.events(`type=ADMIN_DENIED&resourceId=${mighty.userId}`)).toMatchObject([{ actor: manager.username }]);
    expect((await mighty.get("/users")).status).toBe(200);
    expect(refusal(await manager.delete(`/users/${manager.userId}/gdpr`))).toEqual([409, "users.self"]);
    expect(refusal(await manager.delete(`/users/${userId}/gdpr`, { csrf: false }))).toEqual([403, "auth.csrf"]);
    expect(refusal(await manager.delete(`/users/${userId}/gdpr`, { headers: { "if-match": '"99"' } }))[0]).toBe(412);
    const elsewhere = await (await iam.realm()).user();
    for (const id of [elsewhere.userId, "nobody"])
      expect(refusal(await manager.delete(`/users/${id}/gdpr`))).toEqual([404, "users.not_found"]);
    expect(await realm.events("type=USER_ERASED")).toEqual([]);
    expect((await manager.delete(`/users/${userId}/gdpr`)).status).toBe(204);
  });

  onPostgres("the last administrator stays, with all data", async () => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const before = (await realm.events()).length;
    expect((await realm.asMaster().delete(`/users/${admin.userId}/gdpr`)).status).toBe(409);
    expect((await admin.get("/users")).status).toBe(200);
    expect(await realm.events()).toHaveLength(before);
    await realm.as("realm-admin");
    expect((await realm.asMaster().delete(`/users/${admin.userId}/gdpr`)).status).toBe(204);
  });

  test("also erases what the trail keeps of a user who was deleted before, for a realm-admin", async () => {
    const realm = await iam.realm();
    const leaver = await realm.user("leaver");
    await iam.browser().trySignIn(realm.name, leaver.username, leaver.password);
    expect((await realm.asMaster().delete(`/users/${leaver.userId}`)).status).toBe(204);
    expect((await (await realm.as("manage-users")).delete(`/users/${leaver.userId}/gdpr`)).status).toBe(403);
    expect(await realm.events("actor=leaver")).not.toEqual([]);
    expect((await realm.asMaster().delete(`/users/${leaver.userId}/gdpr`)).status).toBe(204);
    expect(JSON.stringify(await realm.events(""))).not.toMatch(new RegExp(`"leaver"|${leaver.userId}`));
    expect((await realm.asMaster().delete(`/users/${leaver.userId}/gdpr`)).status).toBe(404);
  });

  test("one of two at once erases, and the other finds no user", async () => {
    const realm = await iam.realm();
    const { userId } = await realm.user();
    const browsers = [iam.browser(), iam.browser()];
    for (const browser of browsers) await browser.signIn("master", "admin", MASTER_PASSWORD);
    const answers = await Promise.all(browsers.map((browser) => browser.delete(`/admin/realms/${realm.name}/users/${userId}/gdpr`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect(await realm.events("type=USER_ERASED")).toHaveLength(1);
  });
});

describe("a token in a request, nested too deeply to be searched,", () => {
  const nested = (depth: number) => Buffer.from(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`).toString("base64url");
  const deep = (depth: number) => `eyJhbGciOiJub25lIn0.${nested(depth)}.`;
  const erase = async (realm: RealmUnderTest) => {
    const { userId } = await realm.user();
    return (await realm.asMaster().delete(`/users/${userId}/gdpr`)).status;
  };
  const stored = async (realm: RealmUnderTest) => {
    const { rows } = await sql<{ model: string }>`select model from oidc_records where realm_id = ${realm.name}`.execute(iam.core.db);
    return rows.map(({ model }) => model);
  };

  test("is not stored", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm);
    const post = (form: Record<string, string>) => iam.browser().request("POST", `/realms/${realm.name}/authorize`, { form, csrf: false });
    for (const depth of [200, 10_000]) {
      expect((await post({ client_id: "app", id_token_hint: deep(depth) })).status).toBe(400);
    }
    let tower = "user";
    for (let level = 0; level < 6; level++) tower = `eyJhbGciOiJub25lIn0.${Buffer.from(`{"a":"${tower}"}`).toString("base64url")}.`;
    expect((await post({ client_id: "app", state: tower })).status, "tokens in tokens").toBe(400);
    expect((await post({ client_id: "app", state: "x".repeat(40_000) })).status).toBe(413);
    expect(await stored(realm)).toEqual([]);
    // In the query it reaches the engine, which stores the request before it knows the user.
    const requested = await iam.browser().get(party.url({ state: deep(5_000) }));
    expect(requested.status).toBe(400);
    expect(await stored(realm)).toEqual([]);
    expect((await iam.browser().get(party.url({ state: deep(10) }))).status, "a state may be a token").toBe(303);
    expect(await erase(realm)).toBe(204);
  });

  test("is no hindrance where the release before has stored it: it goes, and nothing else does", async () => {
    const realm = await iam.realm();
    await relyingParty(iam, realm);
    const insert = (model: string, payload: object) =>
      sql`
      insert into oidc_records (realm_id, model, record_id, payload, expires_at)
      values (${realm.name}, ${model}, ${newId()}, ${JSON.stringify(payload)}::text::jsonb, ${Number.MAX_SAFE_INTEGER})`.execute(
        iam.core.db,
      );
    await insert("PostedRequest", { params: { id_token_hint: deep(20_000) } });
    await insert("Interaction", { params: { state: `eyJhbGciOiJub25lIn0.${Buffer.from('{"a":[1,[2]]}').toString("base64url")}.` } });
    expect(await erase(realm)).toBe(204);
    expect(await stored(realm)).toEqual(["Interaction"]);
  });
});
