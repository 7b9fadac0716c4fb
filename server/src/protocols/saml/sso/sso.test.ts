import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { xmlsecPath } from "../../../../test/peers/index.mjs";
import { clock } from "../../../kernel/clock.ts";
import { AUTHN_CONTEXT, NAME_ID_FORMAT } from "../../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { haveSchemas, type Identity, makeIdentity, schemaComplaints, xmlsecVerifies } from "../../../testing/saml-peers.ts";
import { ACS, postedBy, serviceProvider, xmlIn } from "../../../testing/service-provider.ts";

let iam: SharedHarness;
let identity: Identity;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  identity = await makeIdentity();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const pemOf = (der: string) => `-----BEGIN CERTIFICATE-----\n${der.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;

describe("the plain path", () => {
  test.each(["redirect", "post"] as const)("a request by %s leads through the sign-in to a signed assertion", async (by) => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const user = await realm.user();
    const { sent, page } = await sp.signIn(iam.browser(), user, { by, relayState: "there & back" });
    expect(page.status, page.text).toBe(200);
    expect(postedBy(page)).toMatchObject({ action: ACS, fields: { RelayState: "there & back" } });
    const assertion = await sp.accept(page, sent.id);
    expect(assertion.subject?.nameId).toMatchObject({
      format: NAME_ID_FORMAT.persistent,
      nameQualifier: sp.issuer,
      spNameQualifier: sp.entityId,
    });
    expect(assertion.authnStatements).toMatchObject([{ classRef: AUTHN_CONTEXT.passwordProtectedTransport }]);
    const [event] = await realm.events("type=SAML_LOGIN");
    expect(event).toMatchObject({ type: "SAML_LOGIN", outcome: "SUCCESS", actor: user.username, resourceId: sp.entityId });
  });

  test.skipIf(!xmlsecPath() || !haveSchemas())("xmlsec1 verifies both signatures, and the schemas accept the response", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const { page } = await sp.signIn(iam.browser(), await realm.user());
    const xml = xmlIn(page);
    const [{ certificate }] = (await realm.asMaster().get("/keys")).body;
    const realmIdentity = { ...identity, pem: pemOf(certificate) };
    for (const xpath of ["/*/*[local-name()='Signature']", "/*/*[local-name()='Assertion']/*[local-name()='Signature']"])
      expect(xmlsecVerifies(xml, realmIdentity, xpath)).toMatchObject({ ok: true });
    expect(schemaComplaints(xml)).toBeNull();
  });

  test("in a live session no page is shown, and the NameID stays the same", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const user = await realm.user();
    const browser = iam.browser();
    const first = await sp.signIn(browser, user);
    const again = await sp.signIn(browser, user, { by: "post" });
    expect([first.asked, again.asked]).toEqual([true, false]);
    const one = await sp.accept(first.page, first.sent.id);
    const two = await sp.accept(again.page, again.sent.id);
    expect(two.subject?.nameId?.value).toBe(one.subject?.nameId?.value);
    expect(two.authnStatements[0]).toMatchObject({ sessionIndex: one.authnStatements[0]!.sessionIndex });
    const elsewhere = await serviceProvider(iam, realm, { entityId: "https://other.example", assertionConsumerServiceUrl: ACS });
    const third = await elsewhere.signIn(browser, user);
    expect((await elsewhere.accept(third.page, third.sent.id)).subject?.nameId?.value).not.toBe(one.subject?.nameId?.value);
  });
});

test("the page that posts the response runs only its own script, works without it, and may post to any origin", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm, { entityId: "https://fish.example/?a&b" });
  const { page } = await sp.signIn(iam.browser(), await realm.user());
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toMatch(/^default-src 'none'; script-src 'nonce-/);
  expect(policy).not.toContain("form-action");
  expect(page.headers["cache-control"]).toBe("no-store");
  expect(page.text).toContain(">fish.example</bdi>");
  expect(page.text).toMatch(/<button [^>]*type="submit"/);
});
