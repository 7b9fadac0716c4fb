// Makes and opens SAML messages as fast as it can, with the SAML code only: no HTTP, no database.
import { createPrivateKey, createPublicKey, generateKeyPairSync, webcrypto } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { withXmlCrypto } from "./saml-xml-crypto.mjs";
import { serveSlices } from "./slices.mjs";

/** Twice the thread pool, so that a thread never waits for the main one, as in limits.mjs. */
const AT_ONCE = 8;

/** Bundles the SAML code, because no program exports it. @returns {Promise<typeof import("../src/platform/saml/index.ts")>} */
async function loadCore() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-saml-"));
  try {
    const file = join(folder, "core.mjs");
    const made = await rolldown({
      input: fileURLToPath(new URL("../src/platform/saml/index.ts", import.meta.url)),
      platform: "node",
      logLevel: "silent",
    });
    await made.write({ format: "esm", file });
    await made.close();
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const saml = await loadCore();

const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const keys = await webcrypto.subtle.generateKey({ ...rsa, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, true, [
  "sign",
  "verify",
]);
const spki = Buffer.from(await webcrypto.subtle.exportKey("spki", keys.publicKey));
const recipient = { key: generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey };
/** Signs like the realm's own keys. */
const key = {
  algorithm: saml.SIGNATURE_ALGORITHM.RS256,
  // About as long as a certificate of such a key.
  certificate: Buffer.alloc(800, 7).toString("base64"),
  sign: async (/** @type {Uint8Array} */ data) =>
    Buffer.from(await webcrypto.subtle.sign(rsa, keys.privateKey, /** @type {Uint8Array<ArrayBuffer>} */ (data))),
};
const trusted = [{ key: createPublicKey({ key: spki, format: "der", type: "spki" }), certificate: key.certificate }];

const IDP = "https://idp.example.com/realms/example";
const SP = "https://sp.example.com/saml/metadata";
const ACS = "https://sp.example.com/saml/acs";

/** A user with ten attributes, one of them in twenty groups. */
const attributes = Array.from({ length: 10 }, (_, i) => ({
  name: `urn:oid:0.9.2342.19200300.100.1.${i}`,
  values: i === 9 ? Array.from({ length: 20 }, (_, n) => `/company/department-${n}`) : [`value ${i} of O'Neil & <Söhne>`],
}));

function newMessage() {
  const now = Date.now();
  const inResponseTo = "_0123456789abcdef0123456789abcdef01234567";
  return {
    response: { id: saml.newMessageId(), issueInstant: now, issuer: IDP, destination: ACS, inResponseTo },
    assertion: {
      id: saml.newMessageId(),
      issueInstant: now,
      issuer: IDP,
      nameId: { value: "0192f0c4-7b1e-7cc0-8a1e-3f1f2d9b5a10", format: saml.NAME_ID_FORMAT.persistent, spNameQualifier: SP },
      recipient: ACS,
      inResponseTo,
      notBefore: now - 30_000,
      notOnOrAfter: now + 300_000,
      audiences: [SP],
      authnInstant: now,
      sessionIndex: saml.newMessageId(),
      sessionNotOnOrAfter: now + 36_000_000,
      classRef: saml.AUTHN_CONTEXT.passwordProtectedTransport,
      attributes,
    },
  };
}

/** @param {Omit<import("../src/platform/saml/index.ts").Protection, "key">} protection */
async function make(protection) {
  const { response, assertion } = newMessage();
  return saml.postFields(await saml.successResponse(response, assertion, { key, ...protection }));
}

const posted = await make({ signAssertion: true, signResponse: false });
const request = {
  id: saml.newMessageId(),
  issueInstant: Date.now(),
  issuer: SP,
  destination: `${IDP}/saml/idp/sso`,
  assertionConsumerServiceUrl: ACS,
};
const plainRequest = saml.postFields(saml.authnRequestElement(request));
const signedRequest = saml.postFields(await saml.signed(saml.authnRequestElement(request), key));

const pem = {
  privateKey: createPrivateKey({
    key: Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)),
    format: "der",
    type: "pkcs8",
  })
    .export({ type: "pkcs8", format: "pem" })
    .toString(),
  publicKey: createPublicKey({ key: spki, format: "der", type: "spki" }).export({ type: "spki", format: "pem" }).toString(),
};

/** @type {Record<string, () => Promise<unknown>>} */
const work = {
  ...withXmlCrypto(posted, pem),
  "saml-signed": () => make({ signAssertion: true, signResponse: false }),
  "saml-both": () => make({ signAssertion: true, signResponse: true }),
  "saml-encrypted": () => make({ signAssertion: true, signResponse: true, recipient }),
  "saml-open": async () => saml.openResponse(saml.readPost(posted), { keys: trusted }),
  "saml-request": async () => saml.openAuthnRequest(saml.readPost(plainRequest), { keys: trusted, required: false }),
  "saml-signed-request": async () => saml.openAuthnRequest(saml.readPost(signedRequest), { keys: trusted, required: true }),
};

serveSlices(Object.fromEntries(Object.entries(work).map(([row, once]) => [row, { atOnce: AT_ONCE, once }])));
