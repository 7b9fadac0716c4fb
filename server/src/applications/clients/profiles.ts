import type { FieldError } from "../../kernel/errors.ts";
import { type ClientProfile, clientProfiles } from "../../tenancy/settings/index.ts";
import type { GrantType } from "./grant-types.ts";
import type { ClientAuthMethod, StoredClient } from "./schema.ts";

/** The requirements of a profile for clients and requests. Every check reads them here. */
export interface ProfileRules {
  /** RFC 7636 with S256. */
  readonly pkce: boolean;
  /** RFC 9126 */
  readonly par: boolean;
  /** Null: any, public clients included. */
  readonly authMethods: readonly ClientAuthMethod[] | null;
  /** Tokens are bound by DPoP (RFC 9449) or a certificate (RFC 8705). */
  readonly senderConstrained: boolean;
  /** For everything that either side signs; null: any. */
  readonly algs: readonly string[] | null;
  /** The audience of client assertions is the issuer as one string: no list, and no address of an endpoint. */
  readonly issuerAudience: boolean;
  readonly maxCodeSeconds: number | null;
  readonly refusedGrants: readonly GrantType[];
  /** No tokens in answers of the authorization endpoint. */
  readonly codeOnly: boolean;
  /** https, or http to the device itself for native clients. */
  readonly httpsRedirects: boolean;
  /** Sender-bound refresh tokens are not replaced when they are used. */
  readonly keepsRefreshTokens: boolean;
  /** RFC 9101: authorization requests are signed, */
  readonly signedRequests: boolean;
  /** and so are their answers (JARM). */
  readonly signedResponses: boolean;
}

const none: ProfileRules = {
  pkce: false,
  par: false,
  authMethods: null,
  senderConstrained: false,
  algs: null,
  issuerAudience: false,
  maxCodeSeconds: null,
  refusedGrants: [],
  codeOnly: false,
  httpsRedirects: false,
  keepsRefreshTokens: false,
  signedRequests: false,
  signedResponses: false,
};

/** draft-ietf-oauth-v2-1: OAuth 2.0 without its insecure parts. */
const oauth21: ProfileRules = { ...none, pkce: true, refusedGrants: ["password"], codeOnly: true };

/** FAPI 2.0 Security Profile §5.3.2, §5.4. */
const fapi2Security: ProfileRules = {
  ...oauth21,
  par: true,
  authMethods: ["private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"],
  senderConstrained: true,
  algs: ["PS256", "ES256", "EdDSA", "Ed25519"],
  issuerAudience: true,
  maxCodeSeconds: 60,
  httpsRedirects: true,
  keepsRefreshTokens: true,
};

/** FAPI 2.0 Message Signing §5.3, §5.4. */
const fapi2MessageSigning: ProfileRules = { ...fapi2Security, signedRequests: true, signedResponses: true };

const rules: Record<ClientProfile, ProfileRules> = {
  none,
  oauth21,
  "fapi2-security": fapi2Security,
  "fapi2-message-signing": fapi2MessageSigning,
};

export const profileOf = ({ profile }: { readonly profile: ClientProfile }): ProfileRules => rules[profile];

/** Each demands all that those before it do. */
export const isWeaker = (a: ClientProfile, b: ClientProfile): boolean => clientProfiles.indexOf(a) < clientProfiles.indexOf(b);

/** Defaults of members that a request leaves out when it chooses a profile. */
export function profileDefaults({ profile = "none", authMethod, certificateBoundTokens }: Partial<StoredClient>): Partial<StoredClient> {
  const { pkce, par, authMethods, senderConstrained, keepsRefreshTokens, signedRequests } = rules[profile];
  const method = authMethod ?? authMethods?.[0];
  return {
    ...(method && { authMethod: method }),
    ...(pkce && { requirePkce: true }),
    ...(par && { requirePar: true }),
    ...(senderConstrained && { requireDpop: !certificateBoundTokens && !method?.endsWith("tls_client_auth") }),
    ...(keepsRefreshTokens && { rotateRefreshTokens: false }),
    ...(signedRequests && { requireSignedRequestObject: true }),
  };
}

/** Every member that contradicts the client's profile. */
export function profileErrors(client: StoredClient): FieldError[] {
  const { profile } = client;
  const demanded = rules[profile];
  const errors: FieldError[] = [];
  const refuse = (field: string, message: string) =>
    errors.push({ field, code: "profile", message: `${field} ${message}: the profile ${profile} demands it` });
  const flag = (field: "requirePkce" | "requirePar" | "requireSignedRequestObject", isDemanded: boolean) => {
    if (isDemanded && !client[field]) refuse(field, "must be true");
  };
  flag("requirePkce", demanded.pkce);
  flag("requirePar", demanded.par);
  flag("requireSignedRequestObject", demanded.signedRequests);
  if (demanded.authMethods && !demanded.authMethods.includes(client.authMethod))
    refuse("authMethod", `must be one of ${demanded.authMethods.join(", ")}`);
  const isBound = client.requireDpop || client.certificateBoundTokens || client.authMethod.endsWith("tls_client_auth");
  if (demanded.senderConstrained && !isBound) refuse("requireDpop", "must be true, unless the client's tokens are bound to a certificate");
  for (const member of signingMembers) {
    const alg = client[member];
    if (alg !== null && demanded.algs && !demanded.algs.includes(alg))
      refuse(member, `must be one of ${demanded.algs.join(", ")}, or null`);
  }
  if (demanded.maxCodeSeconds !== null && (client.codeLifetime ?? 0) > demanded.maxCodeSeconds)
    refuse("codeLifetime", `must be at most ${demanded.maxCodeSeconds}, or null`);
  const grants = client.grantTypes.filter((grant) => demanded.refusedGrants.includes(grant));
  if (grants.length > 0) refuse("grantTypes", `must not hold ${grants.join(", ")}`);
  if (demanded.codeOnly && client.responseTypes.some((type) => type !== "code")) refuse("responseTypes", "must be code alone");
  if (demanded.keepsRefreshTokens && client.rotateRefreshTokens) refuse("rotateRefreshTokens", "must be false");
  if (demanded.httpsRedirects)
    client.redirectUris.forEach((uri, index) => {
      const isOnDevice = client.applicationType === "native" && uri.startsWith("http:");
      if (!uri.startsWith("https:") && !isOnDevice) refuse(`redirectUris.${index}`, "must use https");
    });
  return errors;
}

/** The settings that name algorithms. */
const signingMembers = [
  "authSigningAlg",
  "requestObjectAlg",
  "accessTokenAlg",
  "idTokenAlg",
  "userinfoAlg",
  "authorizationSignedResponseAlg",
  "introspectionSignedResponseAlg",
] as const;
