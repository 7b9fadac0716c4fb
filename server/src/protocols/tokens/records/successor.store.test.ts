import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clock, DAY } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { relyingParty } from "../../../testing/relying-party.ts";
import { deleteGrant, writeGrant } from "./grants.store.ts";
import { addRefreshToken, replaceByRefreshToken } from "./successor.store.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** Creates grants with one refresh token each. Returns the tokens, and a function that replaces one. */
async function granted(realm: RealmUnderTest, count: number) {
  const { db } = iam.core;
  const now = clock.now();
  const { userId } = await realm.user();
  const { clientId } = await relyingParty(iam, realm, {});
  const record = (recordId: string, grantId: string) => ({
    realm: realm.name,
    model: "RefreshToken",
    recordId,
    payload: { grantId, clientId },
    grantId,
    clientId,
    userCode: null,
    expiresAt: now + 9 * DAY,
  });
  const tokens: { readonly name: string; readonly grantId: string }[] = [];
  for (let n = 0; n < count; n++) {
    const grantId = newId();
    await writeGrant(db, realm.name, { grantId, userId, clientId, sessionId: null, payload: {} as never, now, expiresAt: now + DAY });
    await addRefreshToken(db, { ...record(`token-${n}`, grantId), expiresAt: now + DAY });
    tokens.push({ name: `token-${n}`, grantId });
  }
  const replace = ({ name, grantId }: (typeof tokens)[number], by: string) =>
    replaceByRefreshToken(db, { model: "RefreshToken", recordId: name }, record(by, grantId), now);
  return { tokens, replace };
}

const stored = async (realm: string) =>
  (
    await sql<{ name: string; used: boolean }>`
      select record_id as name, consumed_at is not null as used from oidc_records where realm_id = ${realm} order by 1`.execute(iam.core.db)
  ).rows.map(({ name, used }) => `${name} ${used ? "used" : "new"}`);

test("refresh tokens that are used at the same moment are replaced together, each once", async () => {
  const realm = await iam.realm();
  const { tokens, replace } = await granted(realm, 4);
  const [first, second, third, ended] = tokens as [(typeof tokens)[0], (typeof tokens)[0], (typeof tokens)[0], (typeof tokens)[0]];
  await deleteGrant(iam.core.db, realm.name, ended.grantId);
  const outcome = await Promise.all([
    replace(first, "next-0"),
    replace(second, "next-1"),
    replace(second, "next-1-again"),
    replace(second, "next-1-once-more"),
    replace(ended, "next-3"),
    replace(third, "next-2"),
    replace({ ...third, name: "nobody's" }, "next-4"),
  ]);
  expect(outcome.map(Number)).toEqual([1, expect.any(Number), expect.any(Number), expect.any(Number), 0, 1, 0]);
  expect(outcome.slice(1, 4).filter(Boolean)).toHaveLength(1);
  const winner = ["next-1", "next-1-again", "next-1-once-more"][outcome.slice(1, 4).indexOf(true)];
  expect(await stored(realm.name)).toEqual(
    ["next-0 new", `${winner} new`, "next-2 new", "token-0 used", "token-1 used", "token-2 used"].sort(),
  );
  // Each use of a refresh token extends a grant without a session.
  const { rows } = await sql<{ days: number }>`
    select ((expires_at - created_at) / ${DAY}::bigint)::int as days from oidc_grants where realm_id = ${realm.name}`.execute(iam.core.db);
  expect(rows.map(({ days }) => days)).toEqual([9, 9, 9]);
});

test("a token that cannot be replaced fails alone", async () => {
  const realm = await iam.realm();
  const { tokens, replace } = await granted(realm, 3);
  const [first, second, third] = tokens as [(typeof tokens)[0], (typeof tokens)[0], (typeof tokens)[0]];
  const outcome = await Promise.allSettled([
    replace(first, "next-0"),
    replace({ ...second, grantId: "no id" }, "next-1"),
    replace(third, "next-2"),
  ]);
  expect(outcome.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await stored(realm.name)).toEqual(["next-0 new", "next-2 new", "token-0 used", "token-1 new", "token-2 used"]);
});
