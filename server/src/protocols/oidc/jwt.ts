import type { Signer } from "../../tenancy/keys/index.ts";

/** RFC 9068 §2.1; an ID token has no type. */
export type JwtType = "at+jwt" | undefined;

const headers = new WeakMap<Signer, Map<JwtType, string>>();

/** Encoded: there are as many as keys. */
function headerFor(signer: Signer, typ: JwtType): string {
  const ofSigner = headers.get(signer) ?? new Map<JwtType, string>();
  headers.set(signer, ofSigner);
  let header = ofSigner.get(typ);
  if (header === undefined) {
    header = base64url(JSON.stringify({ alg: signer.alg, typ, kid: signer.kid }));
    ofSigner.set(typ, header);
  }
  return header;
}

const base64url = (text: string): string => Buffer.from(text, "utf8").toString("base64url");

/** Signs a payload that is text already. */
export async function signJwt(signer: Signer, typ: JwtType, payload: string): Promise<string> {
  const signed = `${headerFor(signer, typ)}.${base64url(payload)}`;
  const signature = await signer.sign(Buffer.from(signed, "latin1"));
  return `${signed}.${signature.toString("base64url")}`;
}
