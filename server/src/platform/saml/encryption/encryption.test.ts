import { constants, createCipheriv, privateDecrypt, publicEncrypt, randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { encrypted } from "../../../testing/eid-messages.ts";
import { envelope, goodAssertion, goodLogoutRequest, REQUEST_ID, rs256, SP } from "../../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../../testing/saml-peers.ts";
import {
  DATA_ENCRYPTION,
  type DataEncryptionAlgorithm,
  type Decryption,
  errorResponse,
  type Fragment,
  logoutRequestElement,
  openLogoutRequest,
  openResponse,
  postFields,
  type Recipient,
  readPost,
  render,
  SamlError,
  STATUS,
  signed,
  successResponse,
  verificationKey,
} from "../index.ts";
import { NS } from "../names.ts";
import { MESSAGE_LIMITS, parseXml } from "../xml/parse.ts";
import { textOf } from "../xml/tree.ts";
import { element } from "../xml/write.ts";
import { decrypted } from "./decrypt.ts";
import { decryptKey, encryptKey, pad, unpad } from "./oaep.ts";

let idp: Identity;
let sp: Identity;
let other: Identity;

beforeAll(async () => {
  [idp, sp, other] = await Promise.all([makeIdentity(), makeIdentity(), makeIdentity()]);
});

const response = () => ({ ...envelope(), inResponseTo: REQUEST_ID });
const make = (recipient: Recipient, { signAssertion = true, signResponse = true } = {}) =>
  successResponse(response(), goodAssertion(), { key: rs256(idp), signAssertion, signResponse, recipient });
const posted = (xml: string) => readPost({ SAMLResponse: Buffer.from(xml).toString("base64") });
const open = async (xml: string, decryption: Decryption = { keys: [sp.privateKey] }) => {
  const { assertion } = await openResponse(posted(xml), { keys: [verificationKey(idp.certificate)], decryption });
  return assertion?.subject?.nameId?.value;
};
const failureOf = async (work: () => Promise<unknown>) => {
  try {
    await work();
    return "accepted";
  } catch (error) {
    if (error instanceof SamlError) return { reason: error.reason, message: error.message };
    throw error;
  }
};

describe("key transport", () => {
  const hashes = ["sha1", "sha256", "sha384", "sha512"] as const;
  const pairs = hashes.flatMap((digest) => hashes.map((mask) => [digest, mask] as const));

  test.each(pairs)("RSA-OAEP 1.1 with %s, masked by %s", async (digest, mask) => {
    const recipient = { key: sp.publicKey, keyTransport: { algorithm: "oaep", digest, mask } } as const;
    expect(await open(render(await make(recipient)))).toBe("not-an-admin@example.com");
  });

  test.each(hashes)("rsa-oaep-mgf1p with %s, masked by SHA-1 as it always is", async (digest) => {
    const recipient = { key: sp.publicKey, keyTransport: { algorithm: "mgf1p", digest } } as const;
    expect(await open(render(await make(recipient)))).toBe("not-an-admin@example.com");
  });

  test.each(hashes)("OpenSSL reads our own OAEP padding with %s, and we read its", async (hash) => {
    const secret = randomBytes(32);
    const raw = { padding: constants.RSA_NO_PADDING };
    const ours = publicEncrypt({ key: sp.publicKey, ...raw }, pad(secret, 256, hash, hash));
    const both = { digest: hash, mask: hash };
    expect(await decryptKey(ours, sp.privateKey, both)).toEqual(secret);
    expect(unpad(privateDecrypt({ key: sp.privateKey, ...raw }, encryptKey(secret, sp.publicKey, both)), hash, hash)).toEqual(secret);
  });

  test("refuses a padding with a first byte that is not zero, or with any other one changed", () => {
    const padded = pad(Buffer.alloc(32, 7), 256, "sha256", "sha1");
    expect(unpad(padded, "sha256", "sha1")).toEqual(Buffer.alloc(32, 7));
    for (const at of [0, 1, 40, 100]) {
      const changed = Buffer.from(padded);
      changed[at]! ^= 1;
      expect(() => unpad(changed, "sha256", "sha1")).toThrow("oaep decoding error");
    }
  });

  test("refuses a wrong key and a wrong hash by the same error", async () => {
    const encrypted = encryptKey(randomBytes(32), sp.publicKey, { digest: "sha256", mask: "sha1" });
    await expect(decryptKey(encrypted, other.privateKey, { digest: "sha256", mask: "sha1" })).rejects.toThrow();
    for (const digest of ["sha384", "sha512"] as const)
      await expect(decryptKey(encrypted, sp.privateKey, { digest, mask: "sha1" })).rejects.toThrow("oaep decoding error");
  });
});

describe("key agreement", () => {
  const nameId = `<saml:NameID xmlns:saml="${NS.saml}">12345678</saml:NameID>`;
  const holderOf = (xml: string) => parseXml(Buffer.from(xml), MESSAGE_LIMITS);
  const read = async (xml: string, { privateKey }: Identity) =>
    textOf(await decrypted(holderOf(xml), "NameID", { keys: [privateKey] }, false));

  test.each(["P-256", "P-384", "P-521"] as const)("ECDH-ES on %s, with ConcatKDF and AES key wrap, made by other code", async (curve) => {
    const [ours, another] = [await makeIdentity(curve), await makeIdentity(curve)];
    const xml = encrypted("EncryptedID", nameId, [{ key: ours.publicKey }]);
    expect(await read(xml, ours)).toBe("12345678");
    for (const key of [another, sp]) expect(await failureOf(() => read(xml, key))).toMatchObject({ reason: "decryption" });
  });

  const point = /(?<=<dsig11:PublicKey>)[^<]*/;
  const rows: [what: string, reason: string, forge: (xml: string) => string][] = [
    ["a point that is not on the curve", "decryption", (xml) => xml.replace(point, () => Buffer.alloc(65, 4).toString("base64"))],
    ["a point at infinity", "decryption", (xml) => xml.replace(point, "AA==")],
    ["a compressed point", "decryption", (xml) => xml.replace(point, () => Buffer.alloc(33, 2).toString("base64"))],
    ["another party in the derivation", "decryption", (xml) => xml.replace('PartyUInfo="00', 'PartyUInfo="0000')],
    ["another curve", "decryption", (xml) => xml.replace("1.2.840.10045.3.1.7", "1.3.132.0.34")],
    ["another wrap", "decryption", (xml) => xml.replace("kw-aes128", "kw-aes256")],
    ["an unknown curve", "encryption_algorithm", (xml) => xml.replace("1.2.840.10045.3.1.7", "1.3.132.0.10")],
    ["SHA-1 in the derivation", "encryption_algorithm", (xml) => xml.replace(`${NS.xenc}sha256`, `${NS.ds}sha1`)],
    ["PBKDF2", "encryption_algorithm", (xml) => xml.replace("#ConcatKDF", "#pbkdf2")],
    ["DH-ES", "encryption_algorithm", (xml) => xml.replace("#ECDH-ES", "#dh-es")],
    ["a wrap by Triple DES", "encryption_algorithm", (xml) => xml.replace("kw-aes128", "kw-tripledes")],
    ["half an octet in the derivation", "message", (xml) => xml.replace('PartyUInfo="00', 'PartyUInfo="04')],
    ["no sender", "message", (xml) => xml.replace(/<xenc:OriginatorKeyInfo.*<.xenc:OriginatorKeyInfo>/s, "")],
    ["no agreement", "message", (xml) => xml.replace(/<xenc:AgreementMethod.*<.xenc:AgreementMethod>/s, "")],
  ];
  test("refuses what is not exactly that", async () => {
    const ours = await makeIdentity("P-256");
    const xml = encrypted("EncryptedID", nameId, [{ key: ours.publicKey }]);
    for (const [what, reason, forge] of rows) {
      expect(forge(xml), what).not.toBe(xml);
      expect([what, await failureOf(() => read(forge(xml), ours))]).toMatchObject([what, { reason }]);
    }
  });
});

describe("an encrypted assertion", () => {
  const gcm = () => make({ key: sp.publicKey, entityId: SP }, { signResponse: false });

  test("is decrypted by any of our keys, for us, and verified", async () => {
    const xml = render(await gcm());
    expect(await open(xml, { keys: [other.privateKey, sp.privateKey], recipient: SP })).toBe("not-an-admin@example.com");
  });

  test("is refused when it is unsigned, inside and outside", async () => {
    const xml = render(await make({ key: sp.publicKey }, { signAssertion: false, signResponse: false }));
    expect(await failureOf(() => open(xml))).toMatchObject({ reason: "unsigned" });
    expect(await open(render(await make({ key: sp.publicKey }, { signAssertion: false })))).toBe("not-an-admin@example.com");
  });

  const lastCipherValue = /<xenc:CipherValue>([^<]+)<\/xenc:CipherValue>(?!.*<xenc:CipherValue>)/s;
  const firstCipherValue = /<xenc:CipherValue>([^<]+)<\/xenc:CipherValue>/;
  const changed = (xml: string, which: RegExp, change: (bytes: Buffer) => Buffer) =>
    xml.replace(which, (_, value) => `<xenc:CipherValue>${change(Buffer.from(value, "base64")).toString("base64")}</xenc:CipherValue>`);
  const flipped = (at: number) => (bytes: Buffer) => {
    bytes[at < 0 ? bytes.length + at : at]! ^= 1;
    return bytes;
  };

  const uniform: [what: string, forge: (xml: string) => string, decryption?: () => Decryption][] = [
    ["another key", (xml) => xml, () => ({ keys: [other.privateKey] })],
    ["another recipient", (xml) => xml, () => ({ keys: [sp.privateKey], recipient: "https://other.example" })],
    ["a changed IV", (xml) => changed(xml, lastCipherValue, flipped(0))],
    ["changed data", (xml) => changed(xml, lastCipherValue, flipped(100))],
    ["a changed tag", (xml) => changed(xml, lastCipherValue, flipped(-1))],
    ["a shorter tag", (xml) => changed(xml, lastCipherValue, (bytes) => bytes.subarray(0, -4))],
    ["hardly any data", (xml) => changed(xml, lastCipherValue, (bytes) => bytes.subarray(0, 20))],
    ["a changed key", (xml) => changed(xml, firstCipherValue, flipped(10))],
    ["a shorter key", (xml) => changed(xml, firstCipherValue, (bytes) => bytes.subarray(0, 100))],
    ["a key for a smaller cipher", (xml) => xml.replace(DATA_ENCRYPTION.aes256gcm, DATA_ENCRYPTION.aes128gcm)],
    ["no key at all", (xml) => xml.replace(/<xenc:EncryptedKey.*<\/xenc:EncryptedKey>/s, "")],
  ];
  test.each(uniform)("with %s is refused, and by one answer", async (_, forge, decryption) => {
    const xml = forge(render(await gcm()));
    const expected = { reason: "decryption", message: "The message cannot be decrypted" };
    expect(await failureOf(() => open(xml, decryption?.() ?? { keys: [sp.privateKey] }))).toEqual(expected);
  });

  const named: [what: string, reason: string, forge: (xml: string) => string][] = [
    ["RSA PKCS#1 1.5", "encryption_algorithm", (xml) => xml.replace(`${NS.xenc}rsa-oaep-mgf1p`, `${NS.xenc}rsa-1_5`)],
    ["Triple DES", "encryption_algorithm", (xml) => xml.replace(DATA_ENCRYPTION.aes256gcm, `${NS.xenc}tripledes-cbc`)],
    ["CBC", "encryption_algorithm", (xml) => xml.replace(DATA_ENCRYPTION.aes256gcm, DATA_ENCRYPTION.aes256cbc)],
    ["an algorithm called toString", "encryption_algorithm", (xml) => xml.replace(DATA_ENCRYPTION.aes256gcm, "toString")],
    ["MD5 in OAEP", "encryption_algorithm", (xml) => xml.replace(`${NS.ds}sha1"`, 'http://www.w3.org/2001/04/xmldsig-more#md5"')],
    [
      "a CipherReference",
      "message",
      (xml) => xml.replace(lastCipherValue, '<xenc:CipherReference URI="https://evil.example/"></xenc:CipherReference>'),
    ],
    ["content instead of an element", "message", (xml) => xml.replace(`${NS.xenc}Element`, `${NS.xenc}Content`)],
    [
      "an OAEP label",
      "encryption_algorithm",
      (xml) => xml.replace("<ds:DigestMethod", "<xenc:OAEPparams>AAAA</xenc:OAEPparams><ds:DigestMethod"),
    ],
    ["a hundred keys", "message", (xml) => xml.replace(/<xenc:EncryptedKey.*<\/xenc:EncryptedKey>/s, (key) => key.repeat(100))],
  ];
  test.each(named)("with %s is refused before anything is decrypted", async (_, reason, forge) => {
    const xml = render(await gcm());
    expect(forge(xml)).not.toBe(xml);
    expect(await failureOf(() => open(forge(xml)))).toMatchObject({ reason });
  });

  test("by CBC is accepted only where it is allowed and under a signature, and fails by one answer", async () => {
    const recipient = { key: sp.publicKey, algorithm: DATA_ENCRYPTION.aes256cbc };
    const allowed = { keys: [sp.privateKey], allowCbc: true };
    const under = render(await make(recipient));
    expect(await open(under, allowed)).toBe("not-an-admin@example.com");
    expect(await failureOf(() => open(under))).toMatchObject({ reason: "encryption_algorithm" });
    const alone = render(await make(recipient, { signResponse: false }));
    expect(await failureOf(() => open(alone, allowed))).toMatchObject({ reason: "encryption_algorithm" });
    expect(await failureOf(() => open(under, { ...allowed, keys: [other.privateKey] }))).toEqual({
      reason: "decryption",
      message: "The message cannot be decrypted",
    });
  });

  test("by another cipher than the provider may use is refused, before anything is decrypted", async () => {
    const xml = render(await gcm());
    const only = (...ciphers: DataEncryptionAlgorithm[]) => ({ keys: [sp.privateKey], ciphers });
    expect(await open(xml, only(DATA_ENCRYPTION.aes256gcm))).toBe("not-an-admin@example.com");
    expect(await failureOf(() => open(xml, only(DATA_ENCRYPTION.aes128gcm)))).toMatchObject({ reason: "encryption_algorithm" });
  });

  test("without a key of ours is refused", async () => {
    expect(await failureOf(async () => open(render(await gcm()), { keys: [] }))).toMatchObject({ reason: "decryption" });
  });
});

/** As eHerkenning does it: CBC, the keys beside the data, one for each recipient. */
function encryptedForSeveral(local: string, xml: string, recipients: { key: Identity; entityId: string }[]): Fragment {
  const secret = randomBytes(32);
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", secret, iv);
  const data = Buffer.concat([iv, cipher.update(xml), cipher.final()]);
  const value = (bytes: Buffer) => element("xenc:CipherData", {}, element("xenc:CipherValue", {}, bytes.toString("base64")));
  const wrap = ({ publicKey }: Identity) =>
    publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" }, secret);
  return element(
    `saml:${local}`,
    {},
    element(
      "xenc:EncryptedData",
      { Id: "_data" },
      element("xenc:EncryptionMethod", { Algorithm: DATA_ENCRYPTION.aes256cbc }),
      element("ds:KeyInfo", {}, ...recipients.map((_, i) => element("ds:RetrievalMethod", { URI: `#_key${i}` }))),
      value(data),
    ),
    ...recipients.map(({ key, entityId }, i) =>
      element(
        "xenc:EncryptedKey",
        { Id: `_key${i}`, Recipient: entityId },
        element("xenc:EncryptionMethod", { Algorithm: `${NS.xenc}rsa-oaep-mgf1p` }),
        value(wrap(key)),
      ),
    ),
  );
}

describe("EncryptedID", () => {
  const nameId = `<saml:NameID xmlns:saml="${NS.saml}" NameQualifier="urn:q">12345678</saml:NameID>`;
  const trust = (decryption: Decryption) => ({ keys: [verificationKey(idp.certificate)], required: true, decryption });
  const logout = async (fragment: Fragment, decryption: Decryption) =>
    (await openLogoutRequest(readPost(postFields(fragment)), trust(decryption))).message.nameId;

  test("is written and read", async () => {
    const message = await signed(logoutRequestElement({ ...goodLogoutRequest(), recipient: { key: sp.publicKey } }), rs256(idp));
    expect(await logout(message, { keys: [sp.privateKey] })).toMatchObject({ value: "not-an-admin@example.com" });
    expect(await failureOf(() => logout(message, { keys: [other.privateKey] }))).toMatchObject({ reason: "decryption" });
  });

  const several = async (xml: string) => {
    const plain = logoutRequestElement(goodLogoutRequest());
    const holder = encryptedForSeveral("EncryptedID", xml, [
      { key: other, entityId: "urn:other" },
      { key: sp, entityId: "urn:us" },
    ]);
    return signed({ ...plain, children: plain.children.with(1, holder) }, rs256(idp));
  };

  test("is read by the recipient's key among several", async () => {
    const decryption = { keys: [sp.privateKey], recipient: "urn:us", allowCbc: true };
    expect(await logout(await several(nameId), decryption)).toMatchObject({ value: "12345678", nameQualifier: "urn:q" });
    expect(await failureOf(async () => logout(await several(nameId), { ...decryption, recipient: "urn:x" }))).toMatchObject({
      reason: "decryption",
    });
    expect(await failureOf(async () => logout(await several(nameId), { ...decryption, allowCbc: false }))).toMatchObject({
      reason: "encryption_algorithm",
    });
  });

  test.each([
    ["something else", `<saml:Issuer xmlns:saml="${NS.saml}">x</saml:Issuer>`],
    ["no XML", "12345678"],
    ["a comment in a NameID", nameId.replace("1234", "1234<!-- -->")],
    ["a document type", `<!DOCTYPE x>${nameId}`],
  ])("is refused when it holds %s, by the same answer", async (_, inside) => {
    const decryption = { keys: [sp.privateKey], recipient: "urn:us", allowCbc: true };
    expect(await failureOf(async () => logout(await several(inside), decryption))).toEqual({
      reason: "decryption",
      message: "The message cannot be decrypted",
    });
  });

  test("beside a NameID is refused", async () => {
    const plain = logoutRequestElement({ ...goodLogoutRequest(), recipient: { key: sp.publicKey } });
    const both = { ...plain, children: [...plain.children, element("saml:NameID", {}, "x")] };
    expect(await failureOf(async () => logout(await signed(both, rs256(idp)), { keys: [sp.privateKey] }))).toMatchObject({
      reason: "message",
    });
  });
});

test("an encrypted assertion beside a plain one is refused", async () => {
  const xml = render(await make({ key: sp.publicKey }, { signResponse: false }));
  const plain = /<saml:Assertion .*<\/saml:Assertion>/s.exec(
    render(await successResponse(response(), goodAssertion(), { key: rs256(idp), signAssertion: true, signResponse: false })),
  )![0];
  expect(await failureOf(() => open(xml.replace("</samlp:Response>", `${plain}</samlp:Response>`)))).toMatchObject({
    reason: "assertion_count",
  });
  const error = render(errorResponse(response(), { code: STATUS.responder }));
  expect(await failureOf(() => open(error.replace("</samlp:Response>", `${plain}</samlp:Response>`)))).toMatchObject({ reason: "status" });
});
