import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isMailAddress } from "../../kernel/text.ts";
import { PLAINLY } from "../../platform/http/index.ts";
import { addAuthzParts, authzParts } from "../../testing/authz-parts.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { identityProvider, linkTo } from "../../testing/identity-providers.ts";
import { examples } from "./examples.ts";
import { isReference, type OpenApiDocument, type Operation, operationsOf, type Response } from "./openapi.ts";
import { tags } from "./tags.ts";

let iam: SharedHarness;
let api: OpenApiDocument;
let operations: { readonly method: string; readonly path: string; readonly operation: Operation; readonly name: string }[];
beforeAll(async () => {
  iam = await sharedHarness();
  api = (await iam.browser().get("/v3/api-docs")).body;
  operations = Object.entries(api.paths).flatMap(([path, item]) =>
    operationsOf(item).map(([method, operation]) => ({ method, path, operation, name: `${method.toUpperCase()} ${path}` })),
  );
});
afterAll(() => iam.close());

const admin = () => operations.filter(({ path }) => path.startsWith("/admin/"));

const isScim = (path: string) => path.startsWith("/realms/{realm}/scim/v2/");

/** Routes that the document leaves out on purpose. */
const UNTOLD = [
  ...["GET /", "GET /favicon.svg", "GET /favicon.ico", "GET /robots.txt", "GET /assets/{name}", "GET /assets/api-docs/{digest}/{name}"],
  // The admin console is a page.
  ...["GET /console", "GET /console*", "GET /console/assets/{name}"],
  // Steps of a sign-in that only our own pages lead to.
  "GET /realms/{realm}/authorize/{uid}",
  ...["GET /realms/{realm}/interaction/{uid}", "POST /realms/{realm}/interaction/{uid}"],
  ...["GET /realms/{realm}/saml/idp/continue", "GET /realms/{realm}/saml/idp/slo/{logoutId}"],
  ...["GET /realms/{realm}/saml/idp/consent/{id}", "POST /realms/{realm}/saml/idp/consent/{id}"],
];

/** Every route of the router, from its own printed tree. */
function registeredRoutes(): string[] {
  const routes: string[] = [];
  const path: string[] = [];
  for (const line of iam.server.app.printRoutes({ commonPrefix: false }).split("\n")) {
    const [, indent, part, methods] = /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/u.exec(line) ?? [];
    if (indent === undefined || part === undefined) continue;
    path.splice(indent.length / 4);
    path.push(part);
    const url = path.join("").replace(/:([A-Za-z]+)/g, "{$1}");
    // Preflight requests are not part of the API.
    for (const method of methods?.split(", ") ?? []) if (method !== "HEAD" && method !== "OPTIONS") routes.push(`${method} ${url}`);
  }
  return routes;
}

/** With the slash at the end it is the same route. */
const withoutSlash = (route: string) => route.replace(/(?<=[^ ])\/$/, "");

test("describes every route of the server, once, and no other", () => {
  // The paths of Keycloak are second names of routes that are described.
  const served = new Set(
    registeredRoutes()
      .map(withoutSlash)
      .filter((name) => !name.includes("/protocol/openid-connect/")),
  );
  expect(served.size).toBeGreaterThan(40);
  expect([...operations.map(({ name }) => name), ...UNTOLD].sort()).toEqual([...served].sort());
});

test("serves a collection with and without the slash, and describes it without", async () => {
  const realm = await iam.realm();
  const client = await realm.admin();
  expect((await client.get("/users")).status).toBe(200);
  expect((await client.get("/users/")).status).toBe(200);
  expect(Object.keys(api.paths).filter((path) => path.endsWith("/") || path.includes(":"))).toEqual([]);
});

test("names every operation, once, in camel case", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(ids).toEqual([...new Set(ids)]);
  expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([]);
  expect(ids).toEqual(
    expect.arrayContaining(["listUsers", "createUser", "getUser", "updateUserPassword", "rotateKeys", "login", "listEvents"]),
  );
});

test("describes what every operation does and where it belongs", () => {
  const known = new Set(tags.map(({ name }) => name));
  for (const { operation, name } of operations) {
    expect(operation.summary, name).toMatch(/^\S.{5,}/);
    expect(operation.tags.length, name).toBe(1);
    expect(
      operation.tags.filter((tag) => !known.has(tag)),
      name,
    ).toEqual([]);
    for (const parameter of operation.parameters ?? []) {
      // An owner of a few letters is a name that was cut.
      if (!isReference(parameter) && parameter.in === "path")
        expect(parameter.description, `${name} ${parameter.name}`).toMatch(/^The (?!(?!key)\w{1,3}'s)\w/);
    }
  }
  expect(api.tags?.map(({ name }) => name)).toEqual(tags.map(({ name }) => name));
});

test("describes the permission, the security and the refusals of every admin operation", () => {
  expect(admin().length).toBeGreaterThan(25);
  for (const { method, path, operation, name } of admin()) {
    const isWrite = method !== "get";
    const statuses = Object.keys(operation.responses);
    expect(operation["x-permission"], name).toBeTruthy();
    expect(operation.description, name).toContain("Needs");
    expect(operation.security, name).toEqual([isWrite ? { session: [], csrf: [] } : { session: [] }, { bearer: [] }]);
    expect(
      statuses.some((status) => status.startsWith("2")),
      name,
    ).toBe(true);
    expect(statuses, name).toEqual(expect.arrayContaining(["400", "401", "403", ...(path.includes("{") ? ["404"] : [])]));
    if (operation.requestBody) expect(statuses, name).toEqual(expect.arrayContaining(["413", "415"]));
    expect(statuses, name).toContain("503");
    for (const status of statuses.filter((each) => each.startsWith("4"))) {
      const content = resolve<Response>(operation.responses[status]!).content;
      expect(Object.keys(content ?? {}), `${name} ${status}`).toEqual(["application/problem+json"]);
      expect(content?.["application/problem+json"]?.schema, `${name} ${status}`).toEqual({ $ref: "#/components/schemas/Problem" });
    }
  }
  expect(api.paths["/admin/realms"]?.get).toMatchObject({ "x-permission": "realm-admin", "x-realm": "master" });
  expect(api.paths["/admin/realms/{realm}/users/{userId}/roles"]?.post?.["x-permission"]).toEqual(["manage-users", "manage-roles"]);
  const others = operations.filter(({ path, operation }) => !path.startsWith("/admin/") && operation["x-permission"] !== undefined);
  expect(others.filter(({ path }) => !isScim(path))).toEqual([]);
  expect(others.length, "what SCIM tokens may do").toBeGreaterThan(10);
});

test("asks for no credentials where none are needed, and for the user's own where the account is", () => {
  const isAccount = ({ operation }: (typeof operations)[number]) => operation.tags?.includes("Account") === true;
  for (const { path, operation, name } of operations.filter((each) => !each.path.startsWith("/admin/") && !isAccount(each)))
    expect(operation.security, name).toEqual(isScim(path) ? [{ scimToken: [] }] : []);
  const account = operations.filter(isAccount);
  expect(account.length).toBeGreaterThan(10);
  for (const { method, operation, name } of account) {
    expect(operation.security, name).toEqual([method === "get" ? { session: [] } : { session: [], csrf: [] }, { accountBearer: [] }]);
    expect(Object.keys(operation.responses), name).toEqual(expect.arrayContaining(["401", "403", "404"]));
  }
});

/** Follows a reference of the document, or fails. */
function resolve<T extends object>(value: T | { $ref: string }): T {
  if (!("$ref" in value)) return value;
  const found = (value.$ref as string)
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], api);
  if (!found) throw new Error(`${value.$ref} leads nowhere`);
  return found as T;
}

test("refers only to what is there, and by name", () => {
  const references = [...new Set(JSON.stringify(api).match(/(?<="\$ref":")[^"]+/g))];
  expect(references.length).toBeGreaterThan(20);
  for (const $ref of references) {
    expect($ref).toMatch(/^#\/components\/[a-z]+\/[A-Z][A-Za-z]+$/i);
    resolve({ $ref });
  }
  const declared = Object.entries(api.components).flatMap(([kind, named]) =>
    Object.keys(named).map((name) => `#/components/${kind}/${name}`),
  );
  const unused = declared.filter((name) => !references.includes(name) && !name.startsWith("#/components/securitySchemes/"));
  expect(unused).toEqual([]);
  expect(Object.keys(api.components.schemas)).toEqual(expect.arrayContaining(["User", "CreateUser", "Problem", "RealmSettings"]));
});

test("says the media type of what is not JSON", () => {
  for (const { operation, name } of operations) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      const json = resolve<Response>(answer).content?.["application/json"]?.schema;
      expect(json?.type, `${name} ${status}`).not.toBe("string");
    }
  }
  expect(Object.keys(api.paths["/realms/{realm}/login"]?.post?.requestBody?.content ?? {})).toEqual(["application/x-www-form-urlencoded"]);
  expect(api.paths["/realms/{realm}/login"]?.get?.responses["200"]).toMatchObject({ content: { "text/html": {} } });
  expect(api.paths["/monitoring/metrics"]?.get?.responses["200"]).toMatchObject({ content: { "text/plain": {} } });
  expect(api.paths["/realms/{realm}/theme.css"]?.get?.responses["200"]).toMatchObject({ content: { "text/css": {} } });
});

test("has valid schemas: that is not checked when the server starts", () => {
  const ajv = new Ajv({ strict: false, discriminator: true, ...PLAINLY });
  const inRoutes = operations.flatMap(({ name, operation: { parameters = [], requestBody } }) =>
    [...parameters, ...Object.values(requestBody?.content ?? {})].map((part) => [name, isReference(part) ? part : part.schema] as const),
  );
  const schemas = [...Object.entries(iam.server.app.getSchemas()), ...inRoutes];
  expect(schemas.length).toBeGreaterThan(200);
  const wrong = schemas.filter(([, schema]) => ajv.validateSchema(schema as object) !== true);
  expect(wrong).toEqual([]);
});

test("gives examples that fit their schemas", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...PLAINLY });
  (addFormats as unknown as typeof addFormats.default)(ajv).addFormat("idn-email", isMailAddress);
  ajv.addSchema({ $id: "api", components: api.components });
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    for (const example of schema.examples ?? []) {
      const fits = ajv.compile({ $ref: `api#/components/schemas/${name}` });
      expect(fits(example) ? [] : fits.errors, name).toEqual([]);
    }
  }
  expect(Object.keys(examples).filter((name) => !(name in api.components.schemas))).toEqual([]);
  const bodies = operations.flatMap(({ operation }) => Object.values(operation.requestBody?.content ?? {}));
  for (const { schema, example } of bodies) {
    // A named schema brings its own; one that stands in the route has it beside itself.
    if (example === undefined) expect(resolve(schema).examples, JSON.stringify(schema)).toHaveLength(1);
    else expect(ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')), example), JSON.stringify(schema)).toBe(true);
  }
});

test("promises the headers that are sent, and no others", async () => {
  const realm = await iam.realm();
  const master = realm.asMaster().browser;
  const { userId } = await realm.user();
  await realm.asMaster().post("/users/import?importId=headers", []);
  const [role] = (await realm.asMaster().get("/roles")).body;
  const { organizationId } = (await realm.asMaster().post("/organizations", { name: "Acme" })).body;
  const { groupId } = (await realm.asMaster().post("/groups", { name: "Support" })).body;
  const promised = ({ responses }: Operation, status: number) => Object.keys(resolve<Response>(responses[status]!).headers ?? {});
  const provider = { channel: "SMS", driver: "http", config: { url: "https://sms.example.com/send" } };
  const configured = await realm.asMaster().put("/messaging/providers", provider);
  expect(configured.headers.etag).toBeDefined();
  expect(promised(api.paths["/admin/realms/{realm}/messaging/providers"]!.put!, 201).sort()).toEqual(["ETag", "Location"]);
  const hook = { name: "a", url: "https://hooks.example.com/", eventTypes: "LOGOUT", enabled: false };
  const { id: webhookId } = (await realm.asMaster().post("/webhooks", hook)).body;
  await realm.asMaster().post("/applications", { name: "worker", template: "machine" });
  const [[scope], [claim]] = [(await realm.asMaster().get("/client-scopes")).body, (await realm.asMaster().get("/claims")).body];
  const { id: clientId } = (await realm.asMaster().post("/clients", { clientId: "shop" })).body;
  await realm.asMaster().post(`/clients/${clientId}/roles`, { name: "order" });
  await addAuthzParts(realm.asMaster(), `/clients/${clientId}`);
  const mapper = { name: "a", claim: "a", source: "constant", value: "b" };
  const { mapperId } = (await realm.asMaster().post(`/clients/${clientId}/mappers`, mapper)).body;
  await realm.asMaster().post("/saml-clients", { entityId: "urn:sp", assertionConsumerServiceUrl: "https://sp.example.com/acs" });
  const { mapperId: samlMapperId } = (await realm.asMaster().post("/saml-clients/urn:sp/mappers", mapper)).body;
  await realm.asMaster().put(`/groups/${groupId}/members/${userId}`);
  await realm.asMaster().put(`/groups/${groupId}/roles/${role.roleId}`);
  await realm.asMaster().post(`/users/${userId}/roles`, { name: role.name });
  await realm.asMaster().put(`/organizations/${organizationId}/members/${userId}`, {});
  await realm.asMaster().put(`/client-scopes/${scope.scopeId}/claims/${claim.claimId}`);
  await realm.asMaster().post("/identity-providers", identityProvider("google", "browser"));
  await linkTo(iam, realm, "browser", userId);
  await realm.asMaster().post("/identity-providers", identityProvider("ldap", "corp"));
  const mapping = { name: "a", type: "role", role: "user" };
  const { mapperId: ofIdp } = (await realm.asMaster().post("/identity-providers/browser/mappers", mapping)).body;
  let lists = 0;
  for (const { method, path, operation, name } of admin()) {
    // Consents are given on a page, to a client: gdpr/consents.test.ts.
    if (method !== "get" || path.endsWith("/gdpr/consents/{clientId}")) continue;
    const url = path
      .replace("{entityId}/mappers/{mapperId}", `urn:sp/mappers/${samlMapperId}`)
      .replace("{entityId}", "urn:sp")
      .replace("{realm}", realm.name)
      .replace("{userId}", userId)
      .replace("{roleId}", role.roleId)
      .replace("{webhookId}", webhookId)
      .replace("{orgId}", organizationId)
      .replace("{groupId}", groupId)
      .replace("{clientId}", clientId)
      .replace("{name}", "worker")
      .replace("{alias}", path.includes("/user-federation/") ? "corp" : "browser")
      .replace("{scopeId}", scope.scopeId)
      .replace("{claimId}", claim.claimId)
      .replace("{importId}", "headers")
      .replace("{roleName}", "order")
      .replace("{mapperId}", path.includes("/identity-providers/") ? ofIdp : mapperId)
      .replace("{templateKey}", "otp-sms")
      .replace("{channel}/{driver}", "SMS/http");
    // Records that have no version: single-reads.test.ts.
    if (url.includes("{")) continue;
    const answer = await master.get(url);
    expect(answer.status, name).toBe(200);
    const expected = promised(operation, 200).filter((header) => header !== "X-Total-Estimated");
    const sent = ["ETag", "X-Total-Count", "Link"].filter((header) => answer.headers[header.toLowerCase()] !== undefined);
    expect(sent.sort(), name).toEqual(expected.sort());
    if (expected.includes("Link")) lists++;
  }
  expect(lists).toBeGreaterThan(4);

  const made = await realm.asMaster().post("/users", { username: "somebody" });
  expect(made.headers.etag).toBeDefined();
  expect(promised(api.paths["/admin/realms/{realm}/users"]!.post!, 201).sort()).toEqual(["ETag", "Location"]);
  expect(promised(api.paths["/admin/realms/{realm}/keys/rotate"]!.post!, 201)).toEqual(["Location"]);
});

test("offers If-Match where a stale version is refused", async () => {
  const realm = await iam.realm();
  const { userId } = await realm.user();
  const [role] = (await realm.asMaster().get("/roles?search=auditor")).body;
  const stale = { headers: { "if-match": '"999"' } };
  const [key] = (await realm.asMaster().get("/keys")).body;
  const provider = { channel: "SMS", driver: "http", enabled: true, config: { url: "https://sms.example.com/send" } };
  await realm.asMaster().put("/messaging/providers", provider);
  const template = { templateKey: "otp-sms", body: "{{code}}", enabled: true };
  await realm.asMaster().put("/messaging/templates", template);
  const hook = { name: "a", url: "https://hooks.example.com/", eventTypes: "LOGOUT", enabled: false };
  const { id: webhookId } = (await realm.asMaster().post("/webhooks", hook)).body;
  const scimService = { name: "a", url: "https://scim.example.com", auth: { type: "bearer" }, enabled: false };
  const scimTarget = `/scim-targets/${(await realm.asMaster().post("/scim-targets", scimService)).body.id}`;
  const { organizationId } = (await realm.asMaster().post("/organizations", { name: "Acme" })).body;
  const { groupId } = (await realm.asMaster().post("/groups", { name: "Support" })).body;
  const group = `/groups/${groupId}`;
  await realm.asMaster().post("/applications", { name: "worker", template: "machine" });
  const [[scope], [claim]] = [(await realm.asMaster().get("/client-scopes")).body, (await realm.asMaster().get("/claims")).body];
  const [scopePath, claimPath] = [`/client-scopes/${scope.scopeId}`, `/claims/${claim.claimId}`];
  const { id: clientId } = (await realm.asMaster().post("/clients", { clientId: "shop", grantTypes: ["client_credentials"] })).body;
  const client = `/clients/${clientId}`;
  const trust = { name: "a", issuer: "https://issuer.example", subject: "a", audience: "a", clientId: "shop" };
  const agentState = { name: "bot", clientId: "shop" };
  const agent = `/agents/${(await realm.asMaster().post("/agents", agentState)).body.id}`;
  const workload = `/workload-identity/${(await realm.asMaster().post("/workload-identity", trust)).body.id}`;
  const mapper = { name: "a", claim: "a", source: "constant", value: "b" };
  const { mapperId } = (await realm.asMaster().post(`${client}/mappers`, mapper)).body;
  await realm.asMaster().post(`${client}/roles`, { name: "order" });
  await realm.asMaster().post(`${client}/service-account/roles`, { name: "user" });
  const flow = { displayName: "Mine", steps: [{ authenticator: "username-password", requirement: "REQUIRED" }] };
  await realm.asMaster().post("/flows", { alias: "mine", ...flow });
  const { alias, ...google } = identityProvider("google");
  const idp = `/identity-providers/${alias}`;
  await realm.asMaster().post("/identity-providers", { alias, ...google });
  const mapping = { name: "a", type: "role", role: "user" };
  const ofIdp = `${idp}/mappers/${(await realm.asMaster().post(`${idp}/mappers`, mapping)).body.mapperId}`;
  const [samlClient, service] = ["/saml-clients/urn:sp", { assertionConsumerServiceUrl: "https://sp.example.com/acs" }];
  await realm.asMaster().post("/saml-clients", { entityId: "urn:sp", ...service });
  const { mapperId: samlMapperId } = (await realm.asMaster().post(`${samlClient}/mappers`, mapper)).body;
  const tried: Record<string, () => Promise<{ status: number }>> = {
    "DELETE /users/{userId}/linked-accounts/{alias}": () => realm.asMaster().delete(`/users/${userId}/linked-accounts/${alias}`, stale),
    "PUT /identity-providers/{alias}": () => realm.asMaster().put(idp, { ...google, enabled: true }, stale),
    "PATCH /identity-providers/{alias}": () => realm.asMaster().patch(idp, {}, stale),
    "DELETE /identity-providers/{alias}": () => realm.asMaster().delete(idp, stale),
    "PUT /identity-providers/{alias}/mappers/{mapperId}": () => realm.asMaster().put(ofIdp, mapping, stale),
    "PATCH /identity-providers/{alias}/mappers/{mapperId}": () => realm.asMaster().patch(ofIdp, {}, stale),
    "DELETE /identity-providers/{alias}/mappers/{mapperId}": () => realm.asMaster().delete(ofIdp, stale),
    "PUT /clients/{clientId}": () => realm.asMaster().put(client, { enabled: true, publicClient: false }, stale),
    "DELETE /clients/{clientId}": () => realm.asMaster().delete(client, stale),
    "PUT /clients/{clientId}/allowed-resources": () => realm.asMaster().put(`${client}/allowed-resources`, { allowedResources: [] }, stale),
    "PUT /clients/{clientId}/mappers/{mapperId}": () => realm.asMaster().put(`${client}/mappers/${mapperId}`, mapper, stale),
    "DELETE /clients/{clientId}/mappers/{mapperId}": () => realm.asMaster().delete(`${client}/mappers/${mapperId}`, stale),
    "PUT /clients/{clientId}/roles/{roleName}": () => realm.asMaster().put(`${client}/roles/order`, { name: "order" }, stale),
    "DELETE /clients/{clientId}/roles/{roleName}": () => realm.asMaster().delete(`${client}/roles/order`, stale),
    "DELETE /clients/{clientId}/service-account/roles": () => realm.asMaster().delete(`${client}/service-account/roles?name=user`, stale),
    "PUT /saml-clients/{entityId}": () => realm.asMaster().put(samlClient, { ...service, enabled: true }, stale),
    "DELETE /saml-clients/{entityId}": () => realm.asMaster().delete(samlClient, stale),
    "POST /saml-clients/{entityId}/mappers": () => realm.asMaster().post(`${samlClient}/mappers`, { ...mapper, name: "b" }, stale),
    "PUT /saml-clients/{entityId}/mappers/{mapperId}": () => realm.asMaster().put(`${samlClient}/mappers/${samlMapperId}`, mapper, stale),
    "PATCH /saml-clients/{entityId}/mappers/{mapperId}": () => realm.asMaster().patch(`${samlClient}/mappers/${samlMapperId}`, {}, stale),
    "DELETE /saml-clients/{entityId}/mappers/{mapperId}": () => realm.asMaster().delete(`${samlClient}/mappers/${samlMapperId}`, stale),
    "PUT /settings": () => realm.asMaster().put("/settings", {}, stale),
    "PUT /users/{userId}": () =>
      realm.asMaster().put(`/users/${userId}`, { username: "x", enabled: true, locked: false, roles: [] }, stale),
    "PUT /users/{userId}/password": () => realm.asMaster().put(`/users/${userId}/password`, { newPassword: "a new password" }, stale),
    "PUT /users/{userId}/required-actions": () => realm.asMaster().put(`/users/${userId}/required-actions`, [], stale),
    "DELETE /users/{userId}/credentials/{type}/{credentialId}": () =>
      realm.asMaster().delete(`/users/${userId}/credentials/password/${userId}`, stale),
    "DELETE /users/{userId}/gdpr": () => realm.asMaster().delete(`/users/${userId}/gdpr`, stale),
    "DELETE /users/{userId}": () => realm.asMaster().delete(`/users/${userId}`, stale),
    "PUT /roles/{roleId}": () => realm.asMaster().put(`/roles/${role.roleId}`, { name: "x" }, stale),
    "PUT /roles/{roleId}/default": () => realm.asMaster().put(`/roles/${role.roleId}/default`, undefined, stale),
    "PUT /admin-roles/{roleId}": () => realm.asMaster().put(`/admin-roles/${role.roleId}`, { permissions: [] }, stale),
    "DELETE /keys/{keyId}": () => realm.asMaster().delete(`/keys/${key.keyId}`, stale),
    "DELETE /roles/{roleId}": () => realm.asMaster().delete(`/roles/${role.roleId}`, stale),
    "DELETE /users/{userId}/roles/{roleId}": () => realm.asMaster().delete(`/users/${userId}/roles/${role.roleId}`, stale),
    "PUT /messaging/providers": () => realm.asMaster().put("/messaging/providers", provider, stale),
    "DELETE /messaging/providers/{channel}/{driver}": () => realm.asMaster().delete("/messaging/providers/SMS/http", stale),
    "PUT /messaging/templates": () => realm.asMaster().put("/messaging/templates", template, stale),
    "DELETE /messaging/templates/{templateKey}": () => realm.asMaster().delete("/messaging/templates/otp-sms", stale),
    "PUT /agents/{id}": () => realm.asMaster().put(agent, agentState, stale),
    "PATCH /agents/{id}": () => realm.asMaster().patch(agent, {}, stale),
    "DELETE /agents/{id}": () => realm.asMaster().delete(agent, stale),
    ...Object.fromEntries(
      ["activate", "suspend", "revoke", "attest"].map((action) => [
        `POST /agents/{id}/${action}`,
        () => realm.asMaster().post(`${agent}/${action}`, undefined, stale),
      ]),
    ),
    "PUT /workload-identity/{id}": () => realm.asMaster().put(workload, { ...trust, enabled: true }, stale),
    "DELETE /workload-identity/{id}": () => realm.asMaster().delete(workload, stale),
    "PUT /webhooks/{webhookId}": () => realm.asMaster().put(`/webhooks/${webhookId}`, hook, stale),
    "PUT /scim-targets/{scimTargetId}": () => realm.asMaster().put(scimTarget, { ...scimService, enabled: false }, stale),
    "DELETE /scim-targets/{scimTargetId}": () => realm.asMaster().delete(scimTarget, stale),
    "DELETE /webhooks/{webhookId}": () => realm.asMaster().delete(`/webhooks/${webhookId}`, stale),
    "PUT /organizations/{orgId}": () => realm.asMaster().put(`/organizations/${organizationId}`, { name: "x", enabled: true }, stale),
    "DELETE /organizations/{orgId}": () => realm.asMaster().delete(`/organizations/${organizationId}`, stale),
    "PUT /organizations/{orgId}/members/{userId}": () =>
      realm.asMaster().put(`/organizations/${organizationId}/members/${userId}`, {}, stale),
    "DELETE /organizations/{orgId}/members/{userId}": () =>
      realm.asMaster().delete(`/organizations/${organizationId}/members/${userId}`, stale),
    "DELETE /organizations/{orgId}/invitations/{invitationId}": () =>
      realm.asMaster().delete(`/organizations/${organizationId}/invitations/${userId}`, stale),
    "PUT /groups/{groupId}": () => realm.asMaster().put(group, { name: "x" }, stale),
    "DELETE /groups/{groupId}": () => realm.asMaster().delete(group, stale),
    "PUT /groups/{groupId}/members/{userId}": () => realm.asMaster().put(`${group}/members/${userId}`, undefined, stale),
    "DELETE /groups/{groupId}/members/{userId}": () => realm.asMaster().delete(`${group}/members/${userId}`, stale),
    "PUT /groups/{groupId}/roles/{roleId}": () => realm.asMaster().put(`${group}/roles/${role.roleId}`, undefined, stale),
    "DELETE /groups/{groupId}/roles/{roleId}": () => realm.asMaster().delete(`${group}/roles/${role.roleId}`, stale),
    "PUT /applications/{name}": () => realm.asMaster().put("/applications/worker", { enabled: true }, stale),
    "DELETE /applications/{name}": () => realm.asMaster().delete("/applications/worker", stale),
    "PUT /flows/{alias}": () => realm.asMaster().put("/flows/mine", flow, stale),
    "PATCH /flows/{alias}": () => realm.asMaster().patch("/flows/mine", { alias: "x" }, stale),
    "DELETE /flows/{alias}": () => realm.asMaster().delete("/flows/mine", stale),
    "PUT /flow": () => realm.asMaster().put("/flow", flow, stale),
    "PUT /client-scopes/{scopeId}": () => realm.asMaster().put(scopePath, { assignment: "NONE" }, stale),
    "DELETE /client-scopes/{scopeId}": () => realm.asMaster().delete(scopePath, stale),
    "PUT /client-scopes/{scopeId}/claims/{claimId}": () => realm.asMaster().put(scopePath + claimPath, undefined, stale),
    "DELETE /client-scopes/{scopeId}/claims/{claimId}": () => realm.asMaster().delete(scopePath + claimPath, stale),
    "PUT /claims/{claimId}": () => realm.asMaster().put(claimPath, claim, stale),
    "DELETE /claims/{claimId}": () => realm.asMaster().delete(claimPath, stale),
    "PUT /subject-claim": () => realm.asMaster().put("/subject-claim", { strategy: "userId" }, stale),
    "PUT /password-source": () => realm.asMaster().put("/password-source", { url: null }, stale),
    "PUT /provisioning": () => realm.asMaster().put("/provisioning", {}, stale),
    "POST /clients/{clientId}/mappers": () => realm.asMaster().post(`${client}/mappers`, { ...mapper, name: "b", claim: "b" }, stale),
    "POST /clients/{clientId}/roles": () => realm.asMaster().post(`${client}/roles`, { name: "return" }, stale),
    "POST /clients/{clientId}/secret": () => realm.asMaster().post(`${client}/secret`, {}, stale),
    "POST /clients/{clientId}/service-account/roles": () =>
      realm.asMaster().post(`${client}/service-account/roles`, { name: "auditor" }, stale),
    "POST /groups/{groupId}/members": () => realm.asMaster().post(`${group}/members`, { userId }, stale),
    "POST /groups/{groupId}/members/{userId}": () => realm.asMaster().post(`${group}/members/${userId}`, undefined, stale),
    "POST /groups/{groupId}/roles": () => realm.asMaster().post(`${group}/roles`, { name: role.name }, stale),
    "POST /groups/{groupId}/roles/{roleId}": () => realm.asMaster().post(`${group}/roles/${role.roleId}`, undefined, stale),
    "POST /organizations/{orgId}/domains/{domain}/verify": () =>
      realm.asMaster().post(`/organizations/${organizationId}/domains/example.com/verify`, undefined, stale),
    "POST /organizations/{orgId}/invitations": () =>
      realm.asMaster().post(`/organizations/${organizationId}/invitations`, { email: "ada@example.com" }, stale),
    "POST /users/{userId}/credentials": () => realm.asMaster().post(`/users/${userId}/credentials`, { type: "enrollment-token" }, stale),
    "POST /users/{userId}/impersonate": () => realm.asMaster().post(`/users/${userId}/impersonate`, undefined, stale),
    "POST /users/{userId}/required-actions": () =>
      realm.asMaster().post(`/users/${userId}/required-actions`, { action: "UPDATE_PASSWORD" }, stale),
    "POST /users/{userId}/send-actions-email": () =>
      realm.asMaster().post(`/users/${userId}/send-actions-email`, { actions: ["UPDATE_PASSWORD"] }, stale),
    "POST /users/{userId}/roles": () => realm.asMaster().post(`/users/${userId}/roles`, { name: role.name }, stale),
    "PUT /users/{userId}/source": () => realm.asMaster().put(`/users/${userId}/source`, { source: "local" }, stale),
    "POST /webhooks/{webhookId}/rotate-secret": () => realm.asMaster().post(`/webhooks/${webhookId}/rotate-secret`, {}, stale),
    "PUT ": () => realm.asMaster().put("", { displayName: "x" }, stale),
    "DELETE ": () => realm.asMaster().delete("", stale),
  };
  await addAuthzParts(realm.asMaster(), client);
  tried["PUT /clients/{clientId}/authz/settings"] = () => realm.asMaster().put(`${client}/authz/settings`, { enabled: true }, stale);
  for (const [part, [, change]] of Object.entries(authzParts)) {
    tried[`PUT /clients/{clientId}/authz/${part}/{name}`] = () => realm.asMaster().put(`${client}/authz/${part}/worker`, change, stale);
    tried[`DELETE /clients/{clientId}/authz/${part}/{name}`] = () => realm.asMaster().delete(`${client}/authz/${part}/worker`, stale);
  }
  const offered = admin()
    .filter(({ operation }) => operation.parameters?.some((parameter) => isReference(parameter) && parameter.$ref.endsWith("/IfMatch")))
    .map(({ name }) => name.replace("/admin/realms/{realm}", ""));
  const ids: Record<string, string> = {
    ...{ clientId, mapperId, userId, webhookId, groupId, orgId: organizationId, roleId: role.roleId, scopeId: scope.scopeId },
    id: workload.split("/").at(-1)!,
    ...{ claimId: claim.claimId, name: "worker", roleName: "order", channel: "SMS", driver: "http", templateKey: "otp-sms" },
    entityId: "urn:sp",
    scimTargetId: scimTarget.split("/").at(-1)!,
  };
  for (const name of offered.filter((each) => each.startsWith("PATCH ")))
    tried[name] ??= () =>
      realm.asMaster().patch(
        name.slice("PATCH ".length).replace(/\{(\w+)\}/g, (_, id) => ids[id]!),
        {},
        stale,
      );
  expect(offered.sort()).toEqual(Object.keys(tried).sort());
  const accepted: unknown[] = [];
  for (const [name, call] of Object.entries(tried)) {
    const { status } = await call();
    if (status !== 412) accepted.push([name, status]);
  }
  expect(accepted).toEqual([]);
});

test("reads one of whatever can be changed or deleted one by one", () => {
  const items = Object.entries(api.paths).filter(([path, item]) => /^\/admin\/.*\}$/.test(path) && (item.put || item.patch || item.delete));
  expect(items.length).toBeGreaterThan(25);
  expect(items.filter(([, item]) => !item.get).map(([path]) => path)).toEqual([]);
});

test("is public, cached by its ETag, the same for every caller, and sorted", async () => {
  const first = await iam.browser().get("/v3/api-docs", { headers: { host: "elsewhere.example" } });
  expect(first).toMatchObject({ status: 200, headers: { "cache-control": "no-cache", "content-type": "application/json; charset=utf-8" } });
  expect(first.headers["set-cookie"]).toBeUndefined();
  const etag = String(first.headers.etag);
  const again = await iam.browser().get("/v3/api-docs", { headers: { "if-none-match": `W/${etag}` } });
  expect(again).toMatchObject({ status: 304, text: "", headers: { etag } });
  expect((await iam.browser().get("/v3/api-docs", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  expect(api).toMatchObject({ openapi: "3.1.0", servers: [{ url: "/" }], info: { title: "Gatehouse" } });
  expect(Object.keys(api.paths)).toEqual(Object.keys(api.paths).sort());
});

test("publishes no pattern that stops generators of clients, and the server checks what it leaves out", async () => {
  const patterns = [...JSON.stringify(api).matchAll(/"pattern":"((?:[^"\\\\]|\\\\.)*)"/g)].map((found) => found[1]!);
  expect(patterns.length).toBeGreaterThan(10);
  expect(patterns.filter((pattern) => /\\\\[pP]\{|\(\?</.test(pattern))).toEqual([]);
  const realm = await iam.realm();
  const answer = await realm.asMaster().post("/clients", { clientId: "a\u200bb" });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "clientId", code: "pattern" }] } });
});
