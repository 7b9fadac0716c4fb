import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { BINDING, idpMetadata, render } from "../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { CERTIFICATES, CLIENT_SECRET, identityProvider, leastConfig, pem } from "../../testing/identity-providers.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";
import { goodIdpRole } from "../../testing/saml-messages.ts";
import { type ProtocolName, protocols } from "./protocols.ts";
import { secretPlace } from "./store.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const at = "/identity-providers";
const names = Object.keys(protocols) as ProtocolName[];

/** Metadata of the provider of `leastConfig`, with this address for requests. */
const metadataAt = (location: string) =>
  render(
    idpMetadata({
      ...{ id: "_1", entityId: String(leastConfig.saml.idpEntityId) },
      idp: {
        ...goodIdpRole(CERTIFICATES[0].replace(/-----[^-]+-----|\s/g, "")),
        singleSignOnServices: [{ binding: BINDING.redirect, location, responseLocation: null }],
      },
    }),
  );

/** A row for each thing that a SAML provider cannot be saved with. */
function badSaml(baseUrl: string): [Record<string, unknown>, string][] {
  const saml = identityProvider("saml");
  const [certificate, another] = CERTIFICATES;
  const rows: [Record<string, unknown>, string][] = [
    [{ ssoUrl: undefined }, "ssoUrl"],
    [{ idpEntityId: undefined }, "idpEntityId"],
    [{ idpSigningCertificate: undefined }, "idpSigningCertificate"],
    [{ idpSigningCertificate: "no certificate" }, "idpSigningCertificate"],
    [{ idpSigningCertificate: [certificate, "no certificate"] }, "idpSigningCertificate"],
    [{ metadataSigningCertificate: `${certificate}\n${another}` }, "metadataSigningCertificate"],
    [{ ssoUrl: "http://login.example.com/sso" }, "ssoUrl"],
    [{ ssoUrl: "javascript:alert(1)" }, "ssoUrl"],
    [{ metadataUrl: "https://169.254.169.254/metadata" }, "metadataUrl"],
    [{ artifactResolutionUrl: "https://10.0.0.7/" }, "artifactResolutionUrl"],
    [{ singleLogoutServiceUrl: "https://user:pw@login.example.com/" }, "singleLogoutServiceUrl"],
    [{ metadataXml: "<x/>" }, "metadataXml"],
    [{ ssoUrl: undefined, metadataXml: metadataAt("http://login.example.com/sso") }, "metadataXml"],
    [{ ssoUrl: undefined, metadataXml: metadataAt("https://169.254.169.254/sso") }, "metadataXml"],
    [{ metadataXml: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>' }, "metadataXml"],
    [{ metadataXml: "<x/>", metadataUrl: "https://login.example.com/metadata" }, "metadataXml"],
    [{ assertionConsumerServiceUrl: "https://evil.example/acs" }, "assertionConsumerServiceUrl"],
    [{ assertionConsumerServiceUrl: `${baseUrl}.evil.example/realms/x` }, "assertionConsumerServiceUrl"],
    [{ assertionConsumerServiceUrl: `${baseUrl}/realms/../admin` }, "assertionConsumerServiceUrl"],
    [{ authnRequestBinding: "soap" }, "authnRequestBinding"],
    [{ responseBinding: "redirect" }, "responseBinding"],
    [{ responseBinding: "artifact" }, "artifactResolutionUrl"],
    [{ nameIdFormat: "transient" }, "subjectAttribute"],
    [{ spSigningCertificate: certificate }, "spSigningPrivateKey"],
    [{ spSigningPrivateKey: pem("rsa") }, "spSigningCertificate"],
    [{ spSigningPrivateKey: pem("rsa"), spSigningCertificate: certificate }, "spSigningCertificate"],
    [{ spSigningPrivateKey: pem("ed25519") }, "spSigningPrivateKey"],
    [{ spDecryptionPrivateKey: pem("ed25519") }, "spDecryptionPrivateKey"],
    [{ spDecryptionPrivateKey: undefined, wantAssertionsEncrypted: true }, "spDecryptionPrivateKey"],
    [{ wantAssertionsEncrypted: true }, "spDecryptionCertificate"],
    [{ spDecryptionCertificate: certificate }, "spDecryptionCertificate"],
  ];
  return rows.map(([members, field]) => [{ ...saml, config: { ...leastConfig.saml, ...members } }, `config.${field}`]);
}

describe("the record", () => {
  test.each(names)("of %s has the contract's members, shows no secret, and what GET showed is a valid PUT", async (protocol) => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-identity-providers");
    const created = await admin.post(at, identityProvider(protocol));
    expect(created.status, created.text).toBe(201);
    expect(created.headers.location).toBe(`/admin/realms/${realm.name}${at}/${protocol}`);
    const read = await admin.get(`${at}/${protocol}`);
    expect(Object.keys(read.body).sort()).toEqual(["alias", "config", "displayName", "enabled", "protocol", "realmId"]);
    expect(read.body).toMatchObject({ realmId: realm.name, alias: protocol, protocol, enabled: true, displayName: `By ${protocol}` });
    const isDirectory = protocol === "ldap" || protocol === "ad";
    expect(read.body.config).toMatchObject({
      ...{ provisioning: "create", trustEmail: false },
      ...(isDirectory
        ? {
            userSearchFilter: "(uid={0})",
            uidAttribute: "uid",
            emailAttribute: "mail",
            firstNameAttribute: "givenName",
            lastNameAttribute: "sn",
          }
        : { hideOnLogin: false, emailAttribute: "email" }),
    });
    const secrets: Partial<Record<ProtocolName, string>> = {
      ...{ ldap: "bindPassword", ad: "bindPassword", apple: "privateKey", saml: "spDecryptionPrivateKey" },
      ...{ eherkenning: "spSigningPrivateKey", eidas: "spSigningPrivateKey" },
    };
    const secret = secrets[protocol] ?? "clientSecret";
    expect(read.body.config).toMatchObject({ [`${secret}Set`]: true });
    expect(read.body.config).not.toHaveProperty(secret);

    const saved = await admin.put(`${at}/${protocol}`, read.body);
    expect([saved.status, saved.body], saved.text).toEqual([200, read.body]);
    const texts = [
      created.text,
      read.text,
      saved.text,
      (await admin.get(at)).text,
      JSON.stringify(await realm.events()),
      iam.output.join(""),
    ];
    for (const text of texts) {
      expect(text).not.toContain(CLIENT_SECRET);
      expect(text).not.toContain("BEGIN PRIVATE KEY");
    }
    expect((await admin.delete(`${at}/${protocol}`)).status).toBe(204);
    expect((await admin.get(`${at}/${protocol}`)).status).toBe(404);
    expect(await realm.events("resourceType=identity-providers")).toMatchObject([
      { type: "ADMIN_DELETE", resourceId: protocol },
      { type: "ADMIN_UPDATE" },
      { type: "ADMIN_CREATE" },
    ]);
  });

  test("names what is wrong with it, and saves nothing", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-identity-providers");
    const oidc = identityProvider("oidc", "corp");
    const wrong: [Record<string, unknown>, string][] = [
      [{ ...oidc, protocol: "kerberos" }, "protocol"],
      [{ ...oidc, alias: "a/b" }, "alias"],
      [{ ...oidc, alias: "" }, "alias"],
      [{ ...oidc, nothing: 1 }, "nothing"],
      [{ ...oidc, config: undefined }, "config"],
      [{ ...oidc, config: { ...oidc.config, nothing: 1 } }, "config.nothing"],
      [{ ...oidc, config: { ...oidc.config, clientId: undefined } }, "config.clientId"],
      [{ ...oidc, config: { ...oidc.config, issuer: undefined } }, "config.issuer"],
      [{ ...oidc, config: { ...oidc.config, clientSecret: undefined } }, "config.clientSecret"],
      [{ ...oidc, config: { ...oidc.config, issuer: "http://login.example.com" } }, "config.issuer"],
      [{ ...oidc, config: { ...oidc.config, issuer: "https://login.example.com?a=b" } }, "config.issuer"],
      [{ ...oidc, config: { ...oidc.config, tokenUrl: "https://user:pw@login.example.com/" } }, "config.tokenUrl"],
      [{ ...oidc, config: { ...oidc.config, jwksUrl: "https://169.254.169.254/keys" } }, "config.jwksUrl"],
      [{ ...oidc, config: { ...oidc.config, userinfoUrl: "https://10.0.0.7/" } }, "config.userinfoUrl"],
      [{ ...oidc, config: { ...oidc.config, authorizationUrl: "javascript:alert(1)" } }, "config.authorizationUrl"],
      [{ ...oidc, config: { ...oidc.config, clientAuthMethod: "private_key_jwt" } }, "config.privateKey"],
      [{ ...oidc, config: { ...oidc.config, privateKey: "no key" } }, "config.privateKey"],
      [{ ...oidc, config: { ...oidc.config, clientSecret: undefined, clientSecretSet: true } }, "config.clientSecretSet"],
      [{ ...oidc, config: { ...oidc.config, defaultRoles: ["nobody"] } }, "config.defaultRoles"],
      [{ ...oidc, config: { ...oidc.config, defaultGroups: [newId()] } }, "config.defaultGroups"],
      [{ ...identityProvider("microsoft"), config: { ...leastConfig.microsoft, tenant: "evil.example/x" } }, "config.tenant"],
      [{ ...identityProvider("apple"), config: { ...leastConfig.apple, privateKey: undefined } }, "config.privateKey"],
      [{ ...identityProvider("apple"), config: { ...leastConfig.apple, privateKey: pem("rsa") } }, "config.privateKey"],
      ...badSaml(iam.config.baseUrl),
    ];
    for (const [body, field] of wrong) {
      const answer = await admin.post(at, body);
      expect([answer.status, answer.body.errors?.map((error: { field: string }) => error.field)], answer.text).toEqual([400, [field]]);
    }
    expect((await admin.post(at, { ...oidc, protocol: "kerberos" })).text).toContain("google");
    expect((await admin.get(at)).body).toEqual([]);
  });

  test("alias and protocol stay, a taken alias is a 409, and an old version is a 412", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-identity-providers");
    const { headers, body } = await admin.post(at, identityProvider("oidc", "corp"));
    expect((await admin.post(at, identityProvider("google", "corp"))).body).toMatchObject({
      status: 409,
      code: "identity_providers.alias_taken",
    });
    expect((await admin.put(`${at}/corp`, { ...body, alias: "other" })).status).toBe(400);
    expect((await admin.put(`${at}/corp`, { ...identityProvider("google", "corp"), enabled: true })).body.errors).toMatchObject([
      { field: "protocol" },
    ]);
    expect((await admin.put(`${at}/corp`, { ...body, enabled: undefined })).body.errors).toMatchObject([{ field: "enabled" }]);
    const ifMatch = { headers: { "if-match": String(headers.etag) } };
    expect((await admin.put(`${at}/corp`, { ...body, displayName: "One" }, ifMatch)).status).toBe(200);
    expect((await admin.put(`${at}/corp`, { ...body, displayName: "Two" }, ifMatch)).status).toBe(412);
    expect((await admin.get(`${at}/corp`)).body.displayName).toBe("One");
  });

  test("belongs to its realm, and to those who may manage identity providers", async () => {
    const [realm, other] = [await iam.realm(), await iam.realm()];
    const admin = await realm.as("manage-identity-providers");
    await admin.post(at, identityProvider("oidc", "corp"));
    const foreign = await other.as("manage-identity-providers");
    expect((await foreign.get(`${at}/corp`)).status).toBe(404);
    expect((await foreign.put(`${at}/corp`, { ...identityProvider("oidc", "corp"), enabled: true })).status).toBe(404);
    expect((await foreign.delete(`${at}/corp`)).status).toBe(404);
    const lesser = await realm.as("manage-users", "manage-clients", "manage-realm", "manage-roles");
    expect((await lesser.get(at)).status).toBe(403);
    expect((await lesser.post(at, identityProvider("google"))).status).toBe(403);
    expect(await realm.events("type=ADMIN_DENIED")).toHaveLength(1);
  });
});

describe("secrets", () => {
  const stored = async (realm: RealmUnderTest) => {
    const { rows } = await sql<{ member: string; sealed: string; id: string }>`
      select member, sealed, provider_id::text as id from identity_provider_secrets where realm_id = ${realm.name}`.execute(iam.core.db);
    return Object.fromEntries(
      rows.map(({ member, sealed, id }) => [member, iam.core.vault.open(sealed, secretPlace(realm.name, id, member))]),
    );
  };

  test("are sealed, kept when left out, and refused as null and for another scheme, host or port without them", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-identity-providers");
    await admin.post(at, identityProvider("oidc", "corp"));
    expect(await stored(realm)).toEqual({ clientSecret: CLIENT_SECRET });
    const { body } = await admin.get(`${at}/corp`);
    const put = (config: object, more: object = {}) => admin.put(`${at}/corp`, { ...body, ...more, config: { ...body.config, ...config } });
    expect((await put({ scopes: "openid" })).status).toBe(200);
    expect((await put({ issuer: "https://login.example.com/other" })).status).toBe(200);
    expect(await stored(realm), "the same server").toEqual({ clientSecret: CLIENT_SECRET });

    const moved = await put({ issuer: "https://evil.example/realm" });
    expect([moved.status, moved.body.errors[0].field]).toEqual([400, "config.clientSecret"]);
    expect(await stored(realm), "a refused change clears nothing").toEqual({ clientSecret: CLIENT_SECRET });
    for (const config of [{ tokenUrl: "https://login.example.com:8443/token" }, { userinfoUrl: "https://evil.example/me" }])
      for (const enabled of [true, false]) {
        const { status, body: problem } = await put({ ...config, clientSecretSet: undefined }, { enabled });
        expect([status, problem.errors[0].field]).toEqual([400, "config.clientSecret"]);
      }
    const cleared = [await put({ clientSecret: null }), await admin.patch(`${at}/corp`, { config: { clientSecret: null } })];
    for (const { status, body: problem } of cleared) expect([status, problem.errors[0].field]).toEqual([400, "config.clientSecret"]);
    expect(await stored(realm), "a refused change clears nothing").toEqual({ clientSecret: CLIENT_SECRET });
    expect((await put({ issuer: "https://new.example/realm", clientSecret: "another" })).status).toBe(200);
    expect(await stored(realm)).toEqual({ clientSecret: "another" });
    expect((await admin.patch(`${at}/corp`, { config: { clientAuthMethod: "none" } })).status).toBe(200);
    expect(await stored(realm), "what is not used is not kept").toEqual({});
    expect((await admin.patch(`${at}/corp`, { config: { privateKey: pem("ed25519"), clientAuthMethod: null } })).status).toBe(200);
    expect(Object.keys(await stored(realm))).toEqual(["privateKey"]);
  });
});

describe("mappers", () => {
  test("are rows of their provider, complete and without what they would ignore", async () => {
    const realm = await iam.realm();
    const admin = await realm.as("manage-identity-providers");
    await admin.post(at, identityProvider("oidc", "idp"));
    await admin.post(at, identityProvider("google"));
    const create = (body: object, alias = "idp") => admin.post(`${at}/${alias}/mappers`, body);
    const attribute = { name: "Department", type: "attribute", claim: "department", attribute: "department" };
    const made = await create(attribute);
    expect(made.body, made.text).toMatchObject({ ...attribute, sync: "force" });
    expect((await create(attribute)).body.code).toBe("identity_providers.mapper_name_taken");
    expect((await create(attribute, "google")).status).toBe(201);
    expect((await create(attribute, "nothing")).status).toBe(404);
    const path = `${at}/idp/mappers/${made.body.mapperId}`;
    expect((await admin.get(path)).body).toEqual(made.body);
    expect((await admin.get(`${at}/google/mappers/${made.body.mapperId}`)).status, "another provider's").toBe(404);
    expect((await admin.put(path, made.body)).status).toBe(200);
    expect((await admin.patch(path, { sync: "import" })).body.sync).toBe("import");
    for (const [body, field] of [
      [{ name: "b", type: "attribute", claim: "a" }, "attribute"],
      [{ name: "b", type: "attribute", claim: "a", attribute: "a", role: "x" }, "role"],
      [{ name: "b", type: "attribute", claim: "a", attribute: "emailVerified" }, "attribute"],
      [{ name: "b", type: "attribute", claim: "a", attribute: "__proto__" }, "attribute"],
      [{ name: "b", type: "attribute", claim: "a", attribute: "no name" }, "attribute"],
      [{ name: "b", type: "template", attribute: "a" }, "template"],
      [{ name: "b", type: "role", value: "x", role: "plain" }, "claim"],
      [{ name: "b", type: "role", role: "nobody" }, "role"],
      [{ name: "b", type: "group", group: newId() }, "group"],
      [{ name: "b", type: "other" }, "type"],
    ] as const) {
      const answer = await create(body);
      expect([answer.status, answer.body.errors?.[0].field], answer.text).toEqual([400, field]);
    }
    expect((await admin.get(`${at}/idp/mappers`)).body).toHaveLength(1);
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.get(path)).status).toBe(404);
  });
});

test("the roles that a provider gives follow a rename", async () => {
  const [realm, other] = [await iam.realm(), await iam.realm()];
  const corp = identityProvider("oidc", "corp");
  const config = { ...corp.config, defaultRoles: ["reader", "sales"] };
  const mapper = { name: "Sales", type: "role", claim: "groups", value: "sales", role: "sales" };
  const roles = new Map<string, string>();
  for (const each of [realm, other]) {
    for (const name of ["reader", "sales"]) roles.set(`${each.name} ${name}`, (await each.asMaster().post("/roles", { name })).body.roleId);
    expect((await each.asMaster().post(at, { ...corp, config })).status).toBe(201);
    expect((await each.asMaster().post(`${at}/corp/mappers`, mapper)).status).toBe(201);
  }
  const given = async (each: RealmUnderTest) => {
    const [provider, mappers] = [await each.asMaster().get(`${at}/corp`), await each.asMaster().get(`${at}/corp/mappers`)];
    return { tag: provider.headers.etag, defaultRoles: provider.body.config.defaultRoles, mapped: mappers.body[0].role };
  };
  const before = await given(realm);
  expect((await realm.asMaster().patch(`/roles/${roles.get(`${realm.name} sales`)}`, { name: "Verkoop" })).status).toBe(200);
  const after = await given(realm);
  expect(after).toMatchObject({ defaultRoles: ["reader", "Verkoop"], mapped: "Verkoop" });
  expect(after.tag).not.toBe(before.tag);
  expect(await given(other)).toMatchObject({ defaultRoles: ["reader", "sales"], mapped: "sales" });
  const { body } = await realm.asMaster().get(`${at}/corp`);
  expect((await realm.asMaster().put(`${at}/corp`, body)).status).toBe(200);
});

test("a role or group that a provider gives is not deleted", async () => {
  const admin = (await iam.realm()).asMaster();
  const path = async (at: string, name: string) => `${at}/${Object.values((await admin.post(at, { name })).body)[1]}`;
  const [reader, sales] = [await path("/roles", "reader"), await path("/roles", "sales")];
  const [all, team] = [await path("/groups", "all"), await path("/groups", "team")];
  const idOf = (path: string) => path.split("/")[2];
  const corp = identityProvider("oidc", "corp");
  const config = { ...corp.config, defaultRoles: ["Reader"], defaultGroups: [idOf(all)] };
  expect((await admin.post(at, { ...corp, config })).status).toBe(201);
  for (const mapper of [
    { name: "Sales", type: "role", role: "sales" },
    { name: "Team", type: "group", group: idOf(team) },
  ])
    expect((await admin.post(`${at}/corp/mappers`, mapper)).status).toBe(201);
  for (const [path, where] of [
    [reader, "corp (for new users)"],
    [sales, "corp (mapper Sales)"],
    [all, "corp (for new users)"],
    [team, "corp (mapper Team)"],
  ] as const)
    expect(await admin.delete(path)).toMatchObject({
      status: 409,
      body: { code: `${path.split("/")[1]}.in_use`, detail: expect.stringContaining(where) },
    });
  expect((await admin.delete(`${at}/corp`)).status).toBe(204);
  for (const path of [reader, sales, all, team]) expect((await admin.delete(path)).status, path).toBe(204);
});

test("a list is found by alias and display name, and paged", async () => {
  const realm = await iam.realm();
  const admin: AdminClient = await realm.as("manage-identity-providers");
  for (const alias of ["alpha", "beta", "gamma"])
    await admin.post(at, { ...identityProvider("oidc", alias), displayName: `Sign in ${alias}` });
  const aliases = async (query: string) => (await admin.get(`${at}?${query}`)).body.map(({ alias }: { alias: string }) => alias);
  expect(await aliases("sort=-alias&size=2")).toEqual(["gamma", "beta"]);
  expect(await aliases("search=be")).toEqual(["beta"]);
  expect(await aliases(`search=${encodeURIComponent("sign in g")}`)).toEqual(["gamma"]);
});

test("a test says the same of a host that does not exist and of one inside", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-identity-providers");
  const placed = (host: string) =>
    [
      ["oidc", { ...leastConfig.oidc, issuer: `https://${host}` }],
      ["oauth2", { ...leastConfig.oauth2, tokenUrl: `https://${host}/token` }],
      ["saml", { metadataUrl: `https://${host}/metadata` }],
      ["ldap", { ...leastConfig.ldap, url: `ldaps://${host}` }],
    ] as const;
  const reports = await Promise.all(
    ["localhost", "nowhere.invalid"].map(async (host, n) => {
      const checks = [];
      for (const [protocol, config] of placed(host)) {
        const alias = `${protocol}-${n}`;
        expect(await admin.post(at, { alias, protocol, config }), protocol).toMatchObject({ status: 201 });
        const { body } = await admin.post(`${at}/${alias}/test`);
        expect(body.ok, protocol).toBe(false);
        checks.push([
          protocol,
          JSON.stringify(body.checks)
            .replaceAll(/login\.example\.com/g, "")
            .replaceAll(host, ""),
        ]);
      }
      return checks;
    }),
  );
  expect(reports[0]).toEqual(reports[1]);
  for (const [protocol, checks] of reports[0]!) expect(checks, protocol).toContain("could not be found, or is not a public address");
});

describe("mail domains", () => {
  test("are those that an organization has verified; any other needs realm-admin to save, and what leads elsewhere does too", async () => {
    const realm = await iam.realm();
    const [master, lesser] = [realm.asMaster(), await realm.as("manage-identity-providers")];
    const verified = [{ domain: "Acme.example", verified: true }];
    expect((await master.post("/organizations", { name: "Acme", domains: verified })).status).toBe(201);
    const provider = (alias: string, domains: string[]) => {
      const made = identityProvider("oidc", alias);
      return { ...made, config: { ...made.config, domains } };
    };
    const refused = { status: 403, body: { code: "identity_providers.domain_unverified" } };
    expect(await lesser.post(at, provider("own", ["acme.example"]))).toMatchObject({ status: 201 });
    expect(await lesser.post(at, provider("any", ["acme.example", "other.example"]))).toMatchObject(refused);
    expect(await lesser.patch(`${at}/own`, { config: { domains: ["other.example"] } })).toMatchObject(refused);
    expect(await master.post(at, provider("any", ["other.example"]))).toMatchObject({ status: 201 });
    expect(await lesser.patch(`${at}/any`, { config: { order: 3 } }), "how it is shown").toMatchObject({ status: 200 });
    expect(await lesser.patch(`${at}/any`, { config: { scopes: ["openid"] } })).toMatchObject(refused);
    expect(await lesser.patch(`${at}/any`, { enabled: false })).toMatchObject({ status: 200 });
    expect(await lesser.patch(`${at}/any`, { enabled: true })).toMatchObject(refused);
  });
});
