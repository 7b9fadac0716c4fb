import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clock } from "../../../kernel/clock.ts";
import { type SharedHarness, sharedHarness, testDatabase } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { relyingParty } from "../../../testing/relying-party.ts";
import { samlApplications } from "./applications.store.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const at = (realm: RealmUnderTest, query = "") => `/realms/${realm.name}/account/applications${query}`;

test("lists the applications that the user may open, with their links, and no others", async () => {
  const realm = await iam.realm();
  const master = realm.asMaster();
  const { roleId } = (await master.post("/roles", { name: "staff" })).body;
  const { groupId } = (await master.post("/groups", { name: "Sales" })).body;
  const { groupId: below } = (await master.post("/groups", { name: "Europe", parentId: groupId })).body;
  const user = await realm.user();
  const app = await relyingParty(iam, realm, { clientId: "portal", name: "Portal" });
  const add = (clientId: string, members: object = {}) =>
    master.post("/clients", { clientId, clientUri: `https://${clientId}.example/`, ...members });
  await add("alpha");
  await add("staffed", { allowedRoles: ["staff"] });
  await add("sold", { name: "Aardvark", allowedGroups: ["/Sales"] });
  await add("off", { enabled: false });
  await master.post("/clients", { clientId: "nowhere" });
  const browser = iam.browser();
  await app.signIn(browser, user);

  const list = async (query = "") => {
    const answer = await browser.get(at(realm, query));
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { clientId: string; link: string | null }[]).map(({ clientId, link }) => [clientId, link]);
  };
  expect(await list()).toEqual([
    ["portal", null],
    ["alpha", "https://alpha.example/"],
  ]);
  await master.post(`/users/${user.userId}/roles`, { name: "staff" });
  await master.post(`/groups/${below}/members`, { userId: user.userId });
  expect(await list("?openable=true&sort=name")).toEqual([
    ["sold", "https://sold.example/"],
    ["alpha", "https://alpha.example/"],
    ["staffed", "https://staffed.example/"],
  ]);
  expect(await list("?openable=false")).toEqual([["portal", null]]);
  expect(await list("?search=AARD")).toEqual([["sold", "https://sold.example/"]]);

  // Page by page, each application is listed once.
  const seen: string[] = [];
  for (let next: string | undefined = at(realm, "?size=1"); next !== undefined; ) {
    const answer = await browser.get(next);
    expect(answer.headers["x-total-count"]).toBe("4");
    seen.push(...answer.body.map(({ clientId }: { clientId: string }) => clientId));
    next = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link ?? ""))?.[1]?.replace(iam.config.baseUrl, "");
  }
  expect(seen[0]).toBe("portal");
  expect([...seen].sort()).toEqual(["alpha", "portal", "sold", "staffed"]);

  // An application that was used and may be used no more is still listed, because it can be ended. It has nothing to open.
  await master.patch(`/clients/${app.id}`, { clientUri: "https://portal.example/" });
  expect((await list())[0]).toEqual(["portal", "https://portal.example/"]);
  await master.patch(`/clients/${app.id}`, { allowedRoles: ["staff"] });
  await master.delete(`/users/${user.userId}/roles/${roleId}`);
  expect(await list("?sort=name")).toEqual([
    ["sold", "https://sold.example/"],
    ["alpha", "https://alpha.example/"],
    ["portal", null],
  ]);
  // An application that the user may only open has nothing to end.
  expect((await browser.delete(at(realm).concat("/alpha"))).status).toBe(404);
  expect((await browser.get(at(realm, "?sort=secret"))).status).toBe(400);
  const other = await iam.realm();
  expect((await browser.get(at(other))).status).toBe(401);
});

test("lists SAML applications that start here or have a home page, by the same rules", async () => {
  const realm = await iam.realm();
  const master = realm.asMaster();
  await master.post("/roles", { name: "staff" });
  const user = await realm.user();
  const app = await relyingParty(iam, realm, { clientId: "portal" });
  const add = async (entityId: string, options: object, more: object = {}) => {
    const made = await master.post("/saml-clients", { entityId, assertionConsumerServiceUrl: "https://sp.example/acs", options, ...more });
    expect(made.status, made.text).toBe(201);
  };
  await add("https://wiki.example/a?b=c", { name: "Wiki", idpInitiatedSsoEnabled: true });
  await add("https://crm.example", { name: "Crm", clientUri: "https://crm.example/home" });
  await add("https://silent.example", { name: "Silent" });
  await add("https://staff.example", { name: "Staff", idpInitiatedSsoEnabled: true, allowedRoles: ["staff"] });
  await add("https://off.example", { name: "Off", idpInitiatedSsoEnabled: true }, { enabled: false });
  const browser = iam.browser();
  await app.signIn(browser, user);
  const list = async () => {
    const answer = await browser.get(at(realm, "?openable=true&sort=name"));
    expect(answer.status, answer.text).toBe(200);
    return answer.body.map(({ protocol, clientId, link }: Record<string, string>) => [protocol, clientId, link]);
  };
  const crm = ["saml", `${realm.name}|https://crm.example`, "https://crm.example/home"];
  const start = `${iam.config.baseUrl}/realms/${realm.name}/saml/idp/start/`;
  const wiki = ["saml", `${realm.name}|https://wiki.example/a?b=c`, `${start}https%3A%2F%2Fwiki.example%2Fa%3Fb%3Dc`];
  expect(await list()).toEqual([crm, wiki]);
  await master.post(`/users/${user.userId}/roles`, { name: "staff" });
  const staff = ["saml", `${realm.name}|https://staff.example`, `${start}https%3A%2F%2Fstaff.example`];
  expect(await list()).toEqual([crm, staff, wiki]);
  await master.patch("/settings", { saml: { idpInitiatedSsoEnabled: true } });
  await expect.poll(async () => (await list()).length).toBe(4);
});

test.runIf(testDatabase() === "postgres")(
  "reads the SAML applications that it lists by their index, and not all of the realm",
  async () => {
    const realm = await iam.realm();
    const user = await realm.user();
    const { db } = iam.core;
    await sql`insert into saml_clients (realm_id, id, entity_id, application_key, settings, created_at, updated_at)
    select ${realm.name}, gen_random_uuid(), 'https://sp.example/' || n, ${realm.name} || '|https://sp.example/' || n,
      jsonb_build_object('options', case when n % 1000 = 0 then '{"clientUri": "https://sp.example"}'::jsonb else '{}'::jsonb end), 1, 1
    from generate_series(1, 5000) n`.execute(db);
    await sql`analyze saml_clients`.execute(db);
    const query = samlApplications(realm.name, user.userId, clock.now(), false);
    expect((await sql`${query}`.execute(db)).rows).toHaveLength(5);
    const plan = JSON.stringify((await sql`explain ${query}`.execute(db)).rows);
    expect(plan).toContain("saml_clients_with_link");
    expect(plan).not.toContain("Seq Scan on saml_clients");
  },
);
