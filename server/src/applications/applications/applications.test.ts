import { afterAll, beforeAll, expect, test } from "vitest";
import { type Harness, harness } from "../../testing/harness.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
});
afterAll(() => iam?.close());

const redirectUris = ["https://shop.example.com/callback"];

test("each template makes a client of its kind, and a client is told by its kind however it was made", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-clients", "view-clients");
  const kinds = {
    web: { publicClient: false, applicationType: "web", grantTypes: ["authorization_code", "refresh_token"] },
    spa: { publicClient: true, applicationType: "web", webOrigins: ["+"] },
    native: { publicClient: true, applicationType: "native" },
    machine: { publicClient: false, grantTypes: ["client_credentials"] },
  };
  for (const [template, client] of Object.entries(kinds)) {
    const created = await admin.post("/applications", { name: template, template, ...(template !== "machine" && { redirectUris }) });
    expect(created, template).toMatchObject({ status: 201, body: { name: template, template, protocol: "oidc", enabled: true } });
    expect(typeof created.body.secret).toBe(client.publicClient ? "undefined" : "string");
    expect((await admin.get(`/clients/${created.body.clientRef}`)).body, template).toMatchObject({ clientId: template, ...client });
    expect((await admin.get(`/applications/${template}`)).body).not.toHaveProperty("secret");
  }
  await admin.post("/clients", { clientId: "by-hand", publicClient: true, redirectUris });
  const listed: { name: string; template: string }[] = (await admin.get("/applications?sort=-name")).body;
  expect(listed.map(({ name, template }) => [name, template])).toEqual([
    ["web", "web"],
    ["spa", "spa"],
    ["native", "native"],
    ["machine", "machine"],
    ["by-hand", "spa"],
  ]);
  expect(await admin.post("/applications", { name: "x", template: "saml", entityId: "https://sp.example" })).toMatchObject({
    status: 400,
    body: { errors: [{ field: "template", message: expect.stringContaining("SAML applications come with the SAML feature") }] },
  });
  expect((await (await realm.as("view-clients")).post("/applications", { name: "x", template: "saml" })).status).toBe(403);
  for (const body of [
    { name: "x", template: "web" },
    { name: "x", template: "machine", redirectUris },
    { name: "x", template: "unheard-of", redirectUris },
    { name: "two words", template: "web", redirectUris },
    { name: "x", template: "web", redirectUris: ["https://shop.example.com/#fragment"] },
  ])
    expect((await admin.post("/applications", body)).status, JSON.stringify(body)).toBe(400);
  expect(await admin.post("/applications", { name: "web", template: "web", redirectUris })).toMatchObject({ status: 409 });
});

test("a change replaces what an application shows and leaves the rest of its client; one event for each", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-clients", "view-clients");
  const { clientRef } = (await admin.post("/applications", { name: "shop", template: "web", redirectUris })).body;
  const client = (await admin.get(`/clients/${clientRef}`)).body;
  await admin.put(`/clients/${clientRef}`, { ...client, accessTokenLifetime: 77 });
  const read = await admin.get("/applications/shop");
  expect((await admin.put("/applications/shop", read.body)).body, "what GET says is a valid PUT").toEqual(read.body);
  const changed = await admin.put("/applications/shop", { displayName: "The shop", redirectUris, enabled: false });
  expect(changed).toMatchObject({ status: 200, body: { displayName: "The shop", enabled: false } });
  expect((await admin.get(`/clients/${clientRef}`)).body).toMatchObject({ accessTokenLifetime: 77, name: "The shop", enabled: false });
  expect((await admin.put("/applications/shop", read.body, { headers: { "if-match": String(read.headers.etag) } })).status).toBe(412);
  expect(await admin.put("/applications/shop", { ...read.body, template: "spa" })).toMatchObject({
    status: 400,
    body: { errors: [{ field: "template" }] },
  });
  expect((await admin.delete("/applications/shop")).status).toBe(204);
  for (const path of ["/applications/shop", `/clients/${clientRef}`]) expect((await admin.get(path)).status).toBe(404);
  for (const [type, times] of [
    ["ADMIN_CREATE", 1],
    ["ADMIN_UPDATE", 2],
    ["ADMIN_DELETE", 1],
  ] as const)
    expect(await realm.events(`type=${type}&resourceType=applications&resourceId=shop`), type).toHaveLength(times);
  expect(await realm.events(`type=ADMIN_CREATE&resourceType=clients&resourceId=${clientRef}`)).toEqual([]);
});
