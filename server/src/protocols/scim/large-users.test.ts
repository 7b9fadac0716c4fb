import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { filter, scimClient } from "../../testing/scim.ts";

// The client of a token may be another company. What its requests compare and load must not keep the server busy for others.

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const ADDRESSES = 199;
const addresses = Array.from({ length: ADDRESSES }, (_, n) => ({ formatted: `${"a".repeat(1000)} ${n}`, type: "home" }));

test("a PATCH whose operations, elements and terms multiply is refused, and one of an ordinary size is not", async () => {
  const scim = await scimClient(iam, await iam.realm());
  const { body: user } = await scim.post("/Users", { userName: "ada", addresses });
  const patch = (operations: readonly object[]) => scim.patch(`/Users/${user.id}`, operations as never);
  const terms = Array.from({ length: 40 }, (_, n) => `formatted co "${n}z"`).join(" or ");
  const times = <T>(length: number, one: T): T[] => Array.from({ length }, () => one);
  for (const [what, operations] of [
    ["filters", times(40, { op: "replace", path: `addresses[${terms} or type eq "home"].type`, value: "home" })],
    ["removed by a filter", times(40, { op: "remove", path: `addresses[${terms}]` })],
    ["added", times(1000, { op: "add", path: "addresses", value: [{ formatted: "b" }] })],
    ["removed by value", times(1000, { op: "remove", path: "addresses", value: [{ formatted: "nowhere" }] })],
    ["replaced", times(1000, { op: "replace", path: "addresses.type", value: "home" })],
    [
      "in one object",
      [
        {
          op: "add",
          value: Object.fromEntries(times(40, 0).map((_, n) => [`addresses[${terms} or type eq "home" or type eq "${n}"].type`, "home"])),
        },
      ],
    ],
  ] as const)
    expect((await patch(operations)).body, what).toMatchObject({ status: "400", scimType: "tooMany" });
  expect((await scim.get(`/Users/${user.id}`)).body.addresses).toHaveLength(ADDRESSES);

  const few = [
    ...times(20, { op: "replace", path: 'emails[type eq "work"].value', value: "ada@work.example" }),
    ...times(5, { op: "remove", path: 'addresses[formatted ew " 7"]' }),
    { op: "add", path: "addresses", value: [{ formatted: addresses[3]!.formatted, type: "home" }] },
  ];
  const changed = await patch(few);
  expect([changed.status, changed.body.addresses.length]).toEqual([200, ADDRESSES - 1]);
});

test("a page of large users is shorter than the client asked for, and the next one goes on", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm);
  const count = 40;
  const Operations = Array.from({ length: count }, (_, n) => ({
    method: "POST",
    path: "/Users",
    data: { userName: `u${n}`, title: "large" },
  }));
  await scim.post("/Bulk", { Operations });
  await sql`update scim_users set profile = profile || jsonb_build_object('addresses', jsonb_build_array(
    jsonb_build_object('formatted', repeat('x', 250000)))) where realm_id = ${realm.name}`.execute(iam.core.db);
  const total = count + 1;
  for (const [query, expected] of [
    ["", total],
    [filter('title eq "LARGE"'), count],
  ] as const) {
    const [byIndex, byCursor] = [new Set<string>(), new Set<string>()];
    const sizes: number[] = [];
    while (byIndex.size < expected) {
      const { body } = await scim.get(`/Users?${query}&count=1000&startIndex=${byIndex.size + 1}`);
      expect(body).toMatchObject({ totalResults: expected, itemsPerPage: body.Resources.length });
      expect(body.itemsPerPage, query).toBeGreaterThan(0);
      sizes.push(JSON.stringify(body).length);
      for (const { id } of body.Resources as { id: string }[]) byIndex.add(id);
    }
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const { body } = await scim.get(`/Users?${query}&count=1000&cursor=${cursor}`);
      for (const { id } of body.Resources as { id: string }[]) byCursor.add(id);
      cursor = body.nextCursor;
    }
    expect([byCursor.size, sizes.length], query).toEqual([expected, 2]);
    expect(Math.max(...sizes), query).toBeLessThan(9_000_000);
  }
});
