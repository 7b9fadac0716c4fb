import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import type { Operation } from "./openapi.ts";

let iam: SharedHarness;
let admin: ReturnType<RealmUnderTest["asMaster"]>;
let secretOf: Record<string, Operation>;
beforeAll(async () => {
  iam = await sharedHarness();
  admin = (await iam.realm()).asMaster();
  secretOf = (await iam.browser().get("/v3/api-docs?tag=Clients")).body.paths["/admin/realms/{realm}/clients/{clientId}/secret"];
});
afterAll(() => iam?.close());

test("a body that may be left out is not described as required", async () => {
  const { id } = (await admin.post("/clients", { clientId: "shop", publicClient: false })).body;
  expect((await admin.post(`/clients/${id}/secret`)).status).toBe(200);
  expect(secretOf.post?.requestBody?.required).toBe(false);
});

test("the refusals of a path that is too long, and of a secret that a client does not have, are described", async () => {
  const { id } = (await admin.post("/clients", { clientId: "page", publicClient: true })).body;
  const statuses = [(await admin.get(`/clients/${id}/secret`)).status, (await admin.get(`/clients/${"x".repeat(2049)}/secret`)).status];
  expect(statuses).toEqual([409, 414]);
  expect(Object.keys(secretOf.get?.responses ?? {})).toEqual(expect.arrayContaining(statuses.map(String)));
});
