import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Actor, type AuditDraft, systemActor } from "../../platform/context.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";
import { type ErasedPerson, eraseFromTrail, namesPerson } from "./erasure.store.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const ada: ErasedPerson = { userId: "0190aaaa-0000-7000-8000-00000000ada1", username: "ada", email: "ada@example.com" };
const work = <T>(realm: string, act: Parameters<typeof iam.core.work.transact<T>>[1]) =>
  iam.core.work.transact<T>({ realm, actor: systemActor(realm), sourceIp: "192.0.2.7" }, act);
const record = (realm: string, ...drafts: AuditDraft[]) => work(realm, async (ctx) => drafts.forEach((draft) => void ctx.audit(draft)));
const erase = (realm: string) => work(realm, (ctx) => eraseFromTrail(ctx, ada));
/** An event of the user grace, in whose name somebody acts. */
const playGrace = (realm: string, impersonator: Actor["impersonator"]) =>
  iam.core.work.transact({ realm, actor: { ...systemActor(realm, "grace"), impersonator }, sourceIp: "192.0.2.8" }, async (ctx) =>
    ctx.audit(admin("as grace")),
  );
const admin = (detail: string, more: object = {}): AuditDraft => ({
  category: "ADMIN",
  type: "ADMIN_UPDATE",
  resourceType: "users",
  detail,
  ...more,
});

test("replaces the person wherever they acted or were acted upon, in the detail too, and clears where they came from", async () => {
  const realm = await iam.realm();
  await record(
    realm.name,
    { category: "AUTHN", type: "LOGIN_SUCCESS", actor: { id: ada.userId, name: "ada" } },
    // Typed in another way: known by the id.
    { category: "AUTHN", type: "LOGIN_FAILURE", outcome: "FAILURE", actor: { id: ada.userId, name: "ADA@Example.com" } },
    { category: "AUTHN", type: "LOGIN_FAILURE", outcome: "FAILURE", actor: { id: null, name: "ada@example.com" } },
    admin(`Ada, ada@example.com (${ada.userId}); personada, ada2, x.ada@example.com, canada`, { resourceId: ada.userId }),
    { category: "ADMIN", type: "ADMIN_DELETE", resourceType: "users", resourceId: "ada" },
  );
  const { pseudonym, events } = await erase(realm.name);
  expect(pseudonym).toMatch(/^erased:[0-9a-f-]{36}$/);
  expect(events).toBe(5);
  const trail = (await realm.events()).slice(0, 5).reverse();
  expect(trail.map(({ actor, sourceIp, resourceId, detail }) => [actor, sourceIp, resourceId, detail])).toEqual([
    [pseudonym, null, null, null],
    [pseudonym, null, null, null],
    [pseudonym, null, null, null],
    ["system", "192.0.2.7", pseudonym, `${pseudonym}, ${pseudonym} (${pseudonym}); personada, ada2, x.ada@example.com, canada`],
    ["system", "192.0.2.7", pseudonym, null],
  ]);
  expect((await realm.asMaster().get(`/events?actor=${pseudonym}`)).body.total).toBe(3);
  for (const gone of ["ada", ada.userId, "ada@example.com"])
    expect((await realm.asMaster().get(`/events?actor=${encodeURIComponent(gone)}`)).body.items).toEqual([]);
});

test("finds the id in the details of other events, also right after a sign", async () => {
  const realm = await iam.realm();
  await record(realm.name, ...["+", "-", "x", "("].map((sign) => admin(`members ${sign}${ada.userId}`, { resourceId: "a group" })));
  const { pseudonym } = await erase(realm.name);
  const recorded = (await realm.events("resourceId=a%20group")).map(({ detail }) => detail);
  expect(recorded.reverse()).toEqual(["+", "-", "x", "("].map((sign) => `members ${sign}${pseudonym}`));
});

test("leaves other users, other realms and the impersonated user unchanged, but not the impersonator", async () => {
  const [realm, other] = [await iam.realm(), await iam.realm()];
  await record(other.name, admin("theirs", { resourceId: ada.userId }));
  await record(realm.name, admin("of grace", { resourceId: "grace" }));
  await playGrace(realm.name, { id: ada.userId, name: "ada" });
  const before = { other: await other.events(), mine: await realm.events() };
  const { pseudonym } = await erase(realm.name);
  expect(await other.events()).toEqual(before.other);
  const [impersonated, ...rest] = await realm.events();
  expect(impersonated).toMatchObject({ actor: "grace", impersonator: pseudonym, detail: "as grace" });
  expect(rest).toEqual(before.mine.slice(1));
});

test("knows an impersonator by the id, whatever their name was, and by the name only in events of an earlier release", async () => {
  const [realm, other] = [await iam.realm(), await iam.realm()];
  const another = "0190aaaa-0000-7000-8000-0000000000f0";
  const impersonators = [
    { id: ada.userId, name: "her former name" },
    { id: null, name: "ada" },
    { id: null, name: ada.userId },
    { id: another, name: "ada" },
    { id: "ada", name: "ada" }, // a client, as the actor of a token
    { id: ada.userId, name: "master/ada" }, // ids come with imports
    { id: null, name: "master/ada" },
    { id: another, name: "master/ada" },
    { id: ada.userId, name: "master/her former name" },
  ];
  for (const { name } of [realm, other]) for (const impersonator of impersonators) await playGrace(name, impersonator);
  const namedIn = async (name: string) =>
    (
      await sql<{ impersonator: string; impersonator_id: string | null; source_ip: string | null }>`
        select impersonator, impersonator_id, source_ip from audit_events where realm_id = ${name} and impersonator is not null order by ts, event_id`.execute(
        iam.core.db,
      )
    ).rows.map((row) => [row.impersonator, row.impersonator_id, row.source_ip]);
  const before = await namedIn(other.name);
  const asBefore = (places: readonly number[]) => places.map((place) => before[place]);
  const { pseudonym, events } = await erase(realm.name);
  expect(events).toBe(3);
  expect(await namedIn(realm.name)).toEqual([
    [pseudonym, pseudonym, null],
    [pseudonym, null, null],
    [pseudonym, null, null],
    ...asBefore([3, 4, 5, 6, 7, 8]),
  ]);
  expect(await namedIn(other.name)).toEqual(before);
  const { pseudonym: across } = await erase("master");
  expect(await namedIn(other.name)).toEqual([
    ...asBefore([0, 1, 2, 3, 4]),
    [across, across, null],
    [across, null, null],
    before[7],
    [across, across, null],
  ]);
});

test("leaves what others of the same name did, or was done to them: a former user, a client, the realm", async () => {
  const realm = await iam.realm();
  const former = "0190aaaa-0000-7000-8000-0000000000f0";
  await record(
    realm.name,
    { category: "ADMIN", type: "ADMIN_CREATE", actor: { id: former, name: "ada" }, resourceType: "clients", resourceId: "shop" },
    { category: "AUTHN", type: "LOGIN_FAILURE", outcome: "FAILURE", actor: { id: former, name: "ada", kind: "anonymous" } },
    { category: "SECURITY", type: "USER_LOCKED", actor: { id: null, name: "ada" }, resourceType: "users", resourceId: former },
    { category: "AUTHN", type: "CLIENT_LOGIN", actor: { id: "0190aaaa-0000-7000-8000-0000000000c1", name: "ada", kind: "client" } },
    { category: "AUTHN", type: "CLIENT_LOGIN_FAILURE", outcome: "FAILURE", actor: { id: null, name: "ada", kind: "anonymous" } },
    {
      category: "AUTHN",
      type: "SAML_LOGIN",
      outcome: "FAILURE",
      actor: { id: null, name: "ada" },
      resourceType: "saml-clients",
      resourceId: "ada",
    },
    { category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "settings", resourceId: "ada" },
    { category: "ADMIN", type: "ADMIN_DELETE", resourceType: "clients", resourceId: "ada@example.com" },
  );
  const before = await realm.events();
  expect((await erase(realm.name)).events).toBe(0);
  expect(await realm.events()).toEqual(before);
});

test("replaces a former name that somebody typed, where the event is about the person", async () => {
  const realm = await iam.realm();
  const typed = (name: string, resourceId: string): AuditDraft => ({
    ...{ category: "SECURITY", type: "USER_LOCKED", actor: { id: null, name }, resourceType: "users", resourceId },
  });
  await record(realm.name, typed("former@example.com", ada.userId), typed("former@example.com", "another"), typed("anonymous", ada.userId));
  const { pseudonym } = await erase(realm.name);
  const trail = (await realm.events("type=USER_LOCKED")).reverse();
  expect(trail.map(({ actor, resourceId, sourceIp }) => [actor, resourceId, sourceIp])).toEqual([
    [pseudonym, pseudonym, null],
    ["former@example.com", "another", "192.0.2.7"],
    ["anonymous", pseudonym, "192.0.2.7"],
  ]);
});

test("lifts the append-only rule for itself only, and keeps the order in which events are sent on", async () => {
  const realm = await iam.realm();
  await record(realm.name, admin("x", { resourceId: ada.userId }));
  const xids = () =>
    sql<{ xid: string }>`select xid::text from audit_events where realm_id = ${realm.name} order by event_id`.execute(iam.core.db);
  const before = (await xids()).rows;
  const meddling = work(realm.name, async (ctx) => {
    await eraseFromTrail(ctx, ada);
    await sql`delete from audit_events where realm_id = ${realm.name}`.execute(ctx.tx);
  });
  await expect(meddling).rejects.toThrow("cannot be changed");
  await erase(realm.name);
  expect((await xids()).rows).toEqual(before);
});

test("a name full of signs is only a name", async () => {
  const realm = await iam.realm();
  const odd = { userId: ada.userId, username: "a.b*(c)+[d]\\w|$^{1}", email: null };
  await record(realm.name, admin(`${odd.username} and axb`, { resourceId: odd.userId }), admin("nobody"));
  const { events, pseudonym } = await work(realm.name, (ctx) => eraseFromTrail(ctx, odd));
  expect(events).toBe(1);
  expect((await realm.events())[1]!.detail).toBe(`${pseudonym} and axb`);
});

test.skipIf(testDatabase() !== "postgres")("finds its rows by their indexes, not by reading the realm's whole trail", async () => {
  await sql`
    insert into audit_events (realm_id, event_id, ts, category, type, actor, actor_id, outcome, resource_type, resource_id)
    select 'crowded', gen_random_uuid(), n, 'ADMIN', 'ADMIN_UPDATE', 'user-' || n, n::text, 'SUCCESS', 'users', 'r' || n
    from generate_series(1, 20000) n`.execute(iam.core.db);
  await sql`analyze audit_events`.execute(iam.core.db);
  for (const realm of ["crowded", "master"]) {
    const { rows } = await sql<{ "QUERY PLAN": string }>`explain select 1 from audit_events where ${namesPerson(realm, ada)}`.execute(
      iam.core.db,
    );
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).not.toContain("Seq Scan");
    for (const index of ["by_actor", "by_actor_id", "by_resource_id", "by_impersonator", "by_impersonator_id"])
      expect(plan, plan).toContain(`audit_events_${index}`);
  }
});
