import type { FieldError } from "../../kernel/errors.ts";
import { type ClientProfile, clientProfiles } from "../../tenancy/settings/index.ts";
import type { GrantType } from "./grant-types.ts";
import type { ClientAuthMethod, StoredClient } from "./schema.ts";

/** The requirements of a profile for clients and requests. Every check reads them here. */
export interface ProfileRules {
  /** True to require PKCE (RFC 7636) with S256. */
  readonly pkce: boolean;
  /** True to require pushed authorization requests (RFC 9126). */
  readonly par: boolean;
  /** The allowed authentication methods. Null means any, and allows public clients. */
  readonly authMethods: readonly ClientAuthMethod[] | null;
  /** True to bind tokens by DPoP (RFC 9449) or a certificate (RFC 8705). */
  readonly senderConstrained: boolean;
  /** The algorithms of everything that either side signs. Null means any. */
  readonly algs: readonly string[] | null;
  /** True if the audience of client assertions must be the issuer as one string, and not a list or the address of an endpoint. */
  readonly issuerAudience: boolean;
  readonly maxCodeSeconds: number | null;
  readonly refusedGrants: readonly GrantType[];
  /** True if the authorization endpoint returns no tokens. */
  readonly codeOnly: boolean;
  /** True to require https, or http to the device itself for native clients. */
  readonly httpsRedirects: boolean;
  /** True if sender-constrained refresh tokens are not replaced when they are used. */
  readonly keepsRefreshTokens: boolean;
  /** True if authorization requests must be signed (RFC 9101). */
  readonly signedRequests: boolean;
  /** True if the responses to them must be signed (JARM). */
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

/** The rules of draft-ietf-oauth-v2-1: OAuth 2.0 without its insecure parts. */
const oauth21: ProfileRules = { ...none, pkce: true, refusedGrants: ["password"], codeOnly: true };

/** The rules of FAPI 2.0 Security Profile §5.3.2, §5.4. */
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

/** The rules of FAPI 2.0 Message Signing §5.3, §5.4. */
const fapi2MessageSigning: ProfileRules = { ...fapi2Security, signedRequests: true, signedResponses: true };

const rules: Record<ClientProfile, ProfileRules> = {
  none,
  oauth21,
  "fapi2-security": fapi2Security,
  "fapi2-message-signing": fapi2MessageSigning,
};

export const profileOf = ({ profile }: { readonly profile: ClientProfile }): ProfileRules => rules[profile];

/** Compares profiles. Each has all requirements of those before it. */
export const isWeaker = (a: ClientProfile, b: ClientProfile): boolean => clientProfiles.indexOf(a) < clientProfiles.indexOf(b);

/** Returns defaults of members that a request leaves out when it chooses a profile. */
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

/** Returns an error for every member that contradicts the client's profile. */
export function profileErrors(client: StoredClient): FieldError[] {
  const { profile } = client;
  const demanded = rules[profile];
  const errors: FieldError[] = [];
  const refuse = (field: string, message: string) =>
    errors.push({ field, code: "profile", message: `${field} ${message}: the profile ${profile} requires it` });
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
