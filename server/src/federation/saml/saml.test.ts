import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { xmlsecPath } from "../../../test/peers/index.mjs";
import { clock, DAY, HOUR, MINUTE } from "../../kernel/clock.ts";
import { BINDING, NAME_ID_FORMAT, readMetadata, render, STATUS, verificationKey } from "../../platform/saml/index.ts";
import { samlBrokered } from "../../testing/brokered-realm.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { onPostgres } from "../../testing/on-postgres.ts";
import { submit, walk } from "../../testing/relying-party.ts";
import { type SamlPeer, samlPeer } from "../../testing/saml-identity-provider.ts";
import { rs256 } from "../../testing/saml-messages.ts";
import { haveSchemas, type Identity, makeIdentity, schemaComplaints, xmlsecVerifies } from "../../testing/saml-peers.ts";
import { hopOf, postedBy } from "../../testing/service-provider.ts";
import { isSignedIn } from "../../testing/step-pages.ts";

let iam: SharedHarness;
let peer: SamlPeer;
let own: Identity;
beforeAll(async () => {
  [iam, peer, own] = await Promise.all([sharedHarness({ GATEHOUSE_MODE: "development" }), samlPeer(), makeIdentity()]);
  await iam.server.jobs.stop();
});
afterEach(() => clock.reset());
afterAll(async () => {
  await peer?.close();
  await iam?.close();
});

const privatePem = ({ privateKey }: Identity) => String(privateKey.export({ type: "pkcs8", format: "pem" }));
const keysOf = async (realm: { asMaster(): { get(path: string): Promise<{ body: { certificate: string }[] }> } }) =>
  (await realm.asMaster().get("/keys")).body.map(({ certificate }) => verificationKey(certificate));

describe("signing in", () => {
  test("a signed request goes by Redirect, and the answer that is posted signs in: first as a new user, then as the same", async () => {
    const sp = await samlBrokered(iam, { ...peer.config, trustEmail: true });
    const { realm } = sp;
    const { browser, left } = await sp.leave();
    expect((left as URL).href).toContain(`${peer.sso}?SAMLRequest=`);
    const requested = await peer.read(left, await keysOf(realm));
    const base = `${iam.config.baseUrl}${sp.at}`;
    expect(requested).toMatchObject({
      signed: true,
      request: {
        ...{ issuer: base, destination: peer.sso, assertionConsumerServiceUrl: `${base}/endpoint`, protocolBinding: BINDING.post },
        ...{ forceAuthn: false, nameIdPolicy: { format: NAME_ID_FORMAT.persistent, allowCreate: true }, requestedAuthnContext: null },
      },
    });
    expect(Buffer.byteLength(requested.relayState!)).toBeLessThanOrEqual(80);
    const back = await sp.post(browser, await peer.answer(requested));
    expect(isSignedIn(back, realm.name), back.text).toBe(true);
    const [user] = await sp.users();
    expect(user).toMatchObject({
      ...{ username: "ada", email: "ada@example.com", emailVerified: true },
      attributes: { firstName: "Ada", lastName: "Lovelace" },
    });
    expect((await realm.asMaster().get(`/users/${user.userId}/linked-accounts`)).body).toMatchObject([{ alias: "corp" }]);
    expect(await realm.events("type=BROKER_LOGIN")).toMatchObject([{ outcome: "SUCCESS", detail: "corp" }]);
    const again = await sp.signIn(peer, { assertion: { attributes: [{ name: "email", values: ["other@example.com"] }] } });
    expect(isSignedIn(again, realm.name), again.text).toBe(true);
    expect(await sp.users()).toMatchObject([{ userId: user.userId, email: "ada@example.com" }]);
  });

  test("by POST a page posts the request, signed inside, and names the provider", async () => {
    const sp = await samlBrokered(iam, { ...peer.config, authnRequestBinding: "post", forceAuthn: true, authnContexts: ["urn:x:mfa"] });
    const { browser, left } = await sp.leave();
    const page = left as Answer;
    expect(page.text).toContain("Corporate");
    expect(hopOf(page)!.location).toBe(peer.sso);
    const requested = await peer.read(page, await keysOf(sp.realm));
    expect(requested).toMatchObject({ signed: true, request: { forceAuthn: true, requestedAuthnContext: { classRefs: ["urn:x:mfa"] } } });
    expect(isSignedIn(await sp.post(browser, await peer.answer(requested, { assertion: { classRef: "urn:x:mfa" } })), sp.realm.name)).toBe(
      true,
    );
    expect((await sp.signIn(peer)).status, "another authentication context").toBe(400);
    expect(await sp.failures()).toEqual(["corp: authn_context"]);
  });

  onPostgres("by artifact the message is fetched from the provider, once", async () => {
    const sp = await samlBrokered(iam, { metadataXml: render(peer.metadata()), responseBinding: "artifact" });
    const { browser, left } = await sp.leave();
    const requested = await peer.read(left);
    expect(requested.request.protocolBinding).toBe(BINDING.artifact);
    const query = await peer.artifact(requested);
    const back = await browser.get(`${sp.at}/endpoint?${new URLSearchParams(query)}`);
    expect(isSignedIn(back, sp.realm.name), back.text).toBe(true);
    expect(peer.resolved.at(-1)).toMatchObject({ name: "ArtifactResolve", claimedIssuer: `${iam.config.baseUrl}${sp.at}` });

    const next = await sp.leave();
    const used = { ...query, RelayState: (await peer.read(next.left)).relayState! };
    // Posted, it goes on as a GET, too.
    expect((await sp.post(next.browser, used)).status).toBe(400);
    const other = await sp.leave();
    const foreign = Buffer.concat([Buffer.from([0, 4, 0, 0]), Buffer.alloc(40, 7)]).toString("base64");
    const forged = { SAMLart: foreign, RelayState: (await peer.read(other.left)).relayState! };
    expect((await other.browser.get(`${sp.at}/endpoint?${new URLSearchParams(forged)}`)).status).toBe(400);
    const third = await sp.leave();
    expect((await sp.post(third.browser, await peer.answer(await peer.read(third.left)))).status, "by POST instead").toBe(400);
    expect(await sp.failures()).toEqual(["corp: binding", "corp: issuer", "corp: no_answer"]);
  });

  onPostgres("encrypted assertions are read with the provider's own key, which also signs", async () => {
    const keys = { spSigningPrivateKey: privatePem(own), spSigningCertificate: own.pem, spDecryptionPrivateKey: privatePem(own) };
    const sp = await samlBrokered(iam, { ...peer.config, ...keys, wantAssertionsEncrypted: true });
    const { browser, left } = await sp.leave();
    const requested = await peer.read(left, [verificationKey(own.certificate)]);
    const back = await sp.post(browser, await peer.answer(requested, { protection: { recipient: { key: own.publicKey } } }));
    expect(isSignedIn(back, sp.realm.name), back.text).toBe(true);
    expect((await sp.signIn(peer)).status, "in the clear").toBe(400);
    expect(await sp.failures()).toEqual(["corp: unencrypted"]);
  });

  test("mappers read attributes, also by their friendly name; a subjectAttribute is the link, whatever the NameID", async () => {
    const sp = await samlBrokered(iam, { ...peer.config, subjectAttribute: "urn:oid:employee", nameIdFormat: "transient" });
    const mapper = { name: "a", type: "attribute", claim: "employee", attribute: "employee" };
    expect((await sp.realm.asMaster().post("/identity-providers/corp/mappers", mapper)).status).toBe(201);
    const said = (value: string, id: string) => ({
      assertion: {
        nameId: { value: id, format: NAME_ID_FORMAT.transient },
        attributes: [{ name: "urn:oid:employee", friendlyName: "employee", values: [value] }],
      },
    });
    for (const id of ["one", "two"]) await sp.signIn(peer, said("e-1", id));
    expect(await sp.users()).toMatchObject([{ attributes: { employee: "e-1" } }]);
    expect((await sp.signIn(peer, { assertion: { attributes: [] } })).status).toBe(400);
    expect(await sp.failures()).toEqual(["corp: subject"]);
  });

  onPostgres("a cancelled sign-in leads back to the choice, and what the provider refuses is recorded by its code", async () => {
    const sp = await samlBrokered(iam, peer.config);
    const back = await sp.signIn(peer, { status: STATUS.authnFailed });
    expect([back.status, back.text]).toEqual([200, expect.stringContaining("You cancelled signing in there")]);
    expect((await sp.signIn(peer, { status: STATUS.noAuthnContext })).status).toBe(400);
    expect(await sp.failures()).toEqual(["corp: upstream_no_authn_context"]);
  });
});

describe("unsolicited answers", () => {
  test("are refused, unless the provider may begin: then this browser asks, so that it is not signed in as another user", async () => {
    const sp = await samlBrokered(iam, peer.config);
    const admin = sp.realm.asMaster();
    const { left } = await sp.leave();
    const requested = { ...(await peer.read(left)), relayState: "/realms/x" };
    const unsolicited = () => peer.answer(requested, { response: { inResponseTo: null }, assertion: { inResponseTo: null } });
    const post = async (form: Record<string, string>) =>
      String((await iam.browser().request("POST", `${sp.at}/endpoint`, { form, csrf: false })).headers.location);
    expect(await post(await unsolicited())).toBe(`${sp.at}/endpoint?error=refused&state=%2Frealms%2Fx`);
    expect(await sp.failures()).toEqual(["corp: unsolicited"]);
    await admin.patch("/identity-providers/corp", { config: { allowIdpInitiated: true } });
    const form = await unsolicited();
    expect(await post(form)).toBe(`${sp.at}/login?return_to=%2Frealms%2Fx`);
    expect(await post(form), "a second time").toContain("error=refused");
    expect(await sp.failures()).toEqual(["corp: replay", "corp: unsolicited"]);
    expect(await sp.users()).toEqual([]);
    const { browser, left: gone } = await sp.leave(iam.browser(), "?return_to=%2Frealms%2Fx");
    const back = await sp.post(browser, await peer.answer(await peer.read(gone)));
    expect([isSignedIn(back, sp.realm.name), back.headers.location]).toEqual([true, "/realms/x"]);
  });
});

describe("metadata of the provider", () => {
  onPostgres("must be signed by the pinned certificate; a provider that is down says so on the page, and the others stay", async () => {
    const sp = await samlBrokered(iam, { metadataUrl: peer.metadataUrl, metadataSigningCertificate: own.pem });
    expect((await iam.browser().get(`${sp.at}/login`)).text).toContain("We can’t reach that provider");
    const right = await samlBrokered(iam, { metadataUrl: peer.metadataUrl, metadataSigningCertificate: peer.identity.pem });
    expect(isSignedIn(await right.signIn(peer), right.realm.name)).toBe(true);
    expect(await sp.failures()).toEqual(["corp: signature_invalid"]);
    const tested = await right.realm.asMaster().post("/identity-providers/corp/test");
    expect(tested.body).toMatchObject({ ok: true, checks: [{ name: "metadata" }, { name: "certificates" }, { name: "single sign-on" }] });
    expect((await sp.realm.asMaster().post("/identity-providers/corp/test")).body).toMatchObject({
      ok: false,
      checks: [{ name: "metadata" }],
    });
  });
});

test("metadata of the provider is read again by a test and after a change, and what was read before counts while it is down", async () => {
  const peer = await samlPeer();
  const sp = await samlBrokered(iam, { metadataUrl: peer.metadataUrl });
  const admin = sp.realm.asMaster();
  const leadsTo = async () => ((await sp.leave()).left as URL).pathname;
  const save = async (config: Record<string, unknown>) =>
    expect((await admin.patch("/identity-providers/corp", { config })).status, JSON.stringify(config)).toBe(200);
  expect(await leadsTo()).toBe("/sso");
  peer.move("/moved");
  expect(await leadsTo()).toBe("/sso");
  expect((await admin.post("/identity-providers/corp/test")).body).toMatchObject({ checks: [{ name: "metadata", ok: true }, {}, {}] });
  expect(await leadsTo(), "tested").toBe("/moved");
  peer.move("/again");
  await save({ order: 1 });
  expect(await leadsTo(), "saved").toBe("/again");
  peer.down(true);
  await save({ order: 2 });
  expect(await leadsTo(), "down").toBe("/again");
  peer.down(false);
  // A reading that began before the change is of no use after it.
  const [other, release, reads] = [await samlPeer(), peer.hold(), peer.calls.length];
  await save({ order: 3 });
  const early = leadsTo();
  await expect.poll(() => peer.calls.length).toBeGreaterThan(reads);
  await save({ metadataUrl: other.metadataUrl });
  expect(((await sp.leave()).left as URL).origin, "changed meanwhile").toBe(new URL(other.metadataUrl).origin);
  release();
  expect(await early).toBe("/again");
  await save({ metadataSigningCertificate: own.pem });
  for (const time of ["first", "second"])
    expect((await iam.browser().get(`${sp.at}/login`)).text, `another certificate is required, ${time}`).toContain(
      "We can’t reach that provider",
    );
  expect((await sp.failures())[0]).toBe("corp: signature_invalid");
  await Promise.all([peer.close(), other.close()]);
});

onPostgres("with users linked, metadata of another entity is refused, wherever it comes from", async () => {
  const other = await samlPeer();
  const sp = await samlBrokered(iam, { metadataUrl: peer.metadataUrl });
  const admin = sp.realm.asMaster();
  const save = async (config: Record<string, unknown>) => {
    const { body } = await admin.get("/identity-providers/corp");
    const { metadataUrl: _, metadataXml: __, idpEntityId: ___, ...rest } = body.config;
    return admin.put("/identity-providers/corp", { ...body, config: { ...rest, ...config } });
  };
  expect((await save({ metadataUrl: other.metadataUrl })).status, "without links it is free").toBe(200);
  expect((await save({ metadataUrl: peer.metadataUrl })).status).toBe(200);
  expect(isSignedIn(await sp.signIn(peer), sp.realm.name)).toBe(true);

  const { entityId } = readMetadata(Buffer.from(render(peer.metadata())), { now: clock.now(), keys: [] });
  const refused = await save({ metadataUrl: other.metadataUrl });
  expect([refused.status, refused.body.code]).toEqual([409, "identity_providers.subject_in_use"]);
  expect(refused.body.detail ?? refused.text).toContain(entityId);
  expect((await save({ metadataXml: render(other.metadata()) })).status).toBe(409);
  expect((await save({ metadataUrl: other.metadataUrl, idpEntityId: "https://another.example" })).status).toBe(409);

  expect((await save({ metadataUrl: other.metadataUrl, idpEntityId: entityId })).status, "an address that has to describe it").toBe(200);
  expect((await iam.browser().get(`${sp.at}/login`)).text, "and does not").toContain("We can’t reach that provider");
  expect((await save({ metadataUrl: other.metadataUrl })).status, "not in two steps either").toBe(409);
  expect((await save({ metadataXml: render(peer.metadata()) })).status).toBe(200);
  expect((await save({ metadataXml: render(other.metadata()) })).status, "from document to document").toBe(409);
  expect(isSignedIn(await sp.signIn(peer), sp.realm.name)).toBe(true);
  expect(await sp.users()).toHaveLength(1);
  await other.close();
});

onPostgres(
  "metadata in the configuration that is over is used no more, and keeps nobody from disabling or moving its provider",
  async () => {
    const xml = render(peer.metadata()).replace(" entityID=", ` validUntil="${new Date(clock.now() + MINUTE).toISOString()}" entityID=`);
    const sp = await samlBrokered(iam, { metadataXml: xml });
    const admin = sp.realm.asMaster();
    const save = (change: object) => admin.patch("/identity-providers/corp", change);
    expect((await sp.leave()).left).toBeInstanceOf(URL);
    clock.advance(2 * MINUTE);
    expect((await iam.browser().get(`${sp.at}/login`)).status, "this node had read it before").toBe(400);
    expect(await sp.failures()).toEqual(["corp: metadata_expired"]);

    const { body } = await admin.get("/identity-providers/corp");
    expect((await admin.put("/identity-providers/corp", body)).body).toMatchObject({ errors: [{ field: "config.metadataXml" }] });
    expect((await admin.put("/identity-providers/corp", { ...body, enabled: false })).status).toBe(200);
    expect((await save({ config: { order: 1 } })).status, "a change of one that is disabled").toBe(200);
    expect((await save({ enabled: true })).body).toMatchObject({ errors: [{ field: "config.metadataXml" }] });
    const document = (await admin.get("/export")).body;
    const elsewhere = await (await iam.realm()).asMaster().post("/import?dryRun=true", document);
    expect(elsewhere.status, elsewhere.text).toBe(200);

    // Other faults that it has by now, as after an address was forbidden, do not keep it enabled either.
    expect((await save({ config: { metadataXml: render(peer.metadata()) }, enabled: true })).status).toBe(200);
    await sql`update identity_providers set config = config || '{"ssoUrl":"ftp://idp.example"}' where realm_id = ${sp.realm.name}`.execute(
      iam.core.db,
    );
    expect((await save({ config: { order: 2 } })).body).toMatchObject({ errors: [{ field: "config.ssoUrl" }] });
    expect((await save({ enabled: false })).status).toBe(200);
    expect((await save({ enabled: true })).body).toMatchObject({ errors: [{ field: "config.ssoUrl" }] });
  },
);

describe("metadata of the realm as a service provider", () => {
  test("is signed, cached, and says where everything is", async () => {
    const sp = await samlBrokered(iam, { ...peer.config, spDecryptionPrivateKey: privatePem(own), spDecryptionCertificate: own.pem });
    const browser = iam.browser();
    const answer = await browser.get(`${sp.at}/metadata`);
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/samlmetadata+xml", etag: expect.any(String) } });
    const again = await browser.get(`${sp.at}/metadata`, { headers: { "if-none-match": String(answer.headers.etag) } });
    expect([again.status, again.text]).toEqual([304, ""]);
    const keys = await keysOf(sp.realm);
    const at = `${iam.config.baseUrl}${sp.at}`;
    expect(readMetadata(Buffer.from(answer.text), { now: clock.now(), keys })).toMatchObject({
      entityId: at,
      sp: {
        ...{ authnRequestsSigned: true, wantAssertionsSigned: false, nameIdFormats: [NAME_ID_FORMAT.persistent] },
        signingCertificates: keys.map(({ certificate }) => certificate),
        encryptionCertificates: [own.certificate],
        assertionConsumerServices: [
          { binding: BINDING.post, location: `${at}/endpoint`, isDefault: true },
          { binding: BINDING.artifact, location: `${at}/endpoint` },
        ],
      },
    });
    if (xmlsecPath() && haveSchemas()) {
      expect(schemaComplaints(answer.text)).toBeNull();
      const pem = `-----BEGIN CERTIFICATE-----\n${keys[0]!.certificate.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;
      expect(xmlsecVerifies(answer.text, { pem } as Identity)).toMatchObject({ ok: true });
    }
    expect((await browser.get(`/realms/${sp.realm.name}/broker/nothing/metadata`)).status).toBe(404);
  });
});

test("a user of one realm signs in to another of this server, with nothing between them but their metadata", async () => {
  const { baseUrl } = iam.config;
  const up = await iam.realm();
  const idp = (await iam.browser().get(`/realms/${up.name}/saml/idp/metadata`)).text;
  const down = await samlBrokered(iam, { metadataXml: idp, wantAssertionsSigned: true }, "up");
  const sp = (await iam.browser().get(`${down.at}/metadata`)).text;
  const imported = await up.asMaster().post("/saml-clients/import", sp, { headers: { "content-type": "application/samlmetadata+xml" } });
  expect(imported.status, imported.text).toBe(201);
  expect(imported.body).toMatchObject({ entityId: `${baseUrl}${down.at}`, assertionConsumerServiceUrl: `${baseUrl}${down.at}/endpoint` });

  const user = await up.user();
  const profile = { email: "ada@example.com", attributes: { firstName: "Ada", lastName: "Lovelace" } };
  expect((await up.asMaster().patch(`/users/${user.userId}`, profile)).status).toBe(200);
  const browser = iam.browser();
  const { left } = await down.leave(browser);
  const { page } = await walk(browser, baseUrl, (left as URL).href);
  const { page: answer } = await submit(browser, baseUrl, page, { username: user.username, password: user.password });
  const { action, fields } = postedBy(answer);
  expect(action).toBe(`${baseUrl}${down.at}/endpoint`);
  const back = await down.post(browser, fields);
  expect(isSignedIn(back, down.realm.name), `${back.status} ${back.headers.location} ${back.text}`).toBe(true);
  expect(await down.users()).toMatchObject([{ email: "ada@example.com", attributes: { firstName: "Ada", lastName: "Lovelace" } }]);

  const others = [
    `${baseUrl}${down.at}`,
    `${baseUrl}${down.at}/login`,
    `${baseUrl}${down.at}/endpoint?x=y`,
    `${baseUrl}/realms/x/broker/../logout`,
  ];
  for (const url of others) {
    const client = { entityId: "https://sp.example", assertionConsumerServiceUrl: url };
    expect((await up.asMaster().post("/saml-clients", client)).status, url).toBe(400);
  }
});

// Last: sessions of administrators do not outlive the days that pass here.
test("metadata of the provider is read from its address, daily and for an unknown key, and survives an outage", async () => {
  const peer = await samlPeer();
  const sp = await samlBrokered(iam, { metadataUrl: peer.metadataUrl });
  const reads = () => peer.calls.filter((url) => url === "/metadata").length;
  const before = reads();
  const signsIn = async () => isSignedIn(await sp.signIn(peer), sp.realm.name);
  expect(await signsIn()).toBe(true);
  expect(await signsIn()).toBe(true);
  expect(reads() - before).toBe(1);

  const retired = rs256(peer.identity);
  await peer.rotate();
  expect(await signsIn(), "at once").toBe(true);
  expect(reads() - before).toBe(2);
  expect((await sp.signIn(peer, { protection: { key: retired } })).status, "a retired key").toBe(400);
  // A flood of messages by unknown keys costs one request each half minute.
  await peer.rotate(false);
  clock.advance(MINUTE);
  for (let count = 0; count < 3; count++) expect(await signsIn()).toBe(false);
  expect(reads() - before).toBe(3);
  expect(new Set(await sp.failures())).toEqual(new Set(["corp: signature_invalid"]));

  await peer.rotate();
  clock.advance(DAY);
  await iam.server.jobs.runDue();
  expect(reads() - before).toBe(4);
  await iam.server.jobs.runDue();
  expect(reads() - before, "not before the next day").toBe(4);
  peer.down(true);
  clock.advance(2 * DAY);
  await iam.server.jobs.runDue();
  expect(reads() - before).toBe(5);
  expect(await signsIn(), "what was read still counts").toBe(true);
  peer.down(false);
  clock.advance(HOUR);
  await iam.server.jobs.runDue();
  expect(reads() - before).toBe(6);
  await peer.close();
});
