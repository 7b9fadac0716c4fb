import { rootCertificates } from "node:tls";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { idpMetadata, render } from "../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { CERTIFICATES, CLIENT_SECRET, identityProvider, KEY, leastConfig, linkTo, pem } from "../../testing/identity-providers.ts";
import { goodIdpRole } from "../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import { type ProtocolName, protocolOf, protocols } from "./protocols.ts";

let iam: SharedHarness;
let peer: Identity;
beforeAll(async () => {
  [iam, peer] = await Promise.all([sharedHarness(), makeIdentity()]);
  // Identities are used in turn: with the one of `leastConfig` nothing would change.
  if (peer.pem === leastConfig.eidas.spSigningCertificate) peer = await makeIdentity();
});
afterAll(() => iam?.close());

const at = "/identity-providers";
const names = Object.keys(protocols) as ProtocolName[];

describe("the escalation rule", () => {
  const other: Record<string, unknown> = {
    issuer: "https://evil.example/realm",
    clientId: "another",
    clientSecret: "another secret",
    scopes: ["openid"],
    authorizationUrl: "https://login.example.com/other",
    tokenUrl: "https://login.example.com/other",
    userinfoUrl: "https://login.example.com/other",
    jwksUrl: "https://login.example.com/other",
    pkce: true,
    clientAuthMethod: "client_secret_basic",
    privateKey: pem("rsa"),
    keyId: "another",
    signedResponseAlg: "ES256",
    clockSkewSeconds: 30,
    multiFactorAcr: ["mfa"],
    multiFactorAmr: ["mfa"],
    hideOnLogin: true,
    order: 7,
    logoUri: "https://login.example.com/logo.png",
    domains: ["example.com"],
    provisioning: "deny",
    trustEmail: true,
    allowedDomains: ["example.com"],
    defaultRoles: ["plain"],
    defaultGroups: [] as string[],
    usernameTemplate: "{email}",
    sync: "force",
    emailAttribute: "upn",
    firstNameAttribute: "upn",
    lastNameAttribute: "upn",
    subjectClaim: "upn",
    hostedDomain: "example.com",
    tenant: "organizations",
    allowedTenants: [newId()],
    teamId: "ANOTHER",
    url: "ldaps://evil.example",
    urls: ["ldaps://evil.example"],
    startTls: true,
    caCertificate: rootCertificates[0],
    timeoutMs: 1_000,
    bindDn: "cn=another",
    bindPassword: "another secret",
    userSearchBase: "dc=another",
    userSearchFilter: "(cn={0})",
    idAttribute: "nsuniqueid",
    uidAttribute: "cn",
    editMode: "PASSWORD",
    groupSearchBase: "dc=another",
    groupSearchFilter: "(cn=*)",
    groupNameAttribute: "ou",
    groupMemberAttribute: "uniqueMember",
    nestedGroups: true,
    fullSyncMinutes: 60,
    changedSyncMinutes: 10,
    entryCheckSeconds: 60,
    signInWhenUnreachable: "allow",
    refreshWhenUnreachable: "refuse",
    returningEntries: "former",
    ssoUrl: "https://evil.example/sso",
    idpEntityId: "https://evil.example/metadata",
    idpSigningCertificate: [CERTIFICATES[1]],
    singleLogoutServiceUrl: "https://evil.example/slo",
    artifactResolutionUrl: "https://evil.example/artifact",
    metadataUrl: "https://evil.example/metadata",
    metadataSigningCertificate: CERTIFICATES[1],
    spEntityId: "https://another.example",
    authnRequestBinding: "post",
    responseBinding: "artifact",
    spDecryptionPrivateKey: pem("rsa"),
    nameIdFormat: "email",
    subjectAttribute: "mail",
    signAuthnRequests: false,
    wantResponseSigned: true,
    wantAssertionsSigned: true,
    wantAssertionsEncrypted: true,
    allowCbc: true,
    allowIdpInitiated: true,
    forceAuthn: true,
    authnContexts: ["urn:another"],
    authnContextComparison: "minimum",
    logoutUpstream: false,
    logoutUrl: "https://evil.example/logout",
    storeTokens: true,
    acceptIdentityAssertions: true,
    forwardParameters: ["acr_values"],
    trustPrompt: true,
  };
  /** Values that mean nothing to other protocols, or are what they have already. */
  const eidValues: Record<string, unknown> = {
    ...{ subjectQualifier: "urn:another", representation: true, representationAttributes: ["urn:another"], requestLoa: false },
    ...{ serviceId: "urn:etoegang:DV:1:services:1", serviceUuid: newId(), serviceName: "Another", providerName: "Another" },
    ...{ spSigningKeyName: "another", spDecryptionKeyName: "another", requestedAttributes: ["urn:another"] },
    ...{ attributeConsumingServiceIndex: 2, allowNonNotified: true, spType: "private", authnRequestBinding: "redirect" },
  };
  const schemeValues: Partial<Record<ProtocolName, Record<string, unknown>>> = {
    apple: { privateKey: pem("ec") },
    eherkenning: {
      ...eidValues,
      ...{ minimumLoa: "urn:etoegang:core:assurance-class:loa4", subjectAttribute: "urn:another", responseBinding: "post" },
    },
    eidas: { ...eidValues, minimumLoa: "high", subjectAttribute: "LegalPersonIdentifier" },
  };
  const isEid = (protocol: ProtocolName) => protocol === "eherkenning" || protocol === "eidas";

  /** Values that need the peer, or this server's address. */
  const made = (key: string): unknown => {
    const idp = { id: "_1", entityId: String(leastConfig.saml.idpEntityId), idp: goodIdpRole(peer.certificate) };
    const values: Record<string, () => unknown> = {
      metadataXml: () => render(idpMetadata(idp)),
      assertionConsumerServiceUrl: () => `${iam.config.baseUrl}/realms/another/broker/another/endpoint`,
      ...{ clientCertificate: () => peer.pem, clientKey: privateKey },
      ...{ spSigningPrivateKey: privateKey, spSigningCertificate: () => peer.pem, spDecryptionCertificate: () => peer.pem },
    };
    return values[key]?.();
  };
  const privateKey = () => peer.privateKey.export({ type: "pkcs8", format: "pem" });
  /** The members that such a change must have. */
  const together = (key: string, protocol: ProtocolName): Record<string, unknown> => {
    const members: Record<string, () => Record<string, unknown>> = {
      ...{ clientCertificate: () => ({ clientKey: privateKey() }), clientKey: () => ({ clientCertificate: peer.pem }) },
      spSigningPrivateKey: () => ({ spSigningCertificate: peer.pem }),
      spSigningCertificate: () => ({ spSigningPrivateKey: privateKey() }),
      spDecryptionPrivateKey: () => (isEid(protocol) ? { spSigningPrivateKey: leastConfig.eidas.spSigningPrivateKey } : {}),
      representation: () => (protocol === "eidas" ? {} : { representationAttributes: ["urn:another"] }),
      spDecryptionCertificate: () => ({ spDecryptionPrivateKey: privateKey() }),
      wantAssertionsEncrypted: () => ({ spDecryptionPrivateKey: privateKey(), spDecryptionCertificate: peer.pem }),
      responseBinding: () => ({ artifactResolutionUrl: "https://login.example.com/artifact" }),
    };
    return members[key]?.() ?? {};
  };

  test.each(names)("stands before every config key of %s but those that only say how it is shown", async (protocol) => {
    const realm = await iam.realm();
    const master = realm.asMaster();
    expect((await master.post("/roles", { name: "plain" })).status).toBe(201);
    const { groupId } = (await master.post("/groups", { name: "plain" })).body;
    const lesser = await realm.as("manage-identity-providers");
    expect((await lesser.post(at, identityProvider(protocol, "idp"))).status).toBe(201);
    const { body } = await lesser.get(`${at}/idp`);
    const rules = protocolOf(protocol);
    const keys = Object.keys(rules.config.properties).filter((key) => !key.endsWith("Set"));
    const another = (key: string) =>
      key === "defaultGroups" ? [groupId] : key === "pkce" ? !body.config.pkce : (schemeValues[protocol]?.[key] ?? other[key] ?? made(key));
    const changed = (key: string) => {
      const shown = Object.entries(body.config).filter(([member]) => !member.endsWith("Set"));
      const config = { ...Object.fromEntries(shown), [key]: another(key) };
      // A change of server needs the secret anew.
      return {
        ...body,
        config: {
          ...config,
          ...([...rules.secrets, ...rules.harmless].includes(key) ? {} : secretsOf(protocol)),
          ...together(key, protocol),
        },
      };
    };

    // A user without permissions and one with all of them are linked.
    const { userId } = await realm.user();
    await linkTo(iam, realm, "idp", userId);
    const linked = (await (await realm.admin()).get("/users?search=admin")).body[0].userId;
    await linkTo(iam, realm, "idp", linked);
    for (const key of keys) {
      expect(another(key), `a value for ${key}`).toBeDefined();
      const answer = await lesser.put(`${at}/idp`, changed(key));
      expect([key, answer.status], answer.text).toEqual([key, rules.harmless.includes(key) ? 200 : 403]);
      if (answer.status === 403) expect(answer.body.code).toBe("permissions.escalation");
    }
    const greater = await realm.admin();
    // The tests of OpenID Connect cover the members that presets share with it.
    const isPreset = protocol !== "oidc" && rules.test === protocols.oidc.test;
    const own = (key: string) => !(key in protocols.oidc.config.properties) || rules.subjectMembers.includes(key);
    for (const key of isPreset ? keys.filter(own) : keys) {
      const answer = await greater.put(`${at}/idp`, changed(key));
      // With users linked, what a subject means cannot be changed.
      const isSubject = rules.subjectMembers.includes(key) || key === "idpEntityId";
      expect([key, answer.status], answer.text).toEqual([key, isSubject ? 409 : 200]);
    }
  });
  const secretsOf = (protocol: ProtocolName) => {
    if (protocol === "ldap" || protocol === "ad") return { bindPassword: CLIENT_SECRET };
    if (isEid(protocol)) {
      const { spSigningPrivateKey, spDecryptionPrivateKey } = leastConfig.eidas;
      return { spSigningPrivateKey, spDecryptionPrivateKey };
    }
    if (protocol === "saml") return {};
    return protocol === "apple" ? { privateKey: KEY } : { clientSecret: CLIENT_SECRET };
  };

  test("covers enabling, deleting, mappers, and taking the place of a provider that was deleted; names and order are free", async () => {
    const realm = await iam.realm();
    const lesser = await realm.as("manage-identity-providers");
    await lesser.post(at, { ...identityProvider("oidc", "idp"), enabled: false });
    const { body } = await lesser.get(`${at}/idp`);
    const greater = await realm.admin();
    await linkTo(iam, realm, "idp", greater.userId);
    const denied = async (answer: Promise<{ status: number; body: { code?: string } }>) =>
      expect([(await answer).status, (await answer).body.code]).toEqual([403, "permissions.escalation"]);
    await denied(lesser.put(`${at}/idp`, { ...body, enabled: true }));
    await denied(lesser.delete(`${at}/idp`));
    await denied(lesser.post(`${at}/idp/mappers`, { name: "a", type: "attribute", claim: "a", attribute: "a" }));
    expect((await lesser.put(`${at}/idp`, { ...body, displayName: "Another name" })).status).toBe(200);
    expect((await lesser.patch(`${at}/idp`, { config: { order: 3 } })).status).toBe(200);
    expect((await greater.put(`${at}/idp`, { ...body, enabled: true })).status).toBe(200);
    expect((await lesser.put(`${at}/idp`, { ...body, enabled: false })).status, "disabling is free").toBe(200);

    await sql`update users set source = 'oidc:idp' where realm_id = ${realm.name} and user_id = ${greater.userId}`.execute(iam.core.db);
    expect((await greater.delete(`${at}/idp`)).status).toBe(204);
    await iam.server.jobs.runDue();
    const links = async () => (await sql`select 1 from identity_links where realm_id = ${realm.name}`.execute(iam.core.db)).rows;
    await expect.poll(links).toEqual([]);
    await denied(lesser.post(at, identityProvider("oidc", "idp")));
    expect((await lesser.post(at, identityProvider("oidc", "another"))).status).toBe(201);
  });

  test("a mapper that writes an attribute by which users are known or let in needs manage-users, and so does letting it count", async () => {
    const realm = await iam.realm();
    const master = realm.asMaster();
    const [lesser, greater] = [await realm.as("manage-identity-providers"), await realm.as("manage-identity-providers", "manage-users")];
    const saml = {
      entityId: "https://sp.example",
      assertionConsumerServiceUrl: "https://sp.example/acs",
      options: { nameIdSource: "badge" },
    };
    expect((await master.post("/saml-clients", saml)).status).toBe(201);
    const claim = { name: "teams", claim: "entitlements", source: "attribute", value: "teams" };
    expect((await master.post("/claims", claim)).status).toBe(201);
    await lesser.post(at, identityProvider("oidc", "idp"));
    const refused = { status: 403, body: { code: "identity_providers.attribute_identifies" } };
    const mapper = { name: "a", type: "attribute", claim: "emp", attribute: "badge" };
    expect(await lesser.post(`${at}/idp/mappers`, mapper)).toMatchObject(refused);
    expect(await lesser.post(`${at}/idp/mappers`, { name: "a", type: "template", template: "{emp}", attribute: "teams" })).toMatchObject(
      refused,
    );
    const free = await lesser.post(`${at}/idp/mappers`, { ...mapper, attribute: "department" });
    expect(free.status, free.text).toBe(201);
    const own = `${at}/idp/mappers/${free.body.mapperId}`;
    expect(await lesser.put(own, { ...free.body, attribute: "badge" })).toMatchObject(refused);
    const saved = await greater.put(own, { ...free.body, attribute: "badge" });
    expect(saved.status, saved.text).toBe(200);
    expect(await lesser.patch(`${at}/idp`, { config: { scopes: ["openid"] } }), "answers of another kind").toMatchObject(refused);
    expect((await lesser.patch(`${at}/idp`, { enabled: false })).status).toBe(200);
    expect(await lesser.patch(`${at}/idp`, { enabled: true })).toMatchObject(refused);
    expect((await greater.patch(`${at}/idp`, { enabled: true })).status).toBe(200);
    expect((await lesser.put(own, { ...saved.body, attribute: "department" })).status, "what it writes no more").toBe(200);
    expect((await lesser.patch(`${at}/idp`, { config: { scopes: ["openid"] } })).status).toBe(200);
  });

  test("a provider that grants a role or group needs that one's permissions, also when its answers are to come from elsewhere", async () => {
    const realm = await iam.realm();
    const master = realm.asMaster();
    const lesser = await realm.as("manage-identity-providers");
    const { groupId } = (await master.post("/groups", { name: "admins" })).body;
    const { roleId, roleName: admin } = (await master.get("/admin-roles")).body[0];
    await master.put(`/groups/${groupId}/roles/${roleId}`);
    for (const config of [{ defaultRoles: [admin] }, { defaultGroups: [groupId] }]) {
      const answer = await lesser.post(at, { ...identityProvider("oidc", "idp"), config: { ...leastConfig.oidc, ...config } });
      expect([answer.status, answer.body.code], answer.text).toEqual([403, "permissions.escalation"]);
    }
    await lesser.post(at, identityProvider("oidc", "idp"));
    for (const mapper of [
      { name: "a", type: "role", claim: "groups", value: "boss", role: admin },
      { name: "a", type: "group", group: groupId },
    ])
      expect((await lesser.post(`${at}/idp/mappers`, mapper)).status).toBe(403);
    const mapper = { name: "a", type: "role", claim: "groups", value: "boss", role: admin };
    expect((await master.post(`${at}/idp/mappers`, mapper)).status).toBe(201);
    const { body } = await lesser.get(`${at}/idp`);
    const moved = { ...body.config, issuer: "https://evil.example", clientSecret: CLIENT_SECRET };
    expect((await lesser.put(`${at}/idp`, { ...body, config: moved })).status, "an answer of one's own would give it").toBe(403);
    expect((await lesser.put(`${at}/idp`, { ...body, displayName: "Free" })).status).toBe(200);
    // Roles that it gave stay with the users of a provider that is deleted.
    expect((await lesser.delete(`${at}/idp`)).body.code).toBe("permissions.escalation");
    await master.post(at, { ...identityProvider("oidc", "giving"), config: { ...leastConfig.oidc, defaultRoles: [admin] } });
    expect((await lesser.delete(`${at}/giving`)).body.code).toBe("permissions.escalation");
    expect((await master.delete(`${at}/giving`)).status).toBe(204);
  });
});
