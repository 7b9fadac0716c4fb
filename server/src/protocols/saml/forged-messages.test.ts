// Forged messages at the endpoints other than single sign-on, and keys that are rotated while a message is in transit.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import {
  artifactResolveElement,
  BINDING,
  type Fragment,
  logoutRequestElement,
  NAME_ID_FORMAT,
  newArtifact,
  newMessageId,
  openArtifactResponse,
  openResponse,
  readSoap,
  render,
  signed,
  soapEnvelope,
  soapFault,
} from "../../platform/saml/index.ts";
import type { Answer } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { submit, walk } from "../../testing/relying-party.ts";
import { inclusivelySigned, oddlySigned, wrapped, wronglySigned } from "../../testing/saml-attacks.ts";
import { rs256 } from "../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import { type ServiceProvider, serviceProvider } from "../../testing/service-provider.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let sp: ServiceProvider;
let peer: Identity;
let other: Identity;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
  [peer, other] = await Promise.all([makeIdentity(), makeIdentity()]);
  realm = await iam.realm();
  sp = await serviceProvider(iam, realm, { identity: peer });
});
beforeEach(() => clock.advance(12 * SECOND));
afterAll(() => iam?.close());

const envelope = (path: string) => ({
  id: newMessageId(),
  issueInstant: clock.now(),
  issuer: sp.entityId,
  destination: `${sp.issuer}/saml/idp/${path}`,
});
const send = (path: string, body: string) =>
  iam.browser().request("POST", `/realms/${realm.name}/saml/idp/${path}`, {
    ...{ body, headers: { "content-type": "text/xml; charset=utf-8" }, csrf: false },
  });
const inSoap = (xml: string, header = "") =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">${header}<s:Body>${xml}</s:Body></s:Envelope>`;
const FAULT = soapFault();

async function expectFault(answer: Answer, reason: RegExp): Promise<void> {
  expect(answer.text).toBe(FAULT);
  expect(answer.status).toBe(400);
  const { body } = await realm.asMaster().get("/events?size=1&type=SAML_LOGIN&outcome=FAILURE");
  expect(body.items[0]?.detail).toMatch(reason);
}

interface Kind {
  readonly path: string;
  readonly make: () => Fragment;
  readonly forge: (xml: string) => string;
}

const evil = newArtifact("https://evil.example", 0);
const kinds: Record<string, Kind> = {
  ArtifactResolve: {
    path: "artifact",
    make: () => artifactResolveElement({ ...envelope("artifact"), artifact: newArtifact(sp.issuer, 0) }),
    forge: (xml) => xml.replace(/(<samlp:Artifact[^>]*>)[^<]*/, `$1${evil}`),
  },
  LogoutRequest: {
    path: "slo",
    make: () =>
      logoutRequestElement({
        ...envelope("slo"),
        nameId: { value: "unknown", format: NAME_ID_FORMAT.persistent },
        sessionIndexes: ["_session"],
        notOnOrAfter: clock.now() + MINUTE,
      }),
    forge: (xml) => xml.replace(">unknown<", ">another<"),
  },
};

describe.each(Object.entries(kinds))("%s over SOAP", (_, { path, make, forge }) => {
  const wrapping = { forge, extensions: "samlp:Extensions" };
  const goodXml = async (by = peer) => render(await signed(make(), rs256(by)));

  test("the valid one is answered", async () => {
    expect(await send(path, inSoap(await goodXml()))).toMatchObject({ status: 200 });
  });

  const forms = Object.keys(wrapped('<samlp:X ID="_1"><saml:Issuer></saml:Issuer><ds:Signature ></ds:Signature></samlp:X>', wrapping));
  test.each(forms)("refuses %s", async (name) => {
    const xml = await goodXml();
    const edited = wrapped(xml, wrapping)[name]!;
    expect(edited).not.toBe(xml);
    await expectFault(await send(path, inSoap(edited)), /^(signature_\w+|duplicate_id|message): /);
  });

  test.each([...wronglySigned, ...inclusivelySigned])("refuses one %s", async (_name, reason, oddity) => {
    await expectFault(await send(path, inSoap(oddlySigned(render(make()), peer, oddity))), new RegExp(`^${reason}: `));
  });

  test("refuses another's key, and a signed message that is hidden in the header", async () => {
    await expectFault(await send(path, inSoap(await goodXml(other))), /^signature_invalid: /);
    const header = `<s:Header>${await goodXml()}</s:Header>`;
    await expectFault(await send(path, inSoap(forge(render(make())), header)), /^(signature_missing|message|binding|not_well_formed): /);
    const xml = await goodXml();
    await expectFault(await send(path, inSoap(xml + xml)), /^(binding|message|duplicate_id): /);
    await expectFault(await send(path, xml), /^(binding|message): /);
    await expectFault(await send(path, `<!DOCTYPE x>${inSoap(xml)}`), /^doctype: /);
    await expectFault(await send(path, inSoap(xml.replace("</saml:Issuer>", "<!-- --></saml:Issuer>"))), /^forbidden_node: /);
  });
});

describe("the realm's key is rotated", () => {
  const rotate = async () => expect((await realm.asMaster().post("/keys/rotate", {})).status).toBeLessThan(300);

  test("while a user signs in: the answer is signed by the new key, which the metadata has", async () => {
    const { baseUrl } = iam.config;
    const user = await realm.user();
    const browser = iam.browser();
    const sent = await sp.request();
    const { page: form } = await walk(browser, baseUrl, sent.url);
    const before = await sp.keysOfRealm();
    await rotate();
    const { page } = await submit(browser, baseUrl, form, { username: user.username, password: user.password });
    expect((await sp.accept(page, sent.id)).authnStatements).toHaveLength(1);
    const { text } = await browser.get(`/realms/${realm.name}/saml/idp/metadata`);
    for (const { certificate } of (await realm.asMaster().get("/keys")).body) {
      const der = String(certificate).replace(/-----[^-]+-----|\s/g, "");
      expect(text).toContain(der);
    }
    expect((await sp.keysOfRealm()).length).toBe(before.length + 1);
  });

  test("between an artifact and its resolution", async () => {
    const user = await realm.user();
    const { left, sent } = await sp.signIn(iam.browser(), user, { protocolBinding: BINDING.artifact });
    await rotate();
    const artifact = left?.searchParams.get("SAMLart") ?? "";
    const element = artifactResolveElement({ ...envelope("artifact"), artifact });
    const answer = await send("artifact", soapEnvelope(await signed(element, rs256(peer))));
    const keys = await sp.keysOfRealm();
    const { message } = openArtifactResponse(readSoap(Buffer.from(answer.text)), { keys, required: true });
    const opened = await openResponse(message.content!, { keys });
    expect(opened).toMatchObject({ responseSigned: true, response: { inResponseTo: sent.id } });
  });
});
