import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { createSubjects, subjectOf } from "./index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const ada = {
  userId: "019b76da-a800-7f3c-9d1e-3f5b7c9d1e3f",
  username: "ada",
  email: "ada@example.com",
  attributes: { number: ["A1", "A2"], long: "x".repeat(256) },
};
const noSalt = () => Promise.reject(new Error("no salt is needed"));

test("the realm chooses, with an ETag and an event; protocols use it", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-authorization");
  const subjects = createSubjects(iam.core);
  expect((await subjects.get(realm.name))!.subjectClaim).toEqual({ strategy: "userId", attribute: null });
  const read = await admin.get("/subject-claim");
  expect(read).toMatchObject({ status: 200, body: { strategy: "userId", attribute: null } });
  const seen = { headers: { "if-match": String(read.headers.etag) } };
  const chosen = { strategy: "attribute", attribute: "number" };
  expect(await admin.put("/subject-claim", chosen, seen)).toMatchObject({ status: 200, body: chosen });
  expect((await admin.put("/subject-claim", { strategy: "email" }, seen)).status).toBe(412);
  expect((await admin.get("/subject-claim")).body).toEqual(chosen);
  expect((await subjects.get(realm.name))!.subjectClaim).toEqual(chosen);
  for (const body of [{ strategy: "attribute" }, { strategy: "email", attribute: "number" }, { strategy: "shoe-size" }, {}])
    expect((await admin.put("/subject-claim", body)).status, JSON.stringify(body)).toBe(400);
  expect(await realm.events("type=ADMIN_UPDATE&resourceType=subject-claim")).toMatchObject([{ detail: "attribute number" }]);
});

describe("sub", () => {
  test("is the value of the strategy, or the request is refused", async () => {
    const of = (claim: Parameters<typeof subjectOf>[0], user = ada) => subjectOf(claim, user, "shop.example", noSalt);
    expect(await of({ strategy: "userId" })).toBe(ada.userId);
    expect(await of({ strategy: "username" })).toBe("ada");
    expect(await of({ strategy: "email" })).toBe("ada@example.com");
    expect(await of({ strategy: "attribute", attribute: "number" })).toBe("A1");
    for (const attribute of ["unset", "long", "toString"])
      await expect(of({ strategy: "attribute", attribute })).rejects.toMatchObject({ code: "subject_claim.missing", status: 403 });
    await expect(of({ strategy: "email" }, { ...ada, email: null as never })).rejects.toThrow("email address");
  });

  test("by sector differs between sectors and realms, and is the same on nodes that need the first salt at the same time", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const sub = async (of: string, sector: string) =>
      subjectOf({ strategy: "pairwise" }, ada, sector, (await createSubjects(iam.core).get(of))!.salt);
    const first = await Promise.all(Array.from({ length: 6 }, () => sub(realm.name, "shop.example")));
    expect(new Set(first).size).toBe(1);
    expect(first[0]).toMatch(/^[\w-]{43}$/);
    expect(await sub(realm.name, "shop.example")).toBe(first[0]);
    expect(await sub(realm.name, "bank.example")).not.toBe(first[0]);
    expect(await sub(other.name, "shop.example")).not.toBe(first[0]);
    await realm.asMaster().put("/subject-claim", { strategy: "pairwise" });
    expect(await sub(realm.name, "shop.example"), "choosing anew keeps the salt").toBe(first[0]);
    const { rows } = await sql<{ pairwise_salt: string }>`select pairwise_salt from realm_oidc where realm_id = ${realm.name}`.execute(
      iam.core.db,
    );
    expect(rows[0]!.pairwise_salt).toMatch(/^v1\./);
  });
});
