import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, HOUR } from "../../kernel/clock.ts";
import { createPasswordHasher } from "../../platform/passwords/index.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { createPasswordUpgrades } from "./password-upgrades.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const bcrypt = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const secretOf = async (userId: string) =>
  iam.core.db.selectFrom("credentials").select(["secret", "created_at"]).where("user_id", "=", userId).executeTakeFirstOrThrow();
const store = (userId: string, secret: string) =>
  sql`update credentials set secret = ${secret} where user_id = ${userId}`.execute(iam.core.db);
const signIn = async (username: string, password: string) => (await iam.browser().trySignIn(realm.name, username, password)).status;

test.each([
  ["bcrypt", bcrypt, "U*U"],
  ["PBKDF2", "$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk", "toomanysecrets"],
  ["salted SHA", "{SSHA}yrht1iYXEIkejLVu42JWkadd80RzYWx0c2FsdA==", "password"],
  ["Argon2i", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA", "password"],
])("a hash by %s opens the door and becomes one of today's, as old as it was", async (_name, encoded, password) => {
  const { userId, username } = await realm.user();
  await store(userId, encoded);
  const before = await secretOf(userId);
  expect(await signIn(username, "wrong")).toBe(401);
  expect((await secretOf(userId)).secret, "a wrong password changes nothing").toBe(encoded);
  clock.advance(HOUR / 60);
  expect(await signIn(username, password)).toBe(303);
  await expect.poll(async () => (await secretOf(userId)).secret).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
  const after = await secretOf(userId);
  expect(after.created_at).toBe(before.created_at);
  expect(await signIn(username, password)).toBe(303);
  expect(await secretOf(userId), "once is enough").toEqual(after);
  expect(await signIn(username, "wrong")).toBe(401);
});

test("many sign-ins at once all succeed, and leave one new hash", async () => {
  const { userId, username } = await realm.user();
  await store(userId, bcrypt);
  expect(await Promise.all(Array.from({ length: 4 }, () => signIn(username, "U*U")))).toEqual(Array(4).fill(303));
  await expect.poll(async () => (await secretOf(userId)).secret).toMatch(/^\$argon2id/);
  expect(await signIn(username, "U*U")).toBe(303);
});

test("a password that was set meanwhile is not overwritten", async () => {
  const { userId, username } = await realm.user();
  await store(userId, bcrypt);
  // The new hash takes long, and an administrator sets another password meanwhile.
  let finish!: () => void;
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { hasher, db } = iam.core;
  const upgrades = createPasswordUpgrades({
    db,
    hasher: { ...hasher, hash: (password) => slow.then(() => hasher.hash(password)) },
    log: { info: () => expect.unreachable() },
  });
  upgrades.soon({ realm: realm.name, userId, password: "U*U", checked: bcrypt });
  expect((await realm.asMaster().put(`/users/${userId}/password`, { newPassword: "the administrator's choice" })).status).toBe(204);
  const set = await secretOf(userId);
  finish();
  await upgrades.settled();
  expect(await secretOf(userId)).toEqual(set);
  expect(await signIn(username, "U*U")).toBe(401);
  expect(await signIn(username, "the administrator's choice")).toBe(303);
});

test("a busy server leaves the old hash for the next sign-in, and logs that without the password", async () => {
  const { userId } = await realm.user();
  await store(userId, bcrypt);
  const busy = createPasswordHasher({ concurrency: 1, maxQueue: 0 });
  const holding = busy.hash("holds the only permit");
  const logged: string[] = [];
  const upgrades = createPasswordUpgrades({
    db: iam.core.db,
    hasher: busy,
    log: { info: (fields, message) => void logged.push(JSON.stringify(fields) + message) },
  });
  upgrades.soon({ realm: realm.name, userId, password: "U*U", checked: bcrypt });
  await upgrades.settled();
  await holding;
  expect((await secretOf(userId)).secret).toBe(bcrypt);
  expect(logged).toHaveLength(1);
  expect(logged[0]).not.toContain("U*U");
});
