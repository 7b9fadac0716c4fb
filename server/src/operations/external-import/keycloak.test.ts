import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { totpCode, totpStep } from "../../signin/authenticators/totp-code.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { ids, realm as keycloak, passwordCredential, TOTP_KEY, users } from "../../testing/keycloak-export.ts";
import { testPasskey } from "../../testing/passkey.ts";
import { signInWithPasskey } from "../../testing/passkeys.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { isSignedIn } from "../../testing/step-pages.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const send = (admin: AdminClient, body: unknown, query = "") =>
  admin.post(`/import/external${query}`, typeof body === "string" ? body : JSON.stringify(body), {
    headers: { "content-type": "application/json" },
  });
const form = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());

/** The password grant of the client that moved in, with the secret that it had. */
const tokens = (realm: RealmUnderTest, username: string, more: Record<string, string> = {}) =>
  iam.browser().request("POST", `/realms/${realm.name}/token`, {
    csrf: false,
    form: {
      ...{ grant_type: "password", client_id: "shop", client_secret: "the-secret-of-the-shop", scope: "openid orders" },
      ...{ username, password: `password-of-${username}`, ...more },
    },
  });

describe("a realm of Keycloak", () => {
  let realm: RealmUnderTest;
  let admin: AdminClient;
  beforeAll(async () => {
    realm = await iam.realm();
    admin = await realm.admin();
  });

  test("is foretold by a dry run, which changes nothing, and then moves in as foretold", async () => {
    const before = (await admin.get("/export?users=true")).text;
    const dry = await send(admin, keycloak, "?dryRun=true");
    expect(dry.status, dry.text).toBe(200);
    expect((await admin.get("/export?users=true")).text).toBe(before);
    const done = await send(admin, keycloak);
    expect(done.status, done.text).toBe(200);
    expect(done.body).toMatchObject({
      translation: { source: "keycloak" },
      sections: {
        roles: { created: 3 },
        groups: { created: 2 },
        clients: { created: 1 },
        samlClients: { created: 1 },
        flows: { created: 1 },
      },
      users: { rows: 3, created: 3, failed: 0 },
    });
    expect(dry.body.translation).toEqual(done.body.translation);
    expect([dry.body.sections, dry.body.users.created]).toEqual([done.body.sections, 3]);
    const again = await send(admin, keycloak);
    expect([again.body.actions, again.body.users.skipped]).toEqual([[], 3]);
  });

  test("keeps ids, roles, groups, attributes and claims: a token has the same content as before", async () => {
    const answer = await tokens(realm, "ada");
    expect(answer.status, answer.text).toBe(200);
    expect(claimsOf(answer.body.access_token)).toMatchObject({
      sub: ids.ada,
      realm_access: { roles: ["clerk", "default-roles-acme", "manager"] },
      resource_access: { shop: { roles: ["buyer", "seller"] } },
      tenant: { name: "acme" },
      groups: ["/Staff ~/ all/Sales"],
      dept: "R&D",
    });
    expect([claimsOf(answer.body.access_token).aud].flat()).toContain("api");
    expect((await admin.get(`/users/${ids.ada}`)).body).toMatchObject({
      attributes: { firstName: "Ada", lastName: "Lovelace", department: "R&D", languages: ["en", "fr"] },
      createdAt: 1_500_000_000_000,
      emailVerified: true,
    });
  });

  test("keeps passwords and authenticator apps, by whatever hash; and only the right ones open", async () => {
    for (const username of ["ada", "cleo"]) {
      expect((await iam.browser().trySignIn(realm.name, username, `password-of-${username}`)).status, username).toBe(303);
      expect((await iam.browser().trySignIn(realm.name, username, `password-of-${username}?`)).status, username).toBe(401);
    }
    const code = () => totpCode(Buffer.from(TOTP_KEY), totpStep(clock.now(), form), form);
    expect((await tokens(realm, "bob")).body.error_description).toContain("send the code");
    expect((await tokens(realm, "bob", { totp: code() })).body.error_description, "the app's code is right").toContain(
      "has open required actions",
    );
    expect((await admin.get(`/users/${ids.bob}/required-actions`)).body).toEqual(["CONFIGURE_PASSKEY"]);
  });

  test("with an address of several users: who merely says that it is theirs does not sign in by it", async () => {
    const email = "shared@acme.example";
    const named = (username: string, at: number, more: object) => ({
      ...{ id: `5a0f7c3e-0000-4000-8000-00000000000${at}`, username, email, enabled: true, ...more },
      credentials: [passwordCredential(`password-of-${username}`)],
    });
    const shared = { realm: "acme", duplicateEmailsAllowed: true, users: [named("zoe", 1, {}), named("yan", 2, { emailVerified: true })] };
    const other = await iam.realm();
    const done = await send(await other.admin(), shared, "?source=keycloak");
    expect(done.body.users, done.text).toMatchObject({ created: 2, failed: 0 });
    expect((await iam.browser().trySignIn(other.name, email, "password-of-zoe")).status).toBe(401);
    expect((await iam.browser().trySignIn(other.name, email, "password-of-yan")).status).toBe(303);
  });

  test("brings its clients, flows, providers and directories", async () => {
    const { body: document } = await admin.get("/export");
    const declared = { multivalued: false, registration: false, view: ["user", "admin"], edit: ["admin"] };
    expect(document.settings.userProfile).toMatchObject({
      groups: [{ name: "work", displayName: { en: "Your work" } }],
      attributes: [
        { name: "lastName", type: "string", maxLength: 255, required: ["user"], edit: ["user", "admin"], registration: true },
        { ...declared, name: "team", type: "choice", options: [{ value: "red" }, { value: "blue" }], required: ["admin"], group: "work" },
        { ...declared, name: "badge", minLength: 2, maxLength: 8, view: ["admin"] },
      ],
    });
    expect(document.settings).toMatchObject({
      ...{ displayName: "Acme", sessions: { idleMinutes: 20 }, tokens: { accessTokenSeconds: 240 }, groups: { inheritRoles: true } },
      passwordPolicy: { minLength: 9, minDigits: 1 },
    });
    const [shop] = document.clients;
    expect(shop).toMatchObject({
      redirectUris: ["https://shop.example/callback"],
      postLogoutRedirectUris: ["https://shop.example/callback"],
      grantTypes: ["authorization_code", "refresh_token", "client_credentials", "password"],
      ...{ requirePkce: true, scopes: ["openid", "roles", "orders"], serviceAccountRoles: ["clerk"] },
    });
    // A requirement that cannot be carried over never becomes weaker: the lost condition makes the second factor required.
    expect(document.flows.find(({ alias }: { alias: string }) => alias === "strong-browser").steps).toMatchObject([
      { authenticator: "cookie" },
      { steps: [{ authenticator: "username-password" }, { requirement: "REQUIRED", steps: [{ authenticator: "totp" }] }] },
    ]);
    expect(document.identityProviders).toMatchObject([
      { alias: "corp", config: { trustEmail: true, sync: "force" }, mappers: [{ type: "role", role: "clerk", claim: "groups" }] },
      { alias: "head-office", protocol: "ldap", enabled: false, mappers: expect.any(Array) },
    ]);
    expect(document.identityProviders[1].config).toMatchObject({ groupSearchBase: "ou=groups,dc=corp" });
    // Each group of the realm is joined by the members of the directory's group of that name.
    expect(document.identityProviders[1].mappers).toMatchObject([
      { type: "group", claim: "groups", value: "Staff / all" },
      { claim: "telephoneNumber", attribute: "phoneNumber" },
    ]);
    expect(document.samlClients).toMatchObject([{ entityId: "https://sp.example/saml", options: { nameIdFormat: "email" } }]);
    expect(document.organizations).toMatchObject([{ alias: "globex", domains: [{ domain: "globex.example", verified: true }] }]);
    expect(document.roles.find((role: { default?: boolean }) => role.default).name).toBe("default-roles-acme");
    expect(document.messagingProviders).toMatchObject([{ enabled: false, fromAddress: "no-reply@acme.example" }]);
  });

  test("reports what has no place here by pattern, and nothing of any person", async () => {
    const { body, text } = await send(admin, keycloak, "?dryRun=true");
    const { unmapped, refused, choices } = body.translation;
    const patterns = unmapped.map(({ path }: { path: string }) => path);
    expect(patterns).toEqual(
      expect.arrayContaining([
        ...["clients[].redirectUris", "clients[].attributes.made.up", "groups[].attributes", "roles.realm[].attributes"],
        ...["clients[].protocolMappers[oidc-script-based-protocol-mapper]", "passwordPolicy.regexPattern", "smtpServer.password"],
        ...["users[].credentials[recovery-authn-codes]", "authenticationFlows[]", "identityProviders[].providerId[twitter]"],
        ...["authenticationFlows[].authenticationExecutions[auth-spnego]", "authenticationFlows[].authenticationExecutions[].madeUp"],
        // Members of what is carried over: none is dropped in silence.
        ...[
          "users[].credentials[].madeUp",
          "organizations[].domains[].madeUp",
          "identityProviderMappers[oidc-role-idp-mapper].config.made.up",
        ],
        ...["clients[].protocolMappers[oidc-group-membership-mapper].config.made.up"],
        ...["authenticationFlows[].authenticationExecutions[auth-username-password-form].config.made.up"],
      ]),
    );
    expect(refused).toMatchObject([{ section: "identityProviders", key: "old", field: "config.idpSigningCertificate" }]);
    expect(choices.join()).toContain("legacySubject");
    const { actions: _, ...told } = body;
    for (const secret of ["Lovelace", "ada@acme", "the-secret-of-the-shop", "the secret of corp", TOTP_KEY, "ldap secret"]) {
      expect(JSON.stringify(told), secret).not.toContain(secret);
      if (secret.includes("secret") || secret === TOTP_KEY) expect(text, secret).not.toContain(secret);
    }
  });
});

test("a folder comes as a form, in any order; a realm is named where there are several; a file that is cut changes nothing", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const { users: _, ...configuration } = keycloak;
  const folder = {
    "acme-users-0.json": { realm: "acme", users: users.slice(0, 1) },
    "acme-realm.json": configuration,
    "acme-users-1.json": { realm: "acme", users: users.slice(1) },
    "other-realm.json": { ...configuration, realm: "other", groups: [] },
  };
  const body = Object.entries(folder)
    .map(([name, file]) => `--xx\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${JSON.stringify(file)}\r\n`)
    .join("");
  const post = (text: string, query: string) =>
    admin.post(`/import/external${query}`, text, { headers: { "content-type": "multipart/form-data; boundary=xx" } });
  const several = await post(`${body}--xx--\r\n`, "");
  expect([several.status, several.body.errors[0].field]).toEqual([400, "from"]);
  const whole = JSON.stringify(keycloak);
  const before = (await admin.get("/export?users=true")).text;
  for (const [cut, query] of [
    [await post(body, "?from=acme"), "a form"],
    [await send(admin, whole.slice(0, whole.indexOf('"bob"'))), "users"],
    [await send(admin, whole.slice(0, -5)), "the end"],
    [await send(admin, ""), "nothing"],
    [await send(admin, '{"some":"thing"}'), "another file"],
    [await send(admin, { ...keycloak, displayName: "\u0000" }), "NUL"],
  ] as const)
    expect([cut.status, query], cut.text).toEqual([400, query]);
  expect((await admin.get("/export?users=true")).text).toBe(before);
  const done = await post(`${body}--xx--\r\n`, "?from=acme");
  expect(done.status, done.text).toBe(200);
  expect(done.body).toMatchObject({ sections: { groups: { created: 2 } }, users: { created: 3 } });
  // Several realms in one file, as a list.
  const [listed] = [await send(await (await iam.realm()).admin(), [{ realm: "x", users: [] }, keycloak], "?source=keycloak&from=acme")];
  expect(listed.body.users, listed.text).toMatchObject({ created: 3 });
});

test("passkeys come along where they were made for this host, and are reported otherwise", async () => {
  const passkey = testPasskey();
  const credential = {
    ...{ type: "webauthn-passwordless", userLabel: "Laptop", createdDate: 1_700_000_000_000, secretData: "{}" },
    credentialData: JSON.stringify({
      ...{ aaguid: "00000000-0000-0000-0000-000000000000", counter: 0, attestationStatementFormat: "none", transports: ["INTERNAL"] },
      credentialId: Buffer.from(passkey.id, "base64url").toString("base64"),
      credentialPublicKey: passkey.publicKey.toString("base64url"),
    }),
  };
  const dump = (more: object) => ({
    ...{ realm: "acme", sslRequired: "external", ...more },
    users: [{ id: ids.ada, username: "ada", enabled: true, credentials: [credential] }],
  });
  const realm = await iam.realm();
  const admin = await realm.admin();
  const { translation } = (await send(admin, dump({ webAuthnPolicyPasswordlessRpId: "localhost" }))).body;
  expect(translation.mapped).toContainEqual({ path: "users[].credentials[webauthn-passwordless]", count: 1 });
  // The authenticator keeps the user's id of Keycloak, as text, for a handle.
  const userHandle = Buffer.from(ids.ada).toString("base64url");
  expect(isSignedIn(await signInWithPasskey(iam.browser(), realm.name, passkey, { userHandle }), realm.name)).toBe(true);

  const elsewhere = await (await iam.realm()).admin();
  const told = async (body: unknown, type = "application/json") => {
    const { body: answer } = await elsewhere.post("/import/external?dryRun=true", body, { headers: { "content-type": type } });
    const { unmapped, mapped } = answer.translation;
    const found = unmapped.find(({ path }: { path: string }) => path === "users[].credentials[webauthn-passwordless]");
    return found?.reason ?? mapped.map(({ path }: { path: string }) => path).filter((path: string) => path.includes("webauthn")).length;
  };
  expect(await told(JSON.stringify(dump({ webAuthnPolicyPasswordlessRpId: "login.example" })))).toContain("another host");
  expect(await told(JSON.stringify(dump({})))).toContain("parameters");
  expect(await told(JSON.stringify(dump({ attributes: { frontendUrl: "https://localhost/auth" } })))).toBe(1);
  const part = (name: string, text: string) => `--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  const form = `${part("file", JSON.stringify(dump({})))}${part("parameters", '{"rpId":"localhost"}')}--xx--\r\n`;
  expect(await told(form, "multipart/form-data; boundary=xx")).toBe(1);
});

test("attributes, required actions and components of the realm come or are reported, each by its name", async () => {
  const admin = await (await iam.realm()).admin();
  const dump = {
    ...{ realm: "acme", sslRequired: "external", registrationAllowed: true },
    attributes: {
      ...{ cibaExpiresIn: "90", oauth2DeviceCodeLifespan: "900", clientSessionIdleTimeout: "0", clientSessionMaxLifespan: "3600" },
      ...{
        cibaBackchannelTokenDeliveryMode: "ping",
        cibaInterval: "5",
        parRequestUriLifespan: "600",
        frontendUrl: "https://login.example",
      },
      ...{ "acr.loa.map": '{"gold":2}', "actionTokenGeneratedByUserLifespan.verify-email": "300", "_browser_header.xFrameOptions": "DENY" },
      ...{ "made.up": "of the realm", realmReusableOtpCode: "false" },
    },
    requiredActions: [
      { alias: "CONFIGURE_TOTP", enabled: true, defaultAction: true },
      { alias: "webauthn-register", enabled: true, defaultAction: false },
      { alias: "UPDATE_PASSWORD", enabled: true, defaultAction: true },
      { alias: "TERMS_AND_CONDITIONS", enabled: false, defaultAction: false },
      { alias: "VERIFY_EMAIL", enabled: false, defaultAction: false },
      { alias: "delete_account", enabled: true, defaultAction: false },
      { alias: "acme-survey", enabled: true, defaultAction: false },
    ],
    components: {
      "org.keycloak.keys.KeyProvider": [
        { name: "mine", providerId: "rsa", config: { privateKey: ["the private key"], priority: ["100"] } },
        { name: "sealed", providerId: "rsa-enc-generated", config: { privateKey: ["the private key"] } },
        { name: "cookies", providerId: "hmac-generated", config: { secret: ["the secret of cookies"] } },
      ],
      "org.keycloak.services.clientregistration.policy.ClientRegistrationPolicy": [{ name: "Max", providerId: "max-clients", config: {} }],
      "org.acme.Spi": [{ name: "theirs", providerId: "acme", config: {} }],
    },
  };
  const { status, body, text } = await send(admin, dump);
  expect(status, text).toBe(200);
  const paths = (list: { path: string }[]) => list.map(({ path }) => path);
  const { mapped, ignored, unmapped } = body.translation;
  const keys = "components.org.keycloak.keys.KeyProvider";
  expect(paths(mapped)).toEqual(
    expect.arrayContaining([
      ...["attributes.cibaExpiresIn", "attributes.oauth2DeviceCodeLifespan", "attributes.frontendUrl"],
      ...["requiredActions[CONFIGURE_TOTP].defaultAction", "requiredActions[delete_account]"],
    ]),
  );
  expect(paths(unmapped)).toEqual([
    ...["attributes.acr.loa.map", "attributes.actionTokenGeneratedByUserLifespan.verify-email"],
    ...["attributes.cibaBackchannelTokenDeliveryMode", "attributes.clientSessionMaxLifespan", "attributes.made.up"],
    ...["attributes.parRequestUriLifespan", "components.org.acme.Spi[acme]", `${keys}[rsa-enc-generated]`, `${keys}[rsa]`],
    ...["requiredActions[UPDATE_PASSWORD].defaultAction", "requiredActions[VERIFY_EMAIL].enabled", "requiredActions[acme-survey]"],
  ]);
  expect(paths(ignored)).toEqual(
    expect.arrayContaining([
      ...["attributes.clientSessionIdleTimeout", "attributes.cibaInterval", "attributes._browser_header.xFrameOptions"],
      ...[`${keys}[hmac-generated]`, "requiredActions[TERMS_AND_CONDITIONS]", "requiredActions[webauthn-register]"],
      "components.org.keycloak.services.clientregistration.policy.ClientRegistrationPolicy[max-clients]",
    ]),
  );
  for (const whole of ["attributes", "requiredActions", "components"])
    expect(paths([...mapped, ...ignored, ...unmapped]), whole).not.toContain(whole);
  for (const secret of ["the private key", "the secret of cookies", "of the realm"]) expect(text).not.toContain(secret);
  expect((await admin.get("/settings")).body).toMatchObject({
    tokens: { cibaSeconds: 90, deviceCodeSeconds: 900 },
    registration: { enabled: true, requiredActions: ["CONFIGURE_TOTP"] },
    account: { erase: true },
  });
});

test("a dump that does not fit into memory is read from a file, several times", async () => {
  const admin = await (await iam.realm()).admin();
  const padded = { ...keycloak, attributes: { ...(keycloak as { attributes?: object }).attributes, padding: "x".repeat(5 * 1024 * 1024) } };
  const { status, text, body } = await send(admin, padded);
  expect([status, body.users?.created], text.slice(0, 500)).toEqual([200, 3]);
});

test("an import gives no permission that the caller lacks, and needs those of its sections", async () => {
  const realm = await iam.realm();
  const root = { ...users[0], username: "root", id: undefined, clientRoles: { "realm-management": ["manage-users", "impersonation"] } };
  const dump = {
    realm: "acme",
    sslRequired: "external",
    roles: keycloak.roles,
    clients: keycloak.clients,
    groups: keycloak.groups,
    users: [root],
  };
  const most = await realm.as("manage-realm", "manage-roles", "manage-clients", "manage-organizations", "view-users");
  const lacking = await send(most, dump);
  expect([lacking.status, lacking.body.code], lacking.text).toEqual([403, "transfer.permissions"]);
  expect((await send(most, dump, "?dryRun=true")).body).toMatchObject({ code: "transfer.faults", status: 403 });
  expect((await (await realm.as("manage-users")).post("/import/external", "{}")).status).toBe(403);
  expect((await realm.asMaster().get("/users?search=root")).body).toEqual([]);
  const done = await send(await realm.admin(), dump);
  expect(done.status, done.text).toBe(200);
  const [{ userId }] = (await realm.asMaster().get("/users?search=root")).body;
  expect((await realm.asMaster().get(`/users/${userId}`)).body.roles).toContain("realm-management manage-users");
  expect(done.body.translation.unmapped.map(({ path }: { path: string }) => path)).toContain("users[].clientRoles.realm-management");
});

test("a name that happens to be that of a role or group with permissions here makes nobody an administrator", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const { groupId } = (await admin.post("/groups", { name: "Chiefs" })).body;
  await admin.post(`/groups/${groupId}/roles`, { name: "auditor" });
  await admin.post("/roles", { name: "boss", compositeRoles: ["admin"] });
  const person = (username: string, more: object) => ({
    ...{ username, enabled: true, credentials: [passwordCredential(`password-of-${username}`)], ...more },
  });
  const dump = {
    ...{ realm: "acme", sslRequired: "external", keycloakVersion: "26.7.3" },
    roles: {
      realm: [
        { name: "admin", description: "Shop back office" },
        { name: "Boss" },
        { name: "shopkeeper", composites: { realm: ["admin"] } },
        { name: "realm-management view-users" },
        // This one gives a permission there as well, and so it does here.
        { name: "steward", composites: { client: { "realm-management": ["view-users"] } } },
      ],
      client: { shop: [{ name: "buyer", composites: { realm: ["admin"] } }] },
    },
    groups: [
      { name: "Staff", path: "/Staff", realmRoles: ["admin"] },
      { name: "Chiefs", path: "/Chiefs", subGroups: [{ name: "Young", path: "/Chiefs/Young" }] },
    ],
    clients: [{ clientId: "shop", protocol: "openid-connect", secret: "the-secret-of-the-shop", serviceAccountsEnabled: true }],
    users: [
      person("held", { realmRoles: ["admin", "Boss", "realm-management view-users"] }),
      person("joined", { groups: ["/Staff", "/Chiefs/Young"] }),
      person("included", { realmRoles: ["shopkeeper"], clientRoles: { shop: ["buyer"] } }),
      person("steward", { realmRoles: ["steward"] }),
      { username: "service-account-shop", serviceAccountClientId: "shop", realmRoles: ["admin"] },
    ],
    identityProviders: [
      { alias: "corp", providerId: "oidc", config: { issuer: "https://c.example", clientId: "us", clientSecret: "its secret" } },
    ],
    identityProviderMappers: [
      { name: "all", identityProviderAlias: "corp", identityProviderMapper: "oidc-hardcoded-role-idp-mapper", config: { role: "admin" } },
    ],
  };
  const dry = await send(admin, dump, "?dryRun=true");
  const done = await send(admin, dump);
  expect([done.body.users, done.body.translation.refused], done.text).toMatchObject([{ created: 4 }, []]);
  expect(dry.body.translation).toEqual(done.body.translation);
  const { choices } = done.body.translation;
  for (const name of ["“keycloak admin”", "“keycloak Boss”", "“keycloak Chiefs”", "“keycloak realm-management view-users”"])
    expect(choices.join("\n")).toContain(name);
  expect(choices).toHaveLength(4);
  const mayRead = async (username: string) => {
    const browser = iam.browser();
    await browser.signIn(realm.name, username, `password-of-${username}`);
    return (await browser.get(`/admin/realms/${realm.name}/users`)).status;
  };
  for (const username of ["held", "joined", "included"]) expect([username, await mayRead(username)]).toEqual([username, 403]);
  expect(await mayRead("steward")).toBe(200);
  const { body: document } = await admin.get("/export");
  expect(document.clients[0].serviceAccountRoles).toEqual(["keycloak admin"]);
  expect(document.identityProviders[0].mappers).toMatchObject([{ role: "keycloak admin" }]);
  expect(document.groups.map(({ path }: { path: string }) => path)).toEqual([
    "/Chiefs",
    "/Staff",
    "/keycloak Chiefs",
    "/keycloak Chiefs/Young",
  ]);
  expect(document.roles.find(({ name }: { name: string }) => name === "admin").description).toBe("Administers the whole realm");
  expect((await send(admin, dump)).body.actions, "the same again").toEqual([]);
});

test("a client that happens to be called like one with permissions here does not take it over", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const grantTypes = ["client_credentials"];
  const { body: full } = await admin.post("/clients", { clientId: "full", publicClient: false, grantTypes });
  expect((await admin.post(`/clients/${full.id}/service-account/roles`, { name: "admin" })).status).toBeLessThan(300);
  const secret = "known-to-the-author-of-the-file";
  const theirs = (clientId: string) => ({ clientId, protocol: "openid-connect", secret, serviceAccountsEnabled: true });
  const dump = { realm: "acme", sslRequired: "external", keycloakVersion: "26.7.3", clients: [theirs("full"), theirs("plain")] };
  const done = await send(admin, dump);
  expect(done.status, JSON.stringify(done.body)).toBe(200);
  expect(done.body.translation.choices.join()).toContain("“full” does not come");
  const tokenOf = (client_id: string, client_secret: string) =>
    iam.browser().request("POST", `/realms/${realm.name}/token`, {
      csrf: false,
      form: { grant_type: "client_credentials", client_id, client_secret },
    });
  expect((await tokenOf("full", secret)).status).toBe(401);
  expect((await tokenOf("full", full.secret)).status).toBe(200);
  expect((await tokenOf("plain", secret)).status).toBe(200);
});

test("an identity provider by which administrators sign in, and the realm's mail server, are not replaced by those of a file", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const ours = { issuer: "https://idp.example", clientId: "us", clientSecret: "ours" };
  for (const alias of ["corp", "partners"])
    expect((await admin.post("/identity-providers", { alias, protocol: "oidc", config: ours })).status).toBe(201);
  const linked = (username: string, provider: string, roles: string[]) => ({
    ...{ username, enabled: true, roles, federatedIdentities: [{ provider, subject: username }] },
  });
  const people = [linked("boss", "corp", ["user", "admin"]), linked("guest", "partners", ["user"])];
  expect((await admin.post("/users/import", people)).body).toMatchObject({ created: 2 });
  const mail = { channel: "EMAIL", driver: "smtp", fromAddress: "us@acme.example", config: { host: "mail.acme.example" } };
  expect((await admin.put("/messaging/providers", mail)).status).toBe(201);
  const before = (await admin.get("/identity-providers/corp")).body;
  const theirs = (alias: string) => ({
    ...{ alias, providerId: "oidc", displayName: "Theirs" },
    config: { issuer: ours.issuer, clientId: "us", clientSecret: "theirs", tokenUrl: "https://evil.example/token" },
  });
  const dump = {
    ...{ realm: "acme", sslRequired: "external", keycloakVersion: "26.7.3" },
    identityProviders: [theirs("corp"), theirs("partners"), theirs("fresh")],
    smtpServer: { host: "mail.evil.example", from: "us@acme.example" },
  };
  const done = await send(admin, dump);
  expect(done.status, done.text).toBe(200);
  expect(done.body.translation.choices.join()).toMatch(/“corp” does not come.*The mail server does not come/);
  expect((await admin.get("/identity-providers/corp")).body).toEqual(before);
  expect((await admin.get("/identity-providers/partners")).body.displayName).toBe("Theirs");
  expect((await admin.get("/identity-providers/fresh")).status).toBe(200);
  expect((await admin.get("/messaging/providers")).body).toMatchObject([{ config: { host: "mail.acme.example" } }]);
});
