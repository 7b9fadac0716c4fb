// Service providers that others made, as they are, against the whole server; their configuration is that of docs/saml-recipes.md.
import { X509Certificate } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { haveSchemas, schemaComplaints } from "../../src/testing/saml-peers.ts";
import { apacheWithMellon, apacheWithShibboleth, pysaml2Python, simpleSamlPhp } from "../peers/index.mjs";
import { expectAccessible, noBrowser, personIn, sharedBrowser, takePicture } from "./browser.ts";
import { type ServerProcess, sharedServer } from "./process.ts";
import { startMellon } from "./saml/mellon.ts";
import { startNodeSaml } from "./saml/node-saml.ts";
import type { Peer } from "./saml/peer.ts";
import { startPysaml2 } from "./saml/pysaml2.ts";
import { startSamlify } from "./saml/samlify.ts";
import { startShibboleth } from "./saml/shibboleth.ts";
import { startSimpleSamlPhp } from "./saml/simplesamlphp.ts";
import { formOf, type Page, WebBrowser } from "./saml/web-browser.ts";
import { must, type Visitor } from "./visitor.ts";

const inCI = Boolean(process.env.CI) && process.env.CI !== "false";
const ADA = { username: "ada", password: "a password for service providers", email: "ada@example.com" };
const REALM = "/admin/realms/acme";

interface Kind {
  readonly start: (issuer: string) => Promise<Peer>;
  /** Without it the tests are skipped, except in CI, where they fail. */
  readonly isHere: boolean;
}

const kinds: Record<string, Kind> = {
  "Shibboleth SP": { start: startShibboleth, isHere: apacheWithShibboleth() !== undefined },
  SimpleSAMLphp: { start: startSimpleSamlPhp, isHere: simpleSamlPhp() !== undefined },
  mod_auth_mellon: { start: startMellon, isHere: apacheWithMellon() !== undefined },
  pysaml2: { start: startPysaml2, isHere: pysaml2Python() !== undefined },
  "node-saml": { start: startNodeSaml, isHere: true },
  samlify: { start: startSamlify, isHere: true },
};
const names = Object.keys(kinds).filter((name) => kinds[name]!.isHere || inCI);

let server: ServerProcess;
let admin: Visitor;
let issuer: string;
const peers = new Map<string, Peer>();

const clientPath = (entityId: string) => `${REALM}/saml-clients/${encodeURIComponent(entityId)}`;
const setOptions = async (entityId: string, options: object) => must(await admin.patch(clientPath(entityId), { options }), 200);

beforeAll(async () => {
  server = await sharedServer();
  issuer = `http://localhost:${server.port}/realms/acme`;
  admin = await server.admin();
  must(await admin.post("/admin/realms", { realm: "acme" }), 201);
  // samlify requires the identity provider to declare that it wants signed requests.
  must(await admin.put(`${REALM}/settings`, { saml: { wantAuthnRequestsSigned: true } }), 200);
  const { username, email, password } = ADA;
  const attributes = { firstName: ["Ada"], lastName: ["Lovelace"] };
  const { userId } = must(await admin.post(`${REALM}/users`, { username, email, emailVerified: true, attributes }), 201);
  must(await admin.put(`${REALM}/users/${userId}/password`, { newPassword: password }), 204);
  const started = await Promise.all(names.map((name) => kinds[name]!.start(issuer)));
  for (const [at, peer] of started.entries()) {
    peers.set(names[at]!, peer);
    for (const { entityId, metadata } of [peer, ...(peer.byArtifact ? [peer.byArtifact] : [])]) {
      const headers = { "content-type": "application/samlmetadata+xml" };
      const known = await admin.get(clientPath(entityId));
      if (known.status === 404) {
        const made = await admin.request("POST", `${REALM}/saml-clients/import`, { text: metadata, headers });
        if (made.status >= 300) throw new Error(`${peer.name}: ${made.status} ${made.text}\n${metadata}`);
      }
    }
  }
});

/** The errors, as either side reports them. */
const reportOf = ({ log }: Peer, { status, url, text }: Page): string => {
  const refusals = server
    .out()
    .split("\n")
    .filter((line) => line.includes("SAML_LOGIN") && line.includes("FAILURE"));
  return [`${status} ${url}`, text, log().slice(-3_000), ...refusals.slice(-3)].join("\n");
};

/** Opens the page inside, signs in where asked, and is inside. */
async function getsIn(browser: WebBrowser, peer: Peer, address = peer.inside): Promise<Page> {
  const page = await browser.signIn(await browser.goto(address), ADA.username, ADA.password);
  expect(peer.userOn(page), reportOf(peer, page)).toEqual({ user: ADA.username, mail: ADA.email });
  return page;
}

/** The documents that we have emitted so far, by kind: the schemas of OASIS have to accept each. */
const emitted = new Set<string>();
function expectValid(browser: WebBrowser): void {
  if (!haveSchemas()) return;
  for (const { to, fields } of browser.messages.filter((message) => !message.to.startsWith(issuer))) {
    const text = fields.SAMLResponse ?? fields.SAMLRequest;
    if (text === undefined) continue;
    const bytes = Buffer.from(text, "base64");
    const xml = (bytes[0] === 0x3c ? bytes : inflateRawSync(bytes)).toString("utf8");
    const kind = [new URL(to).pathname, /<\w+:(\w+)/.exec(xml)?.[1], xml.includes("EncryptedAssertion")].join(" ");
    if (emitted.has(kind)) continue;
    emitted.add(kind);
    expect(schemaComplaints(xml), xml).toBeNull();
  }
}

const decoded = (browser: WebBrowser, field: "SAMLResponse" | "SAMLRequest" = "SAMLResponse"): string =>
  Buffer.from(browser.last(field)!.fields[field]!, "base64").toString("utf8");

/** Tells whether the page inside asks for a password again: neither the service provider nor we have a session. */
async function isOut(browser: WebBrowser, peer: Peer): Promise<boolean> {
  const page = await browser.goto(peer.inside);
  return peer.userOn(page) === null && formOf(page, ({ fields }) => "password" in fields) !== undefined;
}

describe.each(names)("%s", (name) => {
  const the = () => peers.get(name)!;

  test("signs in by a signed request over Redirect, and a second time without a question", async () => {
    const browser = new WebBrowser(issuer);
    await getsIn(browser, the());
    const [sent] = browser.messages;
    expect(sent).toMatchObject({ to: `${issuer}/saml/idp/sso`, fields: { Signature: expect.any(String), SigAlg: expect.any(String) } });
    expectValid(browser);
    const client = must(await admin.get(clientPath(the().entityId)), 200);
    expect(client.signingCertificate).toContain("BEGIN CERTIFICATE");
  });

  test("signs in by a request over POST", async (context) => {
    const { insideByPost } = the();
    if (!insideByPost) return context.skip("it sends its requests by Redirect alone");
    const browser = new WebBrowser(issuer);
    await getsIn(browser, the(), insideByPost);
    expect(browser.messages[0]).toMatchObject({ to: `${issuer}/saml/idp/sso`, fields: { SAMLRequest: expect.any(String) } });
    expect(browser.messages[0]!.fields).not.toHaveProperty("SigAlg");
    expect(decoded(browser, "SAMLRequest")).toContain("SignatureValue");
  });

  test("signs in with the answer by artifact", async (context) => {
    const { byArtifact } = the();
    if (!byArtifact) return context.skip("it has no artifact binding");
    const browser = new WebBrowser(issuer);
    await getsIn(browser, the(), byArtifact.inside);
    expect(browser.last("SAMLart")).toBeDefined();
    expect(browser.last("SAMLResponse")).toBeUndefined();
  });

  test("decrypts an encrypted assertion", async () => {
    await setOptions(the().entityId, { encryptAssertion: true });
    try {
      const browser = new WebBrowser(issuer);
      await getsIn(browser, the());
      expect(decoded(browser)).toContain("EncryptedAssertion");
      expect(decoded(browser)).not.toContain(ADA.email);
      expectValid(browser);
    } finally {
      await setOptions(the().entityId, { encryptAssertion: null });
    }
  });

  test("takes a sign-in that started here", async (context) => {
    if (!the().takesUnsolicited) return context.skip("it takes answers to its own requests alone");
    await setOptions(the().entityId, { idpInitiatedSsoEnabled: true, defaultRelayState: the().inside });
    const browser = new WebBrowser(issuer);
    await browser.signIn(await browser.goto(`${issuer}/saml/idp/start/${encodeURIComponent(the().entityId)}`), ADA.username, ADA.password);
    const before = browser.messages.length;
    expect(the().userOn(await browser.goto(the().inside)), the().log().slice(-3000)).toMatchObject({ user: ADA.username });
    expect(browser.messages).toHaveLength(before);
  });
});

describe("single logout", () => {
  test.each(names)("at %s ends the session everywhere, and it gets its answer", async (name) => {
    const browser = new WebBrowser(issuer);
    const asking = peers.get(name)!;
    // Each sends one request and gets one.
    const requested = peers.get(names[(names.indexOf(name) + 1) % names.length]!)!;
    for (const peer of [requested, asking]) await getsIn(browser, peer);
    const page = await browser.goto(asking.logout);
    const seen = reportOf(asking, page);
    expect(browser.last("SAMLResponse")!.to, seen).not.toContain(issuer);
    expectValid(browser);
    for (const peer of [requested, asking]) expect(await isOut(browser, peer), `${peer.name} after ${name}\n${seen}`).toBe(true);
  });

  test("at our own page ends the sessions of all", async () => {
    const browser = new WebBrowser(issuer);
    for (const peer of peers.values()) await getsIn(browser, peer);
    const requested = await browser.goto(`${issuer}/logout`);
    const page = await browser.submit(formOf(requested, ({ action }) => action.includes("/logout"))!);
    for (const peer of peers.values()) expect(await isOut(browser, peer), `${peer.name}\n${page.text}`).toBe(true);
  });

  // These service providers name an address for it in their metadata.
  test.each(["Shibboleth SP", "SimpleSAMLphp"].filter((name) => names.includes(name)))(
    "by an administrator ends the session at %s over SOAP",
    async (name) => {
      const peer = peers.get(name)!;
      await setOptions(peer.entityId, { backChannelSloEnabled: true });
      const browser = new WebBrowser(issuer);
      await getsIn(browser, peer);
      const [user] = must(await admin.get(`${REALM}/users?search=${ADA.username}`), 200);
      must(await admin.delete(`${REALM}/users/${user.userId}/sessions`), 204);
      await expect.poll(() => isOut(browser, peer)).toBe(true);
      await setOptions(peer.entityId, { backChannelSloEnabled: null });
    },
  );
});

describe.skipIf(noBrowser || !names.includes("SimpleSAMLphp"))("in Chromium (needs it, and SimpleSAMLphp):", () => {
  let chromium: Browser;
  beforeAll(async () => {
    chromium = await sharedBrowser();
  });

  test("signs in from another site, is shown inside, and signs out again", async () => {
    const peer = peers.get("SimpleSAMLphp")!;
    const ada = await personIn(chromium, { locale: "en-GB" });
    const tab = await ada.tab();
    await tab.goto(peer.inside);
    await tab.locator("#username").waitFor();
    await expectAccessible(tab, "saml-sign-in");
    await tab.locator("#username").fill(ADA.username);
    await tab.locator("#password").fill(ADA.password);
    await tab.locator('main form.gh-form button[type="submit"]').click();
    await tab.getByText(ADA.email).first().waitFor();
    expect(tab.url().startsWith(new URL(peer.inside).origin)).toBe(true);
    await takePicture(tab, "saml-inside-simplesamlphp");
    await tab.goto(peer.logout);
    await tab.waitForURL((url) => url.origin === new URL(peer.inside).origin && !url.search.includes("SAMLResponse"));
    await takePicture(tab, "saml-signed-out-simplesamlphp");
    await tab.goto(peer.inside);
    await tab.locator("#username").waitFor();
    await ada.context.close();
  });
});

test("after the realm's key was rotated, every one of them goes on with the new metadata", async () => {
  must(await admin.post(`${REALM}/keys/rotate`, {}), 201);
  const { text } = await admin.get(`/realms/acme/saml/idp/metadata`);
  const certificates = [...new Set([...text.matchAll(/X509Certificate>([^<]+)</g)].map((found) => found[1]!))];
  expect(certificates.length).toBeGreaterThan(1);
  for (const certificate of certificates) expect(() => new X509Certificate(Buffer.from(certificate, "base64"))).not.toThrow();
  await Promise.all([...peers.values()].map((peer) => peer.refresh()));
  for (const peer of peers.values()) await getsIn(new WebBrowser(issuer), peer);
});
