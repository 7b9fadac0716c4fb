import "reflect-metadata"; // @peculiar/x509 does not load without this, so it comes first
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { clock, DAY } from "../kernel/clock.ts";

const alg = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** A private certificate authority for peers on this machine. */
export interface PrivateAuthority {
  /** The certificate to trust, in PEM. */
  readonly ca: string;
  /** Makes a key and a certificate for these host names and 127.0.0.1. */
  identity(...names: string[]): Promise<Identity>;
  /** Makes a certificate that is no longer valid. */
  expiredIdentity(...names: string[]): Promise<Identity>;
  /** Makes a certificate with additional names: URIs, addresses, mail addresses. */
  identityWith(
    name: string,
    others: readonly { readonly type: "dns" | "url" | "ip" | "email"; readonly value: string }[],
  ): Promise<Identity>;
}

export async function privateAuthority(): Promise<PrivateAuthority> {
  x509.cryptoProvider.set(webcrypto as Crypto);
  const days = { notBefore: new Date(clock.now() - DAY), notAfter: new Date(clock.now() + 30 * DAY) };
  const caKeys = await webcrypto.subtle.generateKey(alg, true, ["sign", "verify"]);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...days,
    serialNumber: "01",
    name: "CN=Private authority",
    keys: caKeys,
    signingAlgorithm: alg,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  let issued = 1;
  const issue = async (name: string, alternatives: x509.JsonGeneralNames, valid = days): Promise<Identity> => {
    const keys = await webcrypto.subtle.generateKey(alg, true, ["sign", "verify"]);
    issued += 1;
    const leaf = await x509.X509CertificateGenerator.create({
      ...valid,
      serialNumber: issued.toString(16).padStart(2, "0"),
      subject: `CN=${name}`,
      issuer: authority.subject,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: alg,
      extensions: [new x509.SubjectAlternativeNameExtension(alternatives)],
    });
    const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
    return { cert: leaf.toString("pem"), key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n` };
  };
  const namesOf = (names: readonly string[]): x509.JsonGeneralNames => [
    ...names.map((value) => ({ type: "dns" as const, value })),
    { type: "ip", value: "127.0.0.1" },
  ];
  const expired = { notBefore: new Date(clock.now() - 2 * DAY), notAfter: new Date(clock.now() - DAY) };
  return {
    ca: authority.toString("pem"),
    identity: (...names) => issue(names[0]!, namesOf(names)),
    expiredIdentity: (...names) => issue(names[0]!, namesOf(names), expired),
    identityWith: (name, others) => issue(name, [...others]),
  };
}
