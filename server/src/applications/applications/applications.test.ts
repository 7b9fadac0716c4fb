import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const redirectUris = ["https://shop.example.com/callback"];

onPostgres("each template makes a client of its kind, and a client has its kind however it was made", async () => {
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
  expect((await (await realm.as("view-clients")).post("/applications", { name: "x", template: "saml" })).status).toBe(403);
  for (const body of [
    { name: "x", template: "web" },
    { template: "web", redirectUris },
    { name: "a|b", template: "web", redirectUris },
    { name: "x", template: "web", redirectUris, entityId: "urn:x" },
    { name: "x", template: "machine", redirectUris },
    { name: "x", template: "unheard-of", redirectUris },
    { name: "two words", template: "web", redirectUris },
    { name: "x", template: "web", redirectUris: ["https://shop.example.com/#fragment"] },
  ])
    expect((await admin.post("/applications", body)).status, JSON.stringify(body)).toBe(400);
  expect(await admin.post("/applications", { name: "web", template: "web", redirectUris })).toMatchObject({ status: 409 });
});

onPostgres("a change replaces what an application shows and leaves the rest of its client; one event for each", async () => {
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

const acs = "https://sp.example.com/acs";
const entityId = "https://sp.example.com/Metadata?a=1|2";

onPostgres(
  "the template saml makes a SAML client; its name is that of the realm and its entityId, and serves to read, change and delete it",
  async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-clients", "view-clients");
    const name = `${realm.name}|${entityId}`;
    const at = `/applications/${encodeURIComponent(name)}`;
    const made = await admin.post("/applications", {
      template: "saml",
      ...{ entityId, assertionConsumerServiceUrl: acs, displayName: "Wiki", clientUri: "https://sp.example.com/" },
    });
    expect(made, made.text).toMatchObject({
      status: 201,
      headers: { location: `/admin/realms/${realm.name}${at}`, etag: '"1"' },
      body: {
        name,
        protocol: "saml",
        template: "saml",
        clientRef: entityId,
        displayName: "Wiki",
        enabled: true,
        entityId,
        redirectUris: [],
      },
    });
    const samlClient = `/saml-clients/${encodeURIComponent(entityId)}`;
    expect((await admin.patch(samlClient, { options: { assertionLifetimeSeconds: 77 } })).body).toMatchObject({
      applicationId: name,
      options: { name: "Wiki" },
    });
    const read = await admin.get(at);
    expect((await admin.put(at, read.body)).body, "what GET says is a valid PUT").toEqual(read.body);
    expect((await admin.put(at, read.body, { headers: { "if-match": String(read.headers.etag) } })).status).toBe(412);
    expect((await admin.patch(at, { displayName: "The wiki", enabled: false })).body).toMatchObject({
      displayName: "The wiki",
      enabled: false,
    });
    expect((await admin.get(samlClient)).body).toMatchObject({
      enabled: false,
      options: { name: "The wiki", assertionLifetimeSeconds: 77, clientUri: "https://sp.example.com/" },
    });
    for (const [field, change] of [
      ["entityId", { entityId: "urn:other" }],
      ["template", { template: "web" }],
      ["redirectUris", { redirectUris }],
      ["assertionConsumerServiceUrl", { assertionConsumerServiceUrl: null }],
      ["assertionConsumerServiceUrl", { assertionConsumerServiceUrl: "javascript:alert(1)" }],
    ] as const)
      expect(await admin.put(at, { ...read.body, ...change }), field).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    for (const [field, body] of [
      ["entityId", { assertionConsumerServiceUrl: acs }],
      ["assertionConsumerServiceUrl", { entityId: "urn:x" }],
      ["name", { name: "wiki", entityId: "urn:x", assertionConsumerServiceUrl: acs }],
      ["scopes", { scopes: ["profile"], entityId: "urn:x", assertionConsumerServiceUrl: acs }],
    ] as const)
      expect(await admin.post("/applications", { template: "saml", ...body }), field).toMatchObject({
        status: 400,
        body: { errors: [{ field }] },
      });
    expect((await admin.post("/applications", { template: "saml", entityId, assertionConsumerServiceUrl: acs })).status).toBe(409);
    const other = await iam.realm();
    expect((await other.asMaster().get(at)).status).toBe(404);
    expect((await admin.get(`/applications/${encodeURIComponent(entityId)}`)).status).toBe(404);
    expect((await admin.delete(at, { headers: { "if-match": '"1"' } })).status).toBe(412);
    expect((await admin.delete(at)).status).toBe(204);
    for (const path of [at, samlClient]) expect((await admin.get(path)).status).toBe(404);
    expect((await realm.events("resourceType=applications")).map(({ type, resourceId }) => [type, resourceId])).toEqual([
      ["ADMIN_DELETE", name],
      ["ADMIN_UPDATE", name],
      ["ADMIN_UPDATE", name],
      ["ADMIN_CREATE", name],
    ]);
  },
);

test("both kinds are one list: sorted, searched and paged by key across them", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-clients", "view-clients");
  // Names of test realms begin with r, so SAML applications are between the others.
  for (const name of ["a", "B", "z", "zz"]) await admin.post("/applications", { name, template: "web", redirectUris });
  for (const id of ["urn:c", "urn:A", "urn:b"])
    await admin.post("/applications", { template: "saml", entityId: id, assertionConsumerServiceUrl: acs });
  const expected = ["a", "B", `${realm.name}|urn:A`, `${realm.name}|urn:b`, `${realm.name}|urn:c`, "z", "zz"];
  const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name);
  const all = await admin.get("/applications");
  expect(names(all)).toEqual(expected);
  expect(all.headers["x-total-count"]).toBe("7");
  expect(names(await admin.get("/applications?sort=-name"))).toEqual([...expected].reverse());
  expect(names(await admin.get("/applications?sort=createdAt&size=5&page=1"))).toEqual([`${realm.name}|urn:A`, `${realm.name}|urn:b`]);
  for (const sort of ["name", "-name", "createdAt", "-createdAt"]) {
    const walked: string[] = [];
    for (let path: string | undefined = `/applications?size=2&sort=${sort}`; path; ) {
      const page = await admin.get(path);
      walked.push(...names(page));
      const next = /<([^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1];
      path = next?.slice(`/admin/realms/${realm.name}`.length);
    }
    expect(walked, sort).toEqual(names(await admin.get(`/applications?sort=${sort}`)));
    expect(new Set(walked).size).toBe(7);
  }
  expect(names(await admin.get("/applications?search=URN:"))).toEqual(expected.slice(2, 5));
  expect(names(await admin.get(`/applications?search=${realm.name}%7Curn:a`))).toEqual(expected.slice(2, 3));
  expect(names(await admin.get("/applications?search=z"))).toEqual(["z", "zz"]);
  expect((await admin.get("/applications?sort=template")).status).toBe(400);
});

test("no new client id contains |; an older one keeps working", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-clients", "view-clients");
  expect(await admin.post("/clients", { clientId: "a|b" })).toMatchObject({ status: 400, body: { errors: [{ field: "clientId" }] } });
  const { id } = (await admin.post("/clients", { clientId: "before" })).body;
  await iam.core.db.updateTable("clients").set({ client_id: "a|b", client_key: "a|b" }).where("id", "=", id).execute();
  expect((await admin.patch(`/clients/${id}`, { name: "Old" })).status).toBe(200);
  expect((await admin.get(`/applications/${encodeURIComponent("a|b")}`)).body).toMatchObject({ protocol: "oidc", displayName: "Old" });
});

test("a flow that a SAML client uses cannot be deleted, and a rename updates the client", async () => {
  const realm = await iam.realm();
  const master = realm.asMaster();
  const { steps } = (await master.get("/flows/browser")).body;
  expect((await master.post("/flows", { alias: "strict", displayName: "Strict", steps })).status).toBe(201);
  const options = { browserFlow: "strict" };
  expect((await master.post("/saml-clients", { entityId: "urn:sp", assertionConsumerServiceUrl: acs, options })).status).toBe(201);
  expect(await master.delete("/flows/strict")).toMatchObject({ status: 409, body: { detail: expect.stringContaining("urn:sp") } });
  expect((await master.patch("/flows/strict", { alias: "stricter" })).status).toBe(200);
  expect((await master.get("/saml-clients/urn:sp")).body.options.browserFlow).toBe("stricter");
});
