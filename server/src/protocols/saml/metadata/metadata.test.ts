import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { xmlsecPath } from "../../../../test/peers/index.mjs";
import { clock, DAY } from "../../../kernel/clock.ts";
import { BINDING, NAME_ID_FORMAT, readMetadata, verificationKey } from "../../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { haveSchemas, type Identity, schemaComplaints, xmlsecVerifies } from "../../../testing/saml-peers.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const pathOf = ({ name }: RealmUnderTest) => `/realms/${name}/saml/idp/metadata`;
const pem = (der: string) => `-----BEGIN CERTIFICATE-----\n${der.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;
const certificatesOf = async (realm: RealmUnderTest) =>
  ((await realm.asMaster().get("/keys")).body as { certificate: string }[]).map(({ certificate }) => certificate);
const read = async (realm: RealmUnderTest, known?: string) => {
  const { text } = await iam.browser().get(pathOf(realm));
  const active = known ?? (await certificatesOf(realm))[0];
  return readMetadata(Buffer.from(text), { now: clock.now(), keys: [verificationKey(active!)] });
};

test("the metadata of a realm is signed by its key and lists all endpoints", async () => {
  const realm = await iam.realm();
  const { idp, entityId } = await read(realm);
  const at = `${iam.config.baseUrl}/realms/${realm.name}`;
  expect(entityId).toBe(at);
  expect(idp).toMatchObject({
    signingCertificates: await certificatesOf(realm),
    wantAuthnRequestsSigned: false,
    nameIdFormats: [NAME_ID_FORMAT.persistent, NAME_ID_FORMAT.transient, NAME_ID_FORMAT.email, NAME_ID_FORMAT.unspecified],
    singleSignOnServices: [
      { binding: BINDING.redirect, location: `${at}/saml/idp/sso` },
      { binding: BINDING.post, location: `${at}/saml/idp/sso` },
    ],
    artifactResolutionServices: [{ binding: BINDING.soap, location: `${at}/saml/idp/artifact`, index: 0 }],
  });
});

test("it is the same under both addresses, cached, and 304 for those who have it", async () => {
  const realm = await iam.realm();
  const browser = iam.browser();
  const [one, two] = [await browser.get(pathOf(realm)), await browser.get(`/${realm.name}/saml/idp/metadata`)];
  expect(one).toMatchObject({
    status: 200,
    headers: { "content-type": "application/samlmetadata+xml", "cache-control": "public, max-age=60", etag: expect.any(String) },
  });
  expect(two.text).toBe(one.text);
  const again = await browser.get(pathOf(realm), { headers: { "if-none-match": String(one.headers.etag) } });
  expect([again.status, again.text]).toEqual([304, ""]);
  for (const path of ["/realms/no-such-realm/saml/idp/metadata", "/no-such-realm/saml/idp/metadata"])
    expect((await browser.get(path)).status).toBe(404);
});

test("rotation changes the certificate at the same moment; the one before stays until its key is deleted", async () => {
  const realm = await iam.realm();
  const [old] = await certificatesOf(realm);
  await read(realm);
  await realm.asMaster().post("/keys/rotate");
  const certificates = await certificatesOf(realm);
  expect(certificates).toEqual([expect.not.stringContaining(old!), old]);
  expect((await read(realm)).idp?.signingCertificates).toEqual(certificates);
  const [, { keyId }] = (await realm.asMaster().get("/keys")).body;
  await realm.asMaster().delete(`/keys/${keyId}`);
  expect((await read(realm)).idp?.signingCertificates).toEqual(certificates.slice(0, 1));
});

test("its expiry moves every day", async () => {
  const realm = await iam.realm();
  const [certificate] = await certificatesOf(realm);
  const [first, same] = [(await read(realm)).validUntil, (await read(realm)).validUntil];
  clock.advance(DAY);
  expect([same, (await read(realm, certificate)).validUntil]).toEqual([first, first! + DAY]);
});

test.skipIf(!xmlsecPath() || !haveSchemas())(
  "xmlsec1 verifies it and the schemas accept it, also with a name beyond ASCII, and with characters that XML escapes",
  async () => {
    const realm = await iam.realm();
    const { body, headers } = await realm.asMaster().get("/settings");
    const changed = await realm
      .asMaster()
      .put("/settings", { ...body, displayName: "Zoë & <€> 😀" }, { headers: { "if-match": String(headers.etag) } });
    expect(changed.status, changed.text).toBe(200);
    const { text } = await iam.browser().get(pathOf(realm));
    expect((await read(realm)).idp?.displayName).toBe("Zoë & <€> 😀");
    expect(schemaComplaints(text)).toBeNull();
    expect(xmlsecVerifies(text, { pem: pem((await certificatesOf(realm))[0]!) } as Identity)).toMatchObject({ ok: true });
  },
);
