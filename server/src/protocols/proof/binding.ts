import type { IncomingHttpHeaders } from "node:http";
import { type ClientSnapshot, profileOf } from "../../applications/clients/index.ts";
import { type OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Binding, LiveToken } from "../tokens/index.ts";
import { type AddressParts, type AddressRealm, announcedAddresses } from "./addresses.ts";
import { certificateOf, hasShown, thumbprintOf } from "./certificate.ts";
import { type DpopProof, isFirstUse, verifyDpopProof } from "./dpop.ts";

export interface ProofParts extends AddressParts {
  readonly db: Db;
  readonly realm: AddressRealm & { readonly realmId: string };
  readonly tlsClientCertHeader: string | null;
}

export interface ProofRequest {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  /** The endpoint's URL. */
  readonly url: string;
}

/** RFC 8705 §3, §3.4: tells whether a client gets certificate-bound tokens: it is configured so, or uses mutual TLS without DPoP. */
const isBoundToCertificate = ({ settings }: ClientSnapshot): boolean =>
  settings.certificateBoundTokens || (settings.authMethod.endsWith("tls_client_auth") && !settings.requireDpop);

/** RFC 9449 §5, RFC 8705 §3: returns the key and certificate that the tokens of a request are bound to, or none for bearer tokens. */
export async function proveBinding(parts: ProofParts, client: ClientSnapshot, request: ProofRequest): Promise<Binding> {
  const certificate = isBoundToCertificate(client) ? certificateOf(request, parts.tlsClientCertHeader) : undefined;
  if (isBoundToCertificate(client) && !certificate) throw oauthErrors.invalidRequest("mutual TLS client certificate not provided");
  const proof = await presentedProof(parts, client, request, oauthErrors.invalidDpopProof);
  if (!proof && client.settings.requireDpop) throw oauthErrors.invalidDpopProof("DPoP proof JWT not provided");
  if (!proof && !certificate) return {};
  return { ...(proof && { jkt: proof.jkt }), ...(certificate && { "x5t#S256": thumbprintOf(certificate) }) };
}

/** The client of a proof. With a presented token only its `client_id` is known, so the profile's algorithms do not restrict the proof. */
type ProofClient = Pick<ClientSnapshot, "clientId"> & Partial<Pick<ClientSnapshot, "settings">>;

/** Returns the verified DPoP proof of a request, or null if none was sent. Each `jti` is accepted once. */
export async function presentedProof(
  parts: ProofParts,
  client: ProofClient,
  { headers, method, url }: ProofRequest,
  refuse: (description: string) => OAuthError,
  accessToken?: string,
): Promise<DpopProof | null> {
  const { dpop } = headers;
  if (dpop === undefined) return null;
  const { algs } = client.settings ? profileOf(client.settings) : {};
  const proof = await verifyDpopProof({
    proof: String(dpop),
    method,
    urls: announcedAddresses(parts, url),
    ...(accessToken !== undefined && { accessToken }),
    ...(algs && { algs }),
  });
  if (!(await isFirstUse(parts.db, parts.realm.realmId, client.clientId, proof))) throw refuse("DPoP proof JWT Replay detected");
  return proof;
}

export interface PresentedToken {
  readonly scheme: "bearer" | "dpop";
  readonly token: string;
}

/** RFC 9449 §7, RFC 8705 §3: checks that the caller has the key that the token is bound to. */
export async function checkPossession(
  parts: ProofParts,
  request: ProofRequest,
  live: LiveToken,
  { scheme, token }: PresentedToken,
): Promise<void> {
  const { jkt, "x5t#S256": thumbprint } = live.confirmation ?? {};
  const refuse = oauthErrors.invalidToken;
  if ((scheme === "dpop") !== (jkt !== undefined)) throw refuse("the token does not fit the authorization scheme");
  if (jkt !== undefined) {
    const proof = await presentedProof(parts, live, request, refuse, token);
    if (proof?.jkt !== jkt) throw refuse("failed jkt verification");
  }
  if (thumbprint !== undefined && !hasShown(request, parts.tlsClientCertHeader, thumbprint)) throw refuse("failed x5t#S256 verification");
}
