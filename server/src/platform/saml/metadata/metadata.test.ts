import { beforeAll, describe, expect, test } from "vitest";
import { ACS, goodIdpRole, goodSpRole, IDP, NOW, rs256, SP } from "../../../testing/saml-messages.ts";
import { haveSchemas, type Identity, makeIdentity, schemaComplaints } from "../../../testing/saml-peers.ts";
import {
  defaultOf,
  idpMetadata,
  MetadataChoice,
  readMetadata,
  render,
  SamlError,
  type SamlReason,
  signed,
  spMetadata,
  verificationKey,
} from "../index.ts";
import { C14N, NS } from "../names.ts";
import { element } from "../xml/write.ts";

let sp: Identity;
let federation: Identity;

beforeAll(async () => {
  [sp, federation] = await Promise.all([makeIdentity(), makeIdentity()]);
});

const spEntity = (entityId = SP, more = {}) => spMetadata({ id: `_${entityId.length}`, entityId, sp: goodSpRole(sp.certificate), ...more });
const read = (xml: string, more: { entityId?: string; now?: number; pinned?: Identity } = {}) =>
  readMetadata(Buffer.from(xml), {
    now: more.now ?? NOW,
    keys: more.pinned ? [verificationKey(more.pinned.certificate)] : [],
    ...(more.entityId === undefined ? {} : { entityId: more.entityId }),
  });
const reasonOf = (work: () => unknown): SamlReason | "accepted" => {
  try {
    work();
    return "accepted";
  } catch (error) {
    if (error instanceof SamlError) return error.reason;
    throw error;
  }
};

describe("one entity", () => {
  test("may be written by hand: comments, CDATA, whitespace, other roles and protocols", () => {
    const xml = `<?xml version="1.0"?>
      <!-- made by hand -->
      <EntityDescriptor xmlns="${NS.md}" entityID=" ${SP} ">
        <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol">
          <AssertionConsumerService Binding="x" Location="https://old.example" index="0"/>
        </SPSSODescriptor>
        <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol ${NS.samlp}">
          <KeyDescriptor><KeyInfo xmlns="${NS.ds}"><X509Data><X509Certificate>
            ${sp.certificate.replace(/.{64}/g, "$&\n            ")}
          </X509Certificate></X509Data></KeyInfo></KeyDescriptor>
          <NameIDFormat> <![CDATA[urn:oasis:names:tc:SAML:2.0:nameid-format:transient]]> </NameIDFormat>
          <!-- the only one -->
          <AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${ACS}" index="1"/>
        </SPSSODescriptor>
      </EntityDescriptor>`;
    expect(read(xml)).toMatchObject({
      entityId: SP,
      idp: null,
      sp: {
        signingCertificates: [sp.certificate],
        encryptionCertificates: [sp.certificate],
        nameIdFormats: ["urn:oasis:names:tc:SAML:2.0:nameid-format:transient"],
        assertionConsumerServices: [{ location: ACS, index: 1, isDefault: null }],
        wantAssertionsSigned: false,
      },
    });
  });

  const good = () => render(spEntity());
  const bad: [what: string, reason: SamlReason, forge: (xml: string) => string][] = [
    ["a document type", "doctype", (xml) => `<!DOCTYPE x [<!ENTITY e "x">]>${xml}`],
    ["no metadata", "metadata", () => "<a/>"],
    ["no XML", "not_well_formed", () => "{}"],
    ["no entityID", "metadata", (xml) => xml.replace(/ entityID="[^"]*"/, "")],
    ["an entityID without end", "metadata", (xml) => xml.replace(SP, `https://${"x".repeat(1100)}`)],
    ["no role of SAML 2.0", "metadata", (xml) => xml.replace(`protocolSupportEnumeration="${NS.samlp}"`, 'protocolSupportEnumeration="x"')],
    ["javascript as an address", "metadata", (xml) => xml.replace(ACS, "javascript:alert(1)//")],
    ["data as an address", "metadata", (xml) => xml.replace(ACS, "data:text/html,x")],
    ["a relative address", "metadata", (xml) => xml.replace(ACS, "/acs")],
    ["an index twice", "metadata", (xml) => xml.replace('index="1"', 'index="0"')],
    ["an index that is none", "message", (xml) => xml.replace('index="1"', 'index="x"')],
    ["no index", "metadata", (xml) => xml.replace(' index="1"', "")],
    ["no binding", "metadata", (xml) => xml.replace(/(<md:AssertionConsumerService) Binding="[^"]*"/, "$1")],
    ["a certificate that is none", "certificate", (xml) => xml.replace(sp.certificate, "AAAA")],
    [
      "a comment in a certificate",
      "metadata",
      (xml) => xml.replace(sp.certificate, `${sp.certificate.slice(0, 40)}<!-- x -->${sp.certificate.slice(40)}`),
    ],
    ["a duration that is none", "metadata", (xml) => xml.replace(" entityID", ' cacheDuration="1h" entityID')],
    ["a time that is none", "message", (xml) => xml.replace(" entityID", ' validUntil="soon" entityID')],
    ["the same ID twice", "duplicate_id", (xml) => xml.replace("<md:SPSSODescriptor", `<md:SPSSODescriptor ID="_${SP.length}"`)],
  ];
  test.each(bad)("with %s is refused", (_, reason, forge) => {
    const xml = good();
    expect(forge(xml)).not.toBe(xml);
    expect(reasonOf(() => read(forge(xml)))).toBe(reason);
  });

  test("is refused from the moment it ends, wherever the end is written", () => {
    const xml = render(spEntity(SP, { validUntil: NOW }));
    expect(read(xml, { now: NOW - 1 }).validUntil).toBe(NOW);
    expect(reasonOf(() => read(xml, { now: NOW }))).toBe("metadata_expired");
    const role = good().replace("<md:SPSSODescriptor", '<md:SPSSODescriptor validUntil="2026-05-04T12:00:00Z"');
    expect(reasonOf(() => read(role))).toBe("metadata_expired");
  });

  test("durations in all their parts", () => {
    const xml = good().replace(" entityID", ' cacheDuration="P1DT2H3M4.5S" entityID');
    expect(read(xml).cacheDuration).toBe((((24 + 2) * 60 + 3) * 60 + 4) * 1000);
    const century = 100 * 365 * 24 * 3_600_000;
    for (const long of ["PT9223372036S", `P${"9".repeat(400)}D`])
      expect(read(good().replace(" entityID", ` cacheDuration="${long}" entityID`)).cacheDuration, long).toBe(century);
  });

  test("the default service is the one that says so, else the first that does not deny it", () => {
    const of = (...defaults: (boolean | null)[]) => defaultOf(defaults.map((isDefault, index) => ({ isDefault, index })))?.index ?? null;
    expect([of(null, true), of(false, null), of(false, false), of()]).toEqual([1, 1, 0, null]);
  });
});

describe("several entities", () => {
  const group = (attributes = {}, ...more: Parameters<typeof element>[2][]) =>
    element(
      "md:EntitiesDescriptor",
      { ID: "_group", ...attributes },
      spEntity(),
      element("md:EntitiesDescriptor", {}, spEntity(`${SP}/2`), ...more),
    );

  test("are offered for a choice, and the chosen one is read", () => {
    const xml = render(group());
    expect(() => read(xml)).toThrow(MetadataChoice);
    try {
      read(xml);
    } catch (error) {
      expect((error as MetadataChoice).entityIds).toEqual([SP, `${SP}/2`]);
    }
    expect(read(xml, { entityId: `${SP}/2` }).entityId).toBe(`${SP}/2`);
    expect(reasonOf(() => read(xml, { entityId: "https://other.example" }))).toBe("metadata");
    expect(read(render(element("md:EntitiesDescriptor", {}, spEntity()))).entityId).toBe(SP);
    expect(reasonOf(() => read(render(element("md:EntitiesDescriptor"))))).toBe("metadata");
  });

  test("an entity that is there twice is refused", () => {
    const twice = group({}, spMetadata({ id: "_x", entityId: SP, sp: goodSpRole(sp.certificate) }));
    expect(reasonOf(() => read(render(twice), { entityId: SP }))).toBe("metadata");
  });

  test("end with what they stand in", () => {
    const xml = render(group({ validUntil: new Date(NOW).toISOString() }));
    expect(reasonOf(() => read(xml, { entityId: `${SP}/2` }))).toBe("metadata_expired");
  });

  test("are covered by the signature of the whole", async () => {
    const xml = render(await signed(group(), rs256(federation)));
    expect(read(xml, { entityId: SP, pinned: federation }).entityId).toBe(SP);
    expect(reasonOf(() => read(xml.replace(ACS, `${ACS}x`), { entityId: SP, pinned: federation }))).toBe("signature_invalid");
    expect(reasonOf(() => read(xml, { entityId: SP, pinned: sp }))).toBe("signature_invalid");
  });

  test("one that is signed itself may stand among others that are not", async () => {
    const inner = await signed(spEntity(), rs256(federation));
    const xml = render(element("md:EntitiesDescriptor", {}, spEntity(`${SP}/2`), inner));
    expect(read(xml, { entityId: SP, pinned: federation }).entityId).toBe(SP);
    expect(reasonOf(() => read(xml, { entityId: `${SP}/2`, pinned: federation }))).toBe("signature_missing");
  });
});

test("a key has a name where messages refer to it by one", () => {
  const role = { ...goodSpRole(sp.certificate), keyNames: { [sp.certificate]: "key <1>" } };
  const xml = render(spMetadata({ id: "_md", entityId: SP, sp: role }));
  expect(xml.match(/<ds:KeyName>key &lt;1&gt;<\/ds:KeyName><ds:X509Data>/g)).toHaveLength(2);
  expect(read(xml).sp).toEqual(goodSpRole(sp.certificate));
  if (haveSchemas()) expect(schemaComplaints(xml)).toBeNull();
});

describe("a pinned certificate", () => {
  test("refuses what is unsigned, edited, or signed by another", async () => {
    const xml = render(await signed(idpMetadata({ id: "_md", entityId: IDP, idp: goodIdpRole(sp.certificate) }), rs256(federation)));
    expect(read(xml, { pinned: federation }).idp?.singleSignOnServices).toHaveLength(2);
    expect(reasonOf(() => read(xml, { pinned: sp }))).toBe("signature_invalid");
    expect(reasonOf(() => read(xml.replace("/sso", "/SSO"), { pinned: federation }))).toBe("signature_invalid");
    expect(reasonOf(() => read(xml.replace(/<ds:Signature .*?<\/ds:Signature>/s, ""), { pinned: federation }))).toBe("signature_missing");
  });

  test("accepts comments around and inside, which are not signed and not read", async () => {
    const xml = render(await signed(spEntity(), rs256(federation)));
    const commented = `<!-- a -->${xml.replace("<md:SPSSODescriptor", "<!-- b --><md:SPSSODescriptor")}`;
    expect(read(commented, { pinned: federation }).entityId).toBe(SP);
    // The signature covers the text without the comment, and the reader reads that text.
    const inside = xml.replace("nameid-format:persistent", "nameid-format<!-- c -->:persistent");
    expect(read(inside, { pinned: federation }).sp?.nameIdFormats).toEqual(goodSpRole(sp.certificate).nameIdFormats);
    expect(reasonOf(() => read(xml.replace("<ds:DigestValue>", "<ds:DigestValue><!-- x -->"), { pinned: federation }))).toBe(
      "signature_shape",
    );
  });

  test("verifies canonicalization with comments, by which comments are signed", async () => {
    // Made by our own signer, with the algorithm of the form with comments: there are no comments, so the bytes are the same.
    const plain = render(spEntity());
    const key = rs256(federation);
    let info = "";
    const sign = (data: Uint8Array) => {
      info = Buffer.from(data).toString();
      return key.sign(data);
    };
    await signed(spEntity(), { ...key, sign });
    const withComments = info.replaceAll(`"${C14N.exclusive}"`, `"${C14N.exclusiveWithComments}"`);
    const value = Buffer.from(await key.sign(Buffer.from(withComments))).toString("base64");
    const signature = `<ds:Signature xmlns:ds="${NS.ds}">${withComments}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
    const xml = plain.replace(/^<[^>]+>/, (tag) => `${tag}${signature}`);
    expect(read(xml, { pinned: federation }).entityId).toBe(SP);
    expect(reasonOf(() => read(xml.replace("<md:SPSSODescriptor", "<!-- x --><md:SPSSODescriptor"), { pinned: federation }))).toBe(
      "signature_invalid",
    );
  });
});
