// Makes the same messages with xml-crypto, the library with which the product's own SAML code is compared.
import { SignedXml } from "xml-crypto";

const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256";

/** @param {string} xml @param {string} name the local name of the element to sign @param {string} privateKey */
function sign(xml, name, privateKey) {
  const xpath = `//*[local-name(.)='${name}']`;
  const signer = new SignedXml({ privateKey, canonicalizationAlgorithm: EXCLUSIVE, signatureAlgorithm: RSA_SHA256 });
  signer.addReference({ xpath, digestAlgorithm: SHA256, transforms: [ENVELOPED, EXCLUSIVE] });
  signer.computeSignature(xml, { prefix: "ds", location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: "after" } });
  return signer.getSignedXml();
}

const SIGNATURE = /<ds:Signature [\s\S]*?<\/ds:Signature>/;

/**
 * @param {{ SAMLResponse?: string }} posted a Response of the product with a signed assertion
 * @param {{ privateKey: string, publicKey: string }} keys PEM
 */
export function withXmlCrypto({ SAMLResponse = "" }, { privateKey, publicKey }) {
  const signed = Buffer.from(SAMLResponse, "base64").toString();
  const [signature = ""] = SIGNATURE.exec(signed) ?? [];
  const plain = signed.replace(SIGNATURE, "");
  const both = () => sign(sign(plain, "Assertion", privateKey), "Response", privateKey);
  if ((both().match(/<ds:SignatureValue>/g) ?? []).length !== 2) throw new Error("xml-crypto did not sign both elements");
  return {
    "xml-crypto-signed": async () => Buffer.from(sign(plain, "Assertion", privateKey)).toString("base64"),
    "xml-crypto-both": async () => Buffer.from(both()).toString("base64"),
    "xml-crypto-open": async () => {
      const verifier = new SignedXml({ publicCert: publicKey });
      verifier.loadSignature(signature);
      if (!verifier.checkSignature(signed)) throw new Error("xml-crypto does not accept the message");
    },
  };
}
