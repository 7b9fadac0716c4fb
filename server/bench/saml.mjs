// npm run bench -- saml: compares the cost of a SAML message with that of its signatures.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { startAssistant, startServer } from "./processes.mjs";
import { measureRounds } from "./rounds.mjs";
import { Browser } from "./seed.mjs";
import { seedTokens } from "./tokens-data.mjs";

/** @type {import("./rounds.mjs").Row[]} */
const rows = [
  { id: "rsa", title: "RSA-2048 signature" },
  { id: "rsa-twice", title: "two RSA-2048 signatures" },
  { id: "saml-signed", title: "SAML Response, assertion signed", against: "rsa", target: 1.3 },
  { id: "saml-both", title: "SAML Response, assertion signed, then signed", against: "rsa-twice", target: 1.3 },
  { id: "saml-encrypted", title: "SAML Response, assertion signed, encrypted, then signed", against: "rsa-twice", target: 1.4 },
  { id: "saml-open", title: "a signed assertion verified and read" },
  { id: "xml-crypto-signed", title: "xml-crypto: the assertion of that Response signed", against: "saml-signed" },
  { id: "xml-crypto-both", title: "xml-crypto: the assertion signed, then the Response", against: "saml-both" },
  { id: "xml-crypto-open", title: "xml-crypto: a signed assertion verified", against: "saml-open" },
  { id: "saml-request", title: "an unsigned AuthnRequest read" },
  { id: "saml-signed-request", title: "a signed AuthnRequest verified and read" },
  { id: "oidc-live", title: "OIDC in a live session: authorization and code exchange" },
  { id: "saml-live", title: "SAML in a live session: a whole SSO request", against: "oidc-live", target: 1.3 },
  { id: "saml-live-signed", title: "the same, the AuthnRequest signed", against: "saml-live", target: 1.3 },
  { id: "saml-live-hundred", title: "the same, beside 100 SPs of 50 kB each", against: "saml-live", target: 1.1 },
];

/** Makes a certificate of a service provider or a directory, and its key. */
export function makeIdentity() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-sp-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=sp", "-keyout", key, "-out", cert],
      {
        stdio: "ignore",
      },
    );
    return { privateKey: readFileSync(key, "utf8"), certificate: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PLAIN = "https://plain.example/sp";
const SIGNED = "https://signed.example/sp";

/** Creates a realm with service providers and a user who is signed in. @param {string} origin @param {string} realm @param {number} others the number of further ones */
async function seedSaml(origin, realm, others) {
  const { cookie, secretOf } = await seedTokens(origin, { chains: 1, realm });
  const { privateKey, certificate } = makeIdentity();
  const pool = new Pool(origin, { connections: 4 });
  try {
    const master = new Browser(pool);
    await master.signIn("master", "admin");
    const { issuer } = await master.send("GET", `/realms/${realm}/.well-known/openid-configuration`, 200, {});
    const add = (/** @type {string} */ entityId, /** @type {object} */ more) =>
      master.send("POST", `/admin/realms/${realm}/saml-clients`, 201, {
        json: { entityId, assertionConsumerServiceUrl: "https://sp.example/acs", ...more },
      });
    await add(PLAIN, {});
    await add(SIGNED, { signingCertificate: certificate, options: { wantAuthnRequestsSigned: true } });
    // About as much as a large metadata document contains.
    const urls = Array.from({ length: 100 }, (_, n) => `https://sp.example/acs/${n}/${"x".repeat(450)}`);
    for (let n = 0; n < others; n++) await add(`https://sp${n}.example`, { options: { additionalAcsUrls: urls } });
    return { origin, issuer, realm, cookie, webSecret: secretOf.web, plain: PLAIN, signed: SIGNED, privateKey };
  } finally {
    await pool.close();
  }
}

/**
 * @param {object} options
 * @param {() => Promise<{ main: string, dataDir: string, databaseUrl: string, masterKey: string }>} options.newPlace
 * @param {() => number | null} options.dbCpu
 * @param {number} options.connections
 * @param {string | undefined} options.profile
 * @param {number} options.rounds
 * @param {number} options.seconds
 * @param {(text: string) => void} options.progress
 * @param {<T extends { stop: () => Promise<void> }>(program: T) => T} options.untilTheEnd
 */
export async function measureSaml({ newPlace, dbCpu, connections, profile, rounds, seconds, progress, untilTheEnd }) {
  progress("SAML: messages as functions");
  const limits = untilTheEnd(await startAssistant("limits.mjs"));
  const maker = untilTheEnd(await startAssistant("saml-make.mjs"));
  progress("SAML: two realms, one with 100 service providers more");
  // One server answers all rows: a second one, with fewer rows to answer, would be less optimized and look slower.
  const server = untilTheEnd(await startServer({ ...(await newPlace()), profile }));
  const ask = async (/** @type {string} */ realm, /** @type {number} */ others) => {
    const target = { ...(await seedSaml(server.origin, realm, others)), connections };
    return untilTheEnd(await startAssistant("saml-live.mjs", [JSON.stringify(target)])).ask;
  };
  const [alone, beside] = [await ask("alone", 0), await ask("beside", 100)];
  const lanes = rows.map((row) => {
    if (row.id.includes("-live")) {
      const live = row.id.endsWith("hundred") ? beside : alone;
      return { row, build: null, pid: server.pid, slice: (/** @type {number} */ time) => live({ row: row.id, seconds: time }), dbCpu };
    }
    const { pid, ask } = row.id.startsWith("rsa") ? limits : maker;
    return { row, build: null, pid, slice: (/** @type {number} */ time) => ask({ row: row.id, seconds: time }), dbCpu: () => null };
  });
  return measureRounds(lanes, { rounds, seconds, progress });
}
