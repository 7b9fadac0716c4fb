import { type ClientSnapshot, profileOf } from "../../applications/clients/index.ts";
import { oncePer } from "../../kernel/once.ts";
import type { Signer, SigningAlg } from "../../tenancy/keys/index.ts";
import type { IssuerParts } from "./parts.ts";

/** The `typ` of RFC 9068 §2.1, OpenID Connect Back-Channel Logout §2.4, RFC 9701 §5 and transaction evidence. An ID token has none. */
type JwtType = "at+jwt" | "logout+jwt" | "token-introspection+jwt" | "tx+jwt" | typeof ID_JAG_TYPE | undefined;

/** draft-ietf-oauth-identity-assertion-authz-grant §3: the `typ` of an identity assertion. No other kind of token has it. */
export const ID_JAG_TYPE = "oauth-id-jag+jwt";

const base64url = (text: string): string => Buffer.from(text, "utf8").toString("base64url");

const headers = oncePer((_signer: Signer) => new Map<JwtType, string>());

/** Returns the encoded header, which is computed once for each key and type. */
function headerOf(signer: Signer, typ: JwtType): string {
  const ofSigner = headers(signer);
  let header = ofSigner.get(typ);
  if (header === undefined) {
    header = base64url(JSON.stringify({ alg: signer.alg, typ, kid: signer.kid }));
    ofSigner.set(typ, header);
  }
  return header;
}

/** Signs a serialised payload with the realm's active key. */
export async function signJwt(
  { signingKeys, realm }: Pick<IssuerParts, "signingKeys" | "realm">,
  alg: SigningAlg,
  typ: JwtType,
  payload: string,
): Promise<string> {
  const signer = await signingKeys.signer(realm.realmId, alg);
  if (!signer) throw new Error("The realm was deleted while a token was made");
  const signed = `${headerOf(signer, typ)}.${base64url(payload)}`;
  const signature = await signer.sign(Buffer.from(signed, "latin1"));
  return `${signed}.${signature.toString("base64url")}`;
}

/** Returns the signing algorithm: the client's, or the realm's if the client's profile allows it. */
export function algOf(
  { realm }: Pick<IssuerParts, "realm">,
  { settings }: ClientSnapshot,
  token: "accessTokenAlg" | "idTokenAlg",
): SigningAlg {
  return settings[token] ?? fitting(settings, realm.settings.tokens.signingAlg);
}

/** JARM §3, RFC 9701 §6: returns RS256, the default, if the client's profile allows it. */
export const defaultAlgOf = ({ settings }: ClientSnapshot): SigningAlg => fitting(settings, "RS256");
export const responseAlgOf = (client: ClientSnapshot): SigningAlg => client.settings.authorizationSignedResponseAlg ?? defaultAlgOf(client);

function fitting(settings: ClientSnapshot["settings"], usual: SigningAlg): SigningAlg {
  const { algs } = profileOf(settings);
  return algs === null || algs.includes(usual) ? usual : "PS256";
}
