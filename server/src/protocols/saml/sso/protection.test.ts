import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { xmlsecPath } from "../../../../test/peers/index.mjs";
import { clock } from "../../../kernel/clock.ts";
import { DATA_ENCRYPTION, KEY_TRANSPORT, verificationKey } from "../../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { submit, walk } from "../../../testing/relying-party.ts";
import { haveSchemas, type Identity, makeIdentity, schemaComplaints, xmlsecDecrypted } from "../../../testing/saml-peers.ts";
import { serviceProvider, xmlIn } from "../../../testing/service-provider.ts";

let iam: SharedHarness;
let identity: Identity;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
  identity = await makeIdentity();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const signaturesIn = (xml: string) => [...xml.matchAll(/<ds:Signature /g)].length;

describe("signed parts", () => {
  test.each([
    [{ signAssertion: true, signResponse: true }, 2],
    [{ signAssertion: true, signResponse: false }, 1],
    [{ signAssertion: false, signResponse: true }, 1],
  ])("as the options say: %j", async (options, count) => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm, { options });
    const { page, sent } = await sp.signIn(iam.browser(), await realm.user());
    await sp.accept(page, sent.id);
    const { responseSigned, assertionSigned } = await sp.open(page);
    expect({ signResponse: responseSigned, signAssertion: assertionSigned }).toEqual(options);
    expect(signaturesIn(xmlIn(page))).toBe(count);
  });
});

describe("encrypted parts", () => {
  test.each([
    [null, null, DATA_ENCRYPTION.aes256gcm],
    [DATA_ENCRYPTION.aes128gcm, KEY_TRANSPORT.oaep, DATA_ENCRYPTION.aes128gcm],
    [DATA_ENCRYPTION.aes256cbc, KEY_TRANSPORT.mgf1p, DATA_ENCRYPTION.aes256cbc],
  ])("for the service provider's certificate, by %s and %s", async (encryptionAlgorithm, keyTransportAlgorithm, used) => {
    const realm = await iam.realm();
    const options = { encryptAssertion: true, encryptionCertificate: identity.pem, encryptionAlgorithm, keyTransportAlgorithm };
    const sp = await serviceProvider(iam, realm, { options });
    const user = await realm.user();
    const { page, sent } = await sp.signIn(iam.browser(), user);
    const xml = xmlIn(page);
    expect(xml).toContain(used);
    expect(xml).not.toContain(user.username);
    await sp.accept(page, sent.id, { keys: [identity.privateKey], allowCbc: true });
    if (haveSchemas()) expect(schemaComplaints(xml)).toBeNull();
    if (xmlsecPath() && keyTransportAlgorithm !== KEY_TRANSPORT.oaep)
      expect(xmlsecDecrypted(xml, identity).output).toContain(user.username);
  });

  test("nothing is sent unencrypted where the realm requires encryption and the service provider has no certificate", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    await realm.asMaster().patch("/settings", { saml: { encryptAssertion: true } });
    const { page } = await sp.signIn(iam.browser(), await realm.user());
    expect([page.status, page.text.includes("SAMLResponse")]).toEqual([400, false]);
    expect((await realm.events("type=SAML_LOGIN"))[0]).toMatchObject({ detail: expect.stringMatching(/^encryption_certificate/) });
  });
});

test("a key that is rotated while the user signs in signs the answer", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm);
  const user = await realm.user();
  const browser = iam.browser();
  const old = await sp.keysOfRealm();
  const sent = await sp.request();
  const { page } = await walk(browser, iam.config.baseUrl, sent.url);
  await realm.asMaster().post("/keys/rotate");
  const done = await submit(browser, iam.config.baseUrl, page, { username: user.username, password: user.password });
  await sp.accept(done.page, sent.id);
  const [active] = (await realm.asMaster().get("/keys")).body as { certificate: string }[];
  expect(verificationKey(active!.certificate).certificate).not.toBe(old[0]!.certificate);
  expect(xmlIn(done.page)).toContain(active!.certificate);
});
