import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { CERTIFICATES, identityProvider, leastConfig, pem } from "../../testing/identity-providers.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";

let iam: SharedHarness;
let [weak, other, over]: Identity[] = [];
beforeAll(async () => {
  [iam, weak, other, over] = await Promise.all([
    sharedHarness(),
    makeIdentity("rsa", 1024),
    makeIdentity("P-256"),
    makeIdentity("P-256", 0, "2021-01-01"),
  ]);
});
afterAll(() => iam?.close());

const at = "/identity-providers";
const privatePem = ({ privateKey }: Identity) => privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const LOA3 = "urn:etoegang:core:assurance-class:loa3";

test("the answer to a create shows endpoints, entities, level and subject; GET shows all but private keys, and is a valid PUT", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-identity-providers");
  const acs = `${iam.config.baseUrl}/realms/${realm.name}/broker/eherkenning/endpoint`;
  const config: Record<string, unknown> = {
    ...leastConfig.eherkenning,
    spEntityId: "urn:etoegang:DV:1:entities:1",
    assertionConsumerServiceUrl: acs,
  };
  const created = await admin.post(at, { ...identityProvider("eherkenning"), config: { ...config, authnRequestBinding: "HTTP-POST" } });
  expect(created.body.config, created.text).toEqual({
    ...{ ssoUrl: config.ssoUrl, assertionConsumerServiceUrl: acs, idpEntityId: config.idpEntityId, spEntityId: config.spEntityId },
    ...{ minimumLoa: LOA3, subjectAttribute: "urn:etoegang:core:LegalSubjectID" },
  });
  const { body, text } = await admin.get(`${at}/eherkenning`);
  expect(body.config).toMatchObject({
    ...{ idpSigningCertificate: CERTIFICATES[0], spSigningCertificate: config.spSigningCertificate, spSigningPrivateKeySet: true },
    // Bindings by any of their names; a broker with one address resolves artifacts there.
    ...{ spDecryptionPrivateKeySet: true, authnRequestBinding: "post", responseBinding: "artifact", artifactResolutionUrl: config.ssoUrl },
    ...{ representation: false, representationAttributes: [], attributeConsumingServiceIndex: 1 },
  });
  expect(text).not.toContain("PRIVATE KEY");
  const saved = await admin.put(`${at}/eherkenning`, body);
  expect([saved.status, saved.body], saved.text).toEqual([200, body]);

  const eidas = await admin.post(at, identityProvider("eidas"));
  expect(eidas.body.config).toEqual({
    ...{ ssoUrl: config.ssoUrl, idpEntityId: config.idpEntityId, minimumLoa: "substantial" },
    subjectAttribute: "http://eidas.europa.eu/attributes/naturalperson/PersonIdentifier",
  });
  const binding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
  expect((await admin.patch(`${at}/eidas`, { config: { authnRequestBinding: binding } })).body.config.authnRequestBinding).toBe("redirect");
});

test("names what is wrong with it, and saves nothing", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-identity-providers");
  const wrong: ["eherkenning" | "eidas", Record<string, unknown>, string][] = [
    ["eherkenning", { ssoUrl: undefined }, "ssoUrl"],
    ["eherkenning", { idpEntityId: undefined }, "idpEntityId"],
    ["eherkenning", { idpSigningCertificate: undefined }, "idpSigningCertificate"],
    ["eherkenning", { idpSigningCertificate: "no certificate" }, "idpSigningCertificate"],
    ["eherkenning", { ssoUrl: "https://10.0.0.7/sso", artifactResolutionUrl: "https://login.example.com/" }, "ssoUrl"],
    ["eherkenning", { artifactResolutionUrl: "https://169.254.169.254/" }, "artifactResolutionUrl"],
    ["eherkenning", { assertionConsumerServiceUrl: "https://evil.example/acs" }, "assertionConsumerServiceUrl"],
    ["eherkenning", { minimumLoa: "loa3" }, "minimumLoa"],
    ["eherkenning", { minimumLoa: "urn:etoegang:core:assurance-class:loa1" }, "minimumLoa"],
    ["eherkenning", { minimumLoa: "substantial" }, "minimumLoa"],
    ["eherkenning", { serviceId: "urn:etoegang:HM:1:services:1" }, "serviceId"],
    ["eherkenning", { serviceUuid: "9113" }, "serviceUuid"],
    ["eherkenning", { attributeConsumingServiceIndex: 65_536 }, "attributeConsumingServiceIndex"],
    ["eherkenning", { representation: true }, "representationAttributes"],
    ["eherkenning", { authnRequestBinding: "artifact" }, "authnRequestBinding"],
    ["eherkenning", { responseBinding: "redirect" }, "responseBinding"],
    ["eherkenning", { spSigningPrivateKey: undefined, spSigningCertificate: undefined }, "spSigningPrivateKey"],
    ["eherkenning", { spSigningPrivateKey: pem("rsa") }, "spSigningCertificate"],
    ["eherkenning", { spSigningPrivateKey: privatePem(weak!), spSigningCertificate: weak!.pem }, "spSigningCertificate"],
    ["eherkenning", { spSigningPrivateKey: privatePem(other!), spSigningCertificate: other!.pem }, "spSigningPrivateKey"],
    ["eherkenning", { spDecryptionPrivateKey: undefined }, "spDecryptionPrivateKey"],
    ["eherkenning", { allowNonNotified: true }, "allowNonNotified"],
    ["eidas", { minimumLoa: LOA3 }, "minimumLoa"],
    ["eidas", { subjectAttribute: "DateOfBirth" }, "subjectAttribute"],
    ["eidas", { spType: "both" }, "spType"],
    ["eherkenning", { spDecryptionPrivateKey: privatePem(other!) }, "spDecryptionPrivateKey"],
    ["eidas", { spDecryptionPrivateKey: undefined }, "spDecryptionPrivateKey"],
    ["eidas", { requestedAttributes: ["a b"] }, "requestedAttributes.0"],
    ["eidas", { serviceId: "urn:etoegang:DV:1:services:1" }, "serviceId"],
  ];
  for (const [protocol, change, member] of wrong) {
    const answer = await admin.post(at, { ...identityProvider(protocol), config: { ...leastConfig[protocol], ...change } });
    const fields = answer.body.errors?.map(({ field }: { field: string }) => field);
    expect([change, answer.status, fields?.includes(`config.${member}`)], answer.text).toEqual([change, 400, true]);
  }
  expect((await admin.get(at)).body).toEqual([]);
});

test("a certificate that has expired is refused, but not where the provider is disabled", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-identity-providers");
  const keys = { spSigningPrivateKey: privatePem(over!), spSigningCertificate: over!.pem };
  const body = { ...identityProvider("eidas"), config: { ...leastConfig.eidas, ...keys, idpSigningCertificate: [over!.pem, over!.pem] } };
  const refused = await admin.post(at, body);
  expect([refused.status, refused.body.errors?.map(({ field }: { field: string }) => field)], refused.text).toEqual([
    400,
    ["config.idpSigningCertificate", "config.spSigningCertificate"],
  ]);
  expect((await admin.post(at, { ...body, enabled: false })).status).toBe(201);
  // One of theirs that is over beside a good one is a change of keys.
  const changing = { ...leastConfig.eidas, idpSigningCertificate: [over!.pem, CERTIFICATES[0]] };
  expect((await admin.put(`${at}/eidas`, { ...body, enabled: true, config: changing })).status).toBe(200);
});
