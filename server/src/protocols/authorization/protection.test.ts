import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import type { Answer, RequestOptions } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";

const UMA = "urn:ietf:params:oauth:grant-type:uma-ticket";
const PASSWORD = "a password for tests";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  // The cleanup would delete rows by the moved clock.
  await iam.server.jobs.stop();
});
afterAll(() => iam?.close());
afterEach(() => clock.reset());

const must = ({ status, text, body }: Answer) => {
  expect(status, text).toBeLessThan(300);
  return body;
};
const refusal = ({ status, body }: Answer) => [status, body?.error ?? body?.code];

/** Creates a resource server `photos`, an application, and the users ada and bob. */
async function stage() {
  const realm = await iam.realm();
  const admin = realm.asMaster();
  const server = async (clientId: string) => {
    const party = await relyingParty(iam, realm, {
      ...{ clientId, publicClient: false, redirectUris: [], grantTypes: ["client_credentials", "uma-ticket"] },
    });
    must(await admin.put(`/clients/${party.id}/authz/settings`, { enabled: true }));
    const { access_token: pat } = must(await party.post("/token", { grant_type: "client_credentials" }));
    const call = (method: string, path: string, body?: unknown, token: string | null = pat) =>
      iam.browser().request(method as "GET", `/realms/${realm.name}/authz/protection${path}`, {
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        csrf: false,
      } as RequestOptions);
    return { ...party, pat, call };
  };
  const photos = await server("photos");
  const app = await relyingParty(iam, realm, { grantTypes: ["authorization_code", "uma-ticket"], webOrigins: [] });
  const person = async (username: string, email = `${username}@example.com`) => {
    const { userId } = must(await admin.post("/users", { username, email }));
    must(await admin.put(`/users/${userId}/password`, { newPassword: PASSWORD }));
    const browser = iam.browser();
    const { access_token: token } = must(await app.signIn(browser, { username, password: PASSWORD }));
    const account = (method: "get" | "post" | "delete", path: string, body?: unknown) =>
      method === "post"
        ? browser.post(`/realms/${realm.name}/account/resources${path}`, body)
        : browser[method](`/realms/${realm.name}/account/resources${path}`);
    const redeem = (form: Record<string, string>) => app.post("/token", { grant_type: UMA, subject_token: token, ...form });
    return { userId, username, token, account, redeem, browser };
  };
  return { realm, admin, server, photos, app, person, ada: await person("ada"), bob: await person("bob") };
}

test("a resource server registers, lists, changes and deletes its own resources, by id, with its own token", async () => {
  const { realm, admin, server, photos, ada } = await stage();
  const album = { name: "Album", resource_scopes: ["view", "print"], owner: ada.userId, ownerManagedAccess: true, unknown: { member: 1 } };
  const made = await photos.call("POST", "/resource_set", album);
  expect(made.status, made.text).toBe(201);
  const { _id: id } = made.body;
  expect(made.headers.location).toBe(`/realms/${realm.name}/authz/protection/resource_set/${id}`);
  expect(made.body).toMatchObject({
    ...{ name: "Album", resource_scopes: ["view", "print"], scopes: [{ name: "view" }, { name: "print" }], owner: { id: ada.userId } },
    user_access_policy_uri: `${iam.config.baseUrl}/realms/${realm.name}/account/pages/applications/shares?id=${id}`,
  });
  // Its scopes were created with it, and administrators see both.
  expect(must(await admin.get(`/clients/${photos.id}/authz/scopes`)).map(({ name }: { name: string }) => name)).toEqual(["print", "view"]);
  const wall = must(await photos.call("POST", "/resource_set", { name: "Wall", type: "wall", uri: "/wall/*" }))._id;
  expect(must(await photos.call("GET", "/resource_set")).sort()).toEqual([id, wall].sort());
  for (const filter of ["type=wall", "uri=%2Fwall%2F*", "name=Wall"])
    expect(must(await photos.call("GET", `/resource_set?${filter}`)), filter).toEqual([wall]);
  expect(must(await photos.call("GET", `/resource_set?owner=${ada.userId}&deep=true`))).toMatchObject([{ _id: id, name: "Album" }]);
  expect(must(await photos.call("GET", "/resource_set?owner=ada")), "by id alone: names would say who exists").toEqual([]);
  const changed = { name: "Album 2", resource_scopes: ["view"], owner: { id: ada.userId }, ownerManagedAccess: true };
  expect(must(await photos.call("PUT", `/resource_set/${id}`, changed))).toMatchObject({
    _id: id,
    name: "Album 2",
    scopes: [{ name: "view" }],
  });

  // CVE-2026-4630: the API opens neither another client's resource, nor one by its name, and takes no user's token.
  const other = await server("other");
  for (const [method, body] of [["GET"], ["PUT", changed], ["DELETE"]] as const) {
    expect(refusal(await other.call(method, `/resource_set/${id}`, body)), method).toEqual([404, "not_found"]);
    expect(refusal(await photos.call(method, "/resource_set/Album%202", body)), method).toEqual([404, "not_found"]);
    expect(refusal(await photos.call(method, `/resource_set/${id}`, body, ada.token)), method).toEqual([401, "invalid_token"]);
    expect(refusal(await photos.call(method, `/resource_set/${id}`, body, null)), method).toEqual([401, "invalid_token"]);
  }
  expect(refusal(await other.call("POST", "/permission", [{ resource_id: id }]))).toEqual([400, "invalid_resource_id"]);
  const plain = await relyingParty(iam, realm, {
    clientId: "plain",
    publicClient: false,
    redirectUris: [],
    grantTypes: ["client_credentials"],
  });
  const { access_token: own } = must(await plain.post("/token", { grant_type: "client_credentials" }));
  expect(refusal(await photos.call("GET", "/resource_set", undefined, own))).toEqual([403, "access_denied"]);

  for (const bad of [
    ...[
      {},
      { name: "" },
      { name: " x" },
      { name: "x\u0000" },
      { name: "x", resource_scopes: ["a,b"] },
      { name: "x", resource_scopes: ["a#"] },
    ],
    ...[
      { name: "x", owner: "ada" },
      { name: "x", owner: photos.id.replace(/^./, "9") },
      { name: "x", ownerManagedAccess: true },
    ],
    ...[{ name: "x".repeat(256) }, { name: "x", type: "a b" }, { name: "x", uris: [""] }, { name: "x", scopes: [7] }, [], "x"],
  ])
    expect((await photos.call("POST", "/resource_set", bad)).status, JSON.stringify(bad)).toBe(400);
  expect(refusal(await photos.call("POST", "/resource_set", { name: "Wall" }))[0], "a name is taken").toBe(409);
  expect((await photos.call("DELETE", `/resource_set/${wall}`)).status).toBe(204);
  expect(refusal(await photos.call("DELETE", `/resource_set/${wall}`))).toEqual([404, "not_found"]);
  must(await admin.put(`/clients/${photos.id}/authz/settings`, { enabled: true, allowRemoteResourceManagement: false }));
  expect(refusal(await photos.call("POST", "/resource_set", { name: "y" }))).toEqual([403, "access_denied"]);
  expect((await photos.call("GET", `/resource_set/${id}`)).status).toBe(200);

  const uma = must(await iam.browser().get(`/realms/${realm.name}/.well-known/uma2-configuration`));
  const issuer = `${iam.config.baseUrl}/realms/${realm.name}`;
  expect(uma).toMatchObject({
    issuer,
    permission_endpoint: `${issuer}/authz/protection/permission`,
    resource_registration_endpoint: `${issuer}/authz/protection/resource_set`,
    grant_types_supported: expect.arrayContaining([UMA]),
  });
});

test("a resource keeps its owner and shares where a description does not speak of them, and is found by its owner", async () => {
  const { admin, server, photos, ada, bob } = await stage();
  const album = { name: "Album", resource_scopes: ["view", "print"], owner: ada.userId, ownerManagedAccess: true };
  const { _id: id, user_access_policy_uri: uri } = must(await photos.call("POST", "/resource_set", album));
  must(await ada.account("post", `/${id}/shares`, { user: "bob", scopes: ["view"] }));
  const put = (body: object) => photos.call("PUT", `/resource_set/${id}`, body);
  // UMA 2.0 has no such members, so a client of UMA does not send them.
  expect(must(await put({ name: "Summer", resource_scopes: ["view"] }))).toMatchObject({
    ...{ name: "Summer", owner: { id: ada.userId }, ownerManagedAccess: true, user_access_policy_uri: uri },
  });
  expect(must(await bob.account("get", "/shared"))).toMatchObject([{ resourceId: id, owner: "ada", scopes: ["view"] }]);
  expect(must(await put({ name: "Summer", resource_scopes: ["view"], ownerManagedAccess: false }))).toMatchObject({
    ...{ owner: { id: ada.userId }, ownerManagedAccess: false },
  });
  expect(must(await put({ name: "Summer", owner: ada.userId.toUpperCase() })).owner).toEqual({ id: ada.userId });

  const wall = must(await photos.call("POST", "/resource_set", { name: "Wall", owner: { id: "photos" } }))._id;
  const { owner } = must(await photos.call("GET", `/resource_set/${wall}`));
  expect(owner).toEqual({ id: photos.id, name: "photos" });
  const other = await server("other");
  for (const [name, found] of [
    [photos.id, [wall]],
    [photos.id.toUpperCase(), [wall]],
    ["photos", [wall]],
    [ada.userId, [id]],
    [ada.userId.toUpperCase(), [id]],
    ["ada", []],
    ["other", []],
    [other.id, []],
  ] as const)
    expect(must(await photos.call("GET", `/resource_set?owner=${name}`)), name).toEqual(found);
  expect(must(await admin.get(`/clients/${photos.id}/authz/resources?owner=${photos.id}`))).toMatchObject([{ name: "Wall", owner: null }]);

  // A description that names an owner wrongly does not give the resource to the resource server instead.
  for (const named of [{ name: "ada" }, {}, { id: "" }, "nobody"])
    expect((await photos.call("POST", "/resource_set", { name: "Diary", owner: named })).status, JSON.stringify(named)).toBe(400);
  expect(must(await put({ name: "Summer", owner: null })).owner).toEqual(owner);
  expect(must(await bob.account("get", "/shared"))).toEqual([]);
});

test("owners share and revoke; tickets are used once; people who do not exist answer alike", async () => {
  const { realm, admin, photos, app, ada, bob } = await stage();
  const album = { name: "Album", resource_scopes: ["view", "print"], owner: ada.userId, ownerManagedAccess: true };
  const { _id: id } = must(await photos.call("POST", "/resource_set", album));
  const ticket = async (scopes: readonly string[] = ["view"], more: object = {}) =>
    must(await photos.call("POST", "/permission", [{ resource_id: id, resource_scopes: scopes, ...more }])).ticket as string;

  // The owner may do everything. Another user makes a request, and the owner sees it.
  expect(must(await ada.redeem({ ticket: await ticket(), response_mode: "decision" }))).toEqual({ result: true });
  const refused = await ticket();
  expect(await bob.redeem({ ticket: refused, submit_request: "false" })).toMatchObject({
    status: 403,
    body: { error: "request_denied", error_description: "not_authorized" },
  });
  expect(refusal(await bob.redeem({ ticket: refused })), "a refused ticket is used, too").toEqual([400, "invalid_grant"]);
  expect(must(await ada.account("get", `/${id}`))).toMatchObject({ name: "Album", clientId: "photos", shares: [], requests: [] });
  // UMA 2.0 Grant §3.3.6: until the owner answers, each refusal has the next ticket.
  let next = await ticket();
  for (let asked = 0; asked < 2; asked++) {
    const { status, body } = await bob.redeem({ ticket: next });
    expect([status, body]).toEqual([
      403,
      { error: "request_submitted", error_description: "request_submitted", ticket: expect.any(String) },
    ]);
    expect(body.ticket).not.toBe(next);
    next = body.ticket;
  }
  expect(must(await ada.account("get", `/${id}`)).requests).toMatchObject([{ userId: bob.userId, user: "bob", scopes: ["view"] }]);

  // The responses and lists are the same for bob and for a user who does not exist.
  const shares = [];
  for (const user of ["bob", "nobody"]) {
    const made = await ada.account("post", `/${id}/shares`, { user, scopes: ["view"] });
    expect([made.status, Object.keys(made.body).sort()], user).toEqual([201, ["createdAt", "scopes", "shareId", "user"]]);
    shares.push(made.body);
  }
  expect(must(await ada.account("get", `/${id}`))).toMatchObject({ shares: [{ user: "bob" }, { user: "nobody" }], requests: [] });
  expect(must(await bob.account("get", "/shared"))).toMatchObject([{ resourceId: id, owner: "ada", scopes: ["view"] }]);
  const rpt = must(await bob.redeem({ ticket: next }));
  const seen = async (token: string) => (await photos.post("/introspect", { token })).body;
  expect(await seen(rpt.access_token)).toMatchObject({ active: true, permissions: [{ resource_id: id, resource_scopes: ["view"] }] });
  expect((await bob.redeem({ ticket: await ticket(["view", "print"]), response_mode: "permissions" })).status, "all of it").toBe(403);

  // A ticket is used once, even by concurrent requests, within five minutes.
  const once = await ticket();
  const answers = await Promise.all([1, 2, 3].map(() => bob.redeem({ ticket: once, response_mode: "decision" })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  const late = await ticket();
  clock.advance(5 * MINUTE + 1);
  expect(refusal(await bob.redeem({ ticket: late }))).toEqual([400, "invalid_grant"]);
  clock.reset();
  const beside = { ticket: await ticket(), permission: "Album#view" };
  expect(refusal(await bob.redeem(beside)), "a permission beside it").toEqual([400, "invalid_request"]);
  expect(refusal(await bob.redeem({ ticket: "unknown" }))).toEqual([400, "invalid_grant"]);
  expect(refusal(await photos.call("POST", "/permission", [{ resource_id: id, resource_scopes: ["nope"] }]))).toEqual([
    400,
    "invalid_scope",
  ]);
  const many = Array.from({ length: 101 }, () => ({ resource_id: id }));
  expect((await photos.call("POST", "/permission", many)).status).toBe(400);

  // Keycloak's public clients send the user's token in the header.
  const byHeader = (token: string, more: Record<string, string> = {}) =>
    iam.browser().request("POST", `/realms/${realm.name}/token`, {
      form: { grant_type: UMA, audience: "photos", permission: "Album#view", response_mode: "decision", ...more },
      headers: { authorization: `Bearer ${token}` },
      csrf: false,
    });
  expect(must(await byHeader(bob.token))).toEqual({ result: true });
  expect((await byHeader(photos.pat)).status, "a client with a secret").toBe(401);
  expect((await byHeader(bob.token, { client_id: "photos" })).status).toBe(401);
  expect((await byHeader("x")).status).toBe(401);

  // This is a second name of the same user. Revoking one share keeps the other.
  const again = must(await ada.account("post", `/${id}/shares`, { user: "bob@example.com" }));
  expect(again.scopes).toEqual(["view", "print"]);
  expect((await bob.redeem({ audience: "photos", permission: "Album#print", response_mode: "decision" })).status).toBe(200);
  expect((await ada.account("delete", `/${id}/shares/${again.shareId}`)).status).toBe(204);
  expect((await bob.redeem({ audience: "photos", permission: "Album#print", response_mode: "decision" })).status).toBe(403);
  expect((await byHeader(bob.token)).status).toBe(200);

  // Only the owner may do this, and only with existing users and scopes.
  expect(refusal(await bob.account("post", `/${id}/shares`, { user: "ada" }))).toEqual([404, "authz.resource_not_found"]);
  expect(refusal(await bob.account("get", `/${id}`))).toEqual([404, "authz.resource_not_found"]);
  expect(refusal(await bob.account("delete", `/${id}/shares/${shares[0].shareId}`))[0]).toBe(404);
  for (const body of [{ user: "ada" }, { user: "bob", scopes: ["nope"] }, { user: "bob", scopes: [] }, { user: " " }, {}])
    expect((await ada.account("post", `/${id}/shares`, body)).status, JSON.stringify(body)).toBe(400);

  // The shares are in the data of both users, and are deleted with bob, as are shares by a name that did not exist yet.
  const data = must(await admin.get(`/users/${bob.userId}/gdpr/export`));
  expect(data.sharedResources).toMatchObject([{ clientId: "photos", resourceId: id, scope: "view", status: "GRANTED" }]);
  for (const { shareId } of shares) expect((await ada.account("delete", `/${id}/shares/${shareId}`)).status).toBe(204);
  expect((await byHeader(bob.token)).status).toBe(403);
  expect((await realm.events("type=RESOURCE_SHARED")).map(({ actor }: { actor: string }) => actor)).toEqual(["ada", "ada", "ada"]);
  expect(await realm.events("type=RESOURCE_UNSHARED")).toHaveLength(3);
  must(await ada.account("post", `/${id}/shares`, { user: "carol" }));
  must(await ada.account("post", `/${id}/shares`, { user: "bob" }));
  const { userId: carol } = must(await admin.post("/users", { username: "carol" }));
  expect(must(await ada.account("get", `/${id}`)).shares).toHaveLength(2);
  for (const userId of [carol, bob.userId]) expect((await admin.delete(`/users/${userId}/gdpr`)).status).toBe(204);
  expect(must(await ada.account("get", `/${id}`)).shares).toEqual([]);

  // A new owner has shared nothing.
  must(await ada.account("post", `/${id}/shares`, { user: "dora" }));
  const { userId: eve } = must(await admin.post("/users", { username: "eve" }));
  must(await photos.call("PUT", `/resource_set/${id}`, { ...album, owner: eve }));
  must(await photos.call("PUT", `/resource_set/${id}`, album));
  expect(must(await ada.account("get", `/${id}`)).shares).toEqual([]);
  expect(must(await ada.account("get", "")), "what may be shared").toHaveLength(1);
  // An RPT ends with the session.
  const own = must(await ada.redeem({ audience: "photos", permission: "Album" }));
  expect((await seen(own.access_token)).active).toBe(true);
  const [session] = must(await admin.get(`/sessions?search=${ada.userId}`));
  must(await admin.delete(`/sessions/${session.id}`));
  expect(await seen(own.access_token)).toEqual({ active: false });
  expect(app.clientId).toBe("app");
});

test("a name that moved to another user: sharing by it again, or erasing its new user, leaves the former user nothing", async () => {
  const { admin, photos, ada, bob } = await stage();
  const album = { name: "Album", resource_scopes: ["view"], owner: ada.userId, ownerManagedAccess: true };
  const { _id: id } = must(await photos.call("POST", "/resource_set", album));
  const mayView = async () =>
    (await bob.redeem({ audience: "photos", permission: "Album#view", response_mode: "decision" })).status === 200;
  const share = async (user: string) => must(await ada.account("post", `/${id}/shares`, { user }));
  const move = async (from: string, to: string, username: string) => {
    must(await admin.patch(`/users/${bob.userId}`, { email: to }));
    return must(await admin.post("/users", { username, email: from })).userId as string;
  };
  await share("bob@example.com");
  expect(await mayView()).toBe(true);
  await move("bob@example.com", "bob2@example.com", "carol");
  expect(await mayView(), "it was shared with bob, whatever he is called now").toBe(true);
  const { shareId } = await share("bob@example.com");
  expect(await mayView()).toBe(false);
  expect((await ada.account("delete", `/${id}/shares/${shareId}`)).status).toBe(204);

  await share("bob2@example.com");
  expect(await mayView()).toBe(true);
  const dora = await move("bob2@example.com", "bob3@example.com", "dora");
  expect((await admin.delete(`/users/${dora}/gdpr`)).status).toBe(204);
  expect(must(await ada.account("get", `/${id}`)).shares).toEqual([]);
  expect(await mayView()).toBe(false);
});

test("an owner allows the user who asked, even if another user has confirmed the address that is their username", async () => {
  const { realm, photos, ada, person } = await stage();
  const album = { name: "Album", resource_scopes: ["view", "print"], owner: ada.userId, ownerManagedAccess: true };
  const { _id: id } = must(await photos.call("POST", "/resource_set", album));
  const name = "eve@work.example";
  const eve = await person(name, "eve@example.com");
  const ask = async (scope: string, who: typeof eve) => {
    const { ticket } = must(await photos.call("POST", "/permission", [{ resource_id: id, resource_scopes: [scope] }]));
    return (await who.redeem({ ticket, response_mode: "decision" })).status;
  };
  expect(await ask("view", eve)).toBe(403);
  // The owner of the address has confirmed it.
  await sql`update login_names set key = key || chr(1) || user_id where realm_id = ${realm.name} and key = ${name}`.execute(iam.core.db);
  const dora = await person("dora", name);
  const list = `/realms/${realm.name}/account/pages/applications`;
  const allow = async () => {
    const csrf = /name="_csrf" value="([^"]*)"/.exec((await ada.browser.get(list)).text)?.[1] ?? "";
    const form = { _csrf: csrf, id, user: eve.userId };
    return (await ada.browser.request("POST", `${list}/requests/allow`, { form, csrf: false })).status;
  };
  must(await ada.account("post", `/${id}/shares`, { user: name, scopes: ["print"] }));
  expect(await allow()).toBe(303);
  expect([await ask("view", eve), await ask("view", dora)], "who asked has it").toEqual([200, 403]);
  expect([await ask("print", eve), await ask("print", dora)], "the share by the name is its holder's").toEqual([403, 200]);
  expect(await allow()).toBe(303);
  expect([await ask("view", eve), await ask("print", eve), await ask("print", dora)], "both in one").toEqual([200, 200, 200]);
  const { shares } = must(await ada.account("get", `/${id}`));
  expect(shares.map(({ user, scopes }: { user: string; scopes: string[] }) => `${user} ${scopes.sort().join(" ")}`).sort()).toEqual([
    `${name} print`,
    `${name} print view`,
  ]);
});

test("owners see who asks, allow or refuse it, share and stop sharing on pages of their account", async () => {
  const { realm, photos, ada, bob } = await stage();
  const album = { name: "Album", resource_scopes: ["view", "print"], owner: ada.userId, ownerManagedAccess: true };
  const made = must(await photos.call("POST", "/resource_set", album));
  const ask = async (scopes: readonly string[]) => {
    const { ticket } = must(await photos.call("POST", "/permission", [{ resource_id: made._id, resource_scopes: scopes }]));
    return (await bob.redeem({ ticket, response_mode: "decision" })).status;
  };
  const list = `/realms/${realm.name}/account/pages/applications`;
  const sharing = `${list}/shares?id=${made._id}`;
  expect(made.user_access_policy_uri, "the page to which applications send the owner").toBe(`${iam.config.baseUrl}${sharing}`);
  const shown = async (person: typeof ada, url = list) => (await person.browser.get(url)).text;
  const send = async (url: string, form: Record<string, string>, from = url) => {
    const csrf = /name="_csrf" value="([^"]*)"/.exec(await shown(ada, from))?.[1] ?? "";
    return ada.browser.request("POST", url, { form: { _csrf: csrf, ...form }, csrf: false });
  };
  const shares = async () => must(await ada.account("get", `/${made._id}`));

  expect(await shown(bob), "nothing about resources for those who have none").not.toContain("Yours to share");
  expect(await ask(["view"])).toBe(403);
  expect(await shown(ada)).toMatch(/bob<[\s\S]*asks for[\s\S]*Album/);
  const answer = { id: made._id, user: bob.userId };
  expect((await send(`${list}/requests/allow`, answer, list)).headers.location).toBe(`${list}?done=allowed`);
  expect(await ask(["view"])).toBe(200);
  expect(await ask(["print"])).toBe(403);
  expect((await send(`${list}/requests/allow`, answer, list)).status).toBe(303);
  expect((await shares()).shares, "what was shared before stays").toMatchObject([{ user: "bob", scopes: ["view", "print"] }]);
  expect(await shown(bob)).toMatch(/Shared with you[\s\S]*Album[\s\S]*ada/);
  expect((await send(`${list}/requests/allow`, answer, list)).status, "answered already").toBe(404);

  const [{ shareId }] = (await shares()).shares;
  expect((await send(`${list}/unshare?id=${made._id}`, { id: shareId }, sharing)).headers.location).toBe(`${sharing}&done=unshared`);
  expect(await ask(["view"])).toBe(403);
  expect((await send(`${list}/requests/refuse`, answer, list)).headers.location).toBe(`${list}?done=refused`);
  expect(await shares()).toMatchObject({ shares: [], requests: [] });

  const self = await send(sharing, { user: "ADA", "scope.0": "view" });
  expect([self.status, self.text.includes("Name somebody else: this is yours.")]).toEqual([400, true]);
  expect((await send(sharing, { user: "bob" })).status, "nothing is ticked").toBe(400);
  expect((await send(sharing, { user: "bob@example.com", "scope.1": "print" })).headers.location).toBe(`${sharing}&done=shared`);
  expect((await shares()).shares).toMatchObject([{ user: "bob@example.com", scopes: ["print"] }]);
  expect((await bob.browser.get(sharing)).status).toBe(404);
});
