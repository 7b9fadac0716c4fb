import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { waitingSessions } from "../../testing/waiting-sessions.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const imported = (realm: RealmUnderTest, row: object) =>
  realm.asMaster().post("/users/import", JSON.stringify(row), { headers: { "content-type": "application/x-ndjson" } });
const called = (realm: RealmUnderTest, clientId: string) => realm.asMaster().post("/clients", { clientId });
const refusedClient = { status: 400, body: { errors: [{ field: "clientId", code: "reserved" }] } };
const refusedRow = { created: 0, failed: 1, errors: [{ code: "import.user_id_taken", message: expect.stringContaining("client id") }] };

describe("an id that would be `sub` of a user and of a client's own tokens", () => {
  test("is no client id where it is a user's, also one who was deleted", async () => {
    const realm = await iam.realm();
    const { userId } = await realm.user();
    for (const clientId of [userId, userId.toUpperCase()]) expect(await called(realm, clientId)).toMatchObject(refusedClient);
    expect((await realm.asMaster().delete(`/users/${userId}`)).status).toBe(204);
    expect(await called(realm, userId)).toMatchObject(refusedClient);
    expect((await called(await iam.realm(), userId)).status, "another realm's user").toBe(201);
    expect((await called(realm, randomUUID())).status, "nobody's").toBe(201);
  });

  test("is no user's where a client is called so", async () => {
    const realm = await iam.realm();
    const [clientId, other] = [randomUUID(), randomUUID().toUpperCase()];
    for (const each of [clientId, other]) expect((await called(realm, each)).status).toBe(201);
    for (const userId of [clientId, clientId.toUpperCase(), other])
      expect((await imported(realm, { username: "ada", userId })).body).toMatchObject(refusedRow);
    expect((await imported(realm, { username: "ada", userId: randomUUID() })).body).toMatchObject({ created: 1 });
  });

  test("goes to one of the two where both are made at once", async () => {
    const realm = await iam.realm();
    const [first, second] = [randomUUID(), randomUUID()];
    const { db } = iam.core;
    const begun = (write: (tx: typeof db) => Promise<unknown>) => {
      let finish = () => {};
      const hold = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const done = db.transaction().execute(async (tx) => {
        await write(tx as never);
        await hold;
      });
      return { finish, done };
    };
    const { body: shop } = await called(realm, "shop");
    const rename = begun(async (tx) => {
      await sql`select 1 from realms where realm_id = ${realm.name} for no key update`.execute(tx);
      await sql`update clients set client_id = ${first}, client_key = ${first} where realm_id = ${realm.name} and id = ${shop.id}`.execute(
        tx,
      );
    });
    const late = imported(realm, { username: "ada", userId: first });
    await expect.poll(() => waitingSessions(db), { timeout: 20_000 }).toBe(1);
    rename.finish();
    await rename.done;
    expect((await late).body).toMatchObject(refusedRow);

    const { userId } = await realm.user();
    const import_ = begun(async (tx) => {
      await sql`select 1 from realms where realm_id = ${realm.name} for share`.execute(tx);
      await sql`insert into users (realm_id, user_id, username, username_key, email_verified, enabled, attributes, source, created_at)
        select realm_id, ${second}, 'late', 'late', false, true, '{}', 'local', 0 from users where realm_id = ${realm.name} and user_id = ${userId}`.execute(
        tx,
      );
    });
    const client = called(realm, second);
    await expect.poll(() => waitingSessions(db), { timeout: 20_000 }).toBe(1);
    import_.finish();
    await import_.done;
    expect(await client).toMatchObject(refusedClient);
  });
});

test("the nil and the max UUID are no user's id", async () => {
  const realm = await iam.realm();
  for (const digit of ["0", "f", "F"]) {
    const userId = digit.repeat(32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    expect((await imported(realm, { username: "nobody", userId })).body, userId).toMatchObject({
      created: 0,
      failed: 1,
      errors: [{ code: "request.invalid", message: expect.stringContaining("userId") }],
    });
  }
});
