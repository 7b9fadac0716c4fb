import { isIP } from "node:net";
import type { FieldError } from "../../kernel/errors.ts";
import { parseDn } from "../../platform/ldap/index.ts";
import { asymmetricAlgs, isEncryptionKey, secretAlgs } from "../../tenancy/keys/index.ts";
import * as addresses from "./addresses.ts";
import { type GrantType, rulesOfGrantType, spellGrantType } from "./grant-types.ts";
import { profileErrors } from "./profiles.ts";
import { keyErrors } from "./public-keys.ts";
import { certificateNames } from "./reach.ts";
import type { StoredClient } from "./schema.ts";
import { usesSecret } from "./secrets.ts";
import { lacksSector } from "./sector.ts";

const error = (field: string, code: string, message: string): FieldError => ({ field, code, message });

interface Surroundings {
  readonly baseUrl: string;
  /** The realm's strategy for `sub`, which clients without their own strategy have. */
  readonly realmStrategy: string;
  /** The client before the change. Undefined for a new one. */
  readonly current: StoredClient | undefined;
}

/** Checks the rules that a schema cannot express. Returns an error for every broken one, by its member. */
export function brokenRules(client: StoredClient, publicClient: boolean, around: Surroundings): FieldError[] {
  const { baseUrl } = around;
  return [
    ...addressErrors(client),
    ...addresses.inList("audience", client.audience, addresses.ownAddressVerdict(baseUrl)),
    ...indicatorErrors(client, baseUrl),
    ...crossAppErrors(client),
    ...authenticationErrors(client, publicClient),
    ...keyErrors(client),
    ...algorithmErrors(client),
    ...encryptionErrors(client),
    ...grantErrors(client, publicClient),
    ...responseTypeErrors(client),
    ...subjectErrors(client),
    ...sectorErrors(client, around),
    ...refreshErrors(client),
    ...profileErrors(client),
  ];
}

function addressErrors(client: StoredClient): FieldError[] {
  const redirect = (uri: string) => addresses.redirectUriVerdict(uri, client.applicationType);
  return [
    ...addresses.inList("redirectUris", client.redirectUris, redirect),
    ...addresses.inList("postLogoutRedirectUris", client.postLogoutRedirectUris, redirect),
    ...addresses.inList("webOrigins", client.webOrigins, addresses.originVerdict),
    ...addresses.inList("requestUris", client.requestUris, requestUriVerdict),
    ...addresses.inList("audience", client.audience, audienceVerdict),
    ...addresses.inMember("backchannelLogoutUri", client.backchannelLogoutUri, addresses.addressVerdict),
    ...addresses.inMember(
      "frontchannelLogoutUri",
      client.frontchannelLogoutUri,
      (uri) => addresses.addressVerdict(uri) ?? sameOriginVerdict(uri, client),
    ),
    ...addresses.inMember("initiateLoginUri", client.initiateLoginUri, addresses.addressVerdict),
    ...addresses.inMember("cibaNotificationEndpoint", client.cibaNotificationEndpoint, addresses.addressVerdict),
    ...addresses.inMember("sectorIdentifierUri", client.sectorIdentifierUri, addresses.httpsVerdict),
    ...addresses.inMember("jwksUri", client.jwksUri, addresses.httpsVerdict),
    ...(["logoUri", "clientUri", "policyUri", "tosUri"] as const).flatMap((member) =>
      addresses.inMember(member, client[member], addresses.addressVerdict),
    ),
  ];
}

function indicatorErrors({ resourceIndicators }: StoredClient, baseUrl: string): FieldError[] {
  const keys = resourceIndicators.map(addresses.resourceKey);
  const isRepeated = (uri: string) => keys.indexOf(addresses.resourceKey(uri)) !== resourceIndicators.indexOf(uri);
  return addresses.inList(
    "resourceIndicators",
    resourceIndicators,
    (uri) =>
      addresses.indicatorVerdict(uri) ??
      addresses.foreignAddressVerdict(baseUrl)(uri) ??
      (isRepeated(uri) ? { code: "duplicate", message: "is another spelling of an earlier entry" } : null),
  );
}

function crossAppErrors({ crossAppAccess }: StoredClient): FieldError[] {
  const issuers = crossAppAccess.map(({ issuer }) => issuer);
  return crossAppAccess.flatMap(({ issuer }, at) => [
    ...addresses.inMember(`crossAppAccess.${at}.issuer`, issuer, addresses.addressVerdict),
    ...(issuers.indexOf(issuer) < at
      ? [error(`crossAppAccess.${at}.issuer`, "duplicate", `crossAppAccess.${at}.issuer is in the list already`)]
      : []),
  ]);
}

/** Checks OpenID Connect Front-Channel Logout §2: the frames belong to an origin of the client's redirect URIs. */
const sameOriginVerdict = (uri: string, { redirectUris }: StoredClient) =>
  redirectUris.some((redirect) => URL.canParse(redirect) && new URL(redirect).origin === new URL(uri).origin)
    ? null
    : { code: "origin", message: "must have the scheme, host and port of one of the redirect URIs" };

/** Checks OpenID Connect Core §6.2: only a request URI may have a fragment, the hash of its content. */
const requestUriVerdict = (uri: string) => addresses.httpsVerdict(uri.split("#", 1)[0]!);

/** Checks an audience. It may be a name, but a text in the form of an address has to be one. */
const audienceVerdict = (text: string) =>
  text.includes(":")
    ? addresses.resourceVerdict(text)
    : /^[!-~]+$/.test(text)
      ? null
      : { code: "format", message: "must be ASCII, without spaces" };

function authenticationErrors(client: StoredClient, publicClient: boolean): FieldError[] {
  const { authMethod } = client;
  if (publicClient && authMethod !== "none")
    return [error("authMethod", "public", "authMethod must be none for a public client, which cannot keep a secret or a key")];
  if (!publicClient && authMethod === "none")
    return [error("authMethod", "confidential", "authMethod none is for public clients: choose another, or make publicClient true")];
  const named = certificateNames.filter((member) => client[member] !== null);
  if (authMethod === "tls_client_auth" && named.length === 0)
    return [
      error(
        "tlsClientAuthSubjectDn",
        "required",
        `tlsClientAuthSubjectDn or another of ${certificateNames.slice(1).join(", ")} is needed for tls_client_auth: say whose certificate counts`,
      ),
    ];
  // RFC 8705 §2.1.2: exactly one is allowed.
  if (named.length > 1)
    return named.slice(1).map((member) => error(member, "exclusive", `${member} cannot be set beside ${named[0]}: keep one of them`));
  if (client.tlsClientAuthSubjectDn !== null && !parseDn(client.tlsClientAuthSubjectDn)?.length)
    return [
      error(
        "tlsClientAuthSubjectDn",
        "format",
        "tlsClientAuthSubjectDn is not a distinguished name, such as CN=robot,O=Example (RFC 4514)",
      ),
    ];
  if (client.tlsClientAuthSanIp !== null && isIP(client.tlsClientAuthSanIp) === 0)
    return [error("tlsClientAuthSanIp", "format", "tlsClientAuthSanIp is not an IP address")];
  return [];
}

function algorithmErrors(client: StoredClient): FieldError[] {
  const { authMethod, authSigningAlg, requestObjectAlg } = client;
  const isOneOf = (algs: readonly string[], alg: string | null) => alg !== null && algs.includes(alg);
  const errors: FieldError[] = [];
  if (isOneOf(asymmetricAlgs, authSigningAlg) && authMethod !== "private_key_jwt")
    errors.push(error("authSigningAlg", "enum", `authSigningAlg ${authSigningAlg} is for private_key_jwt`));
  if (isOneOf(secretAlgs, authSigningAlg) && authMethod !== "client_secret_jwt")
    errors.push(error("authSigningAlg", "enum", `authSigningAlg ${authSigningAlg} is for client_secret_jwt`));
  if (isOneOf(secretAlgs, requestObjectAlg) && !usesSecret(authMethod))
    errors.push(error("requestObjectAlg", "enum", `requestObjectAlg ${requestObjectAlg} needs a client with a secret`));
  if (isOneOf(asymmetricAlgs, requestObjectAlg) && client.jwks === null && client.jwksUri === null)
    errors.push(error("requestObjectAlg", "keys", `requestObjectAlg ${requestObjectAlg} needs the client's public keys: jwks or jwksUri`));
  return errors;
}

function encryptionErrors(client: StoredClient): FieldError[] {
  return (["idToken", "userinfo", "authorization", "introspection"] as const).flatMap((of) => {
    const [algMember, encMember] = [`${of}EncryptedResponseAlg`, `${of}EncryptedResponseEnc`] as const;
    const alg = client[algMember];
    if (alg === null)
      return client[encMember] === null
        ? []
        : [error(encMember, "alg", `${encMember} needs ${algMember}: say what the key is encrypted with`)];
    if (client.jwks === null && client.jwksUri === null)
      return [error(algMember, "keys", `${algMember} ${alg} needs the client's public keys: jwks or jwksUri`)];
    // The keys at jwksUri may change at any time, so they are read when a token is encrypted.
    return client.jwks === null || client.jwks.keys.some((key) => isEncryptionKey(key, alg))
      ? []
      : [error(algMember, "keys", `${algMember} ${alg} needs a key in jwks that it encrypts to, with the use enc or none`)];
  });
}

const CIBA: GrantType = "urn:openid:params:grant-type:ciba";

function grantErrors(client: StoredClient, publicClient: boolean): FieldError[] {
  const errors = client.grantTypes
    .filter((grant) => publicClient && rulesOfGrantType(grant).isConfidentialOnly)
    .map((grant) => error("grantTypes", "confidential", `grantTypes: ${spellGrantType(grant)} is for confidential clients only`));
  if (client.cibaDeliveryMode === "ping" && client.cibaNotificationEndpoint === null)
    errors.push(error("cibaNotificationEndpoint", "required", "cibaNotificationEndpoint is needed for the mode ping: say what to call"));
  if (client.cibaDeliveryMode !== null && !client.grantTypes.includes(CIBA))
    errors.push(error("cibaDeliveryMode", "grant_type", "cibaDeliveryMode is for clients with the grant type CIBA"));
  return errors;
}

/** Checks OpenID Connect Dynamic Client Registration §2, `application_type`: tokens in an address go to no http address and no device. */
function responseTypeErrors(client: StoredClient): FieldError[] {
  const { responseTypes, redirectUris, applicationType, grantTypes, requireDpop, certificateBoundTokens } = client;
  if (responseTypes.every((type) => type === "code")) return [];
  // Access tokens in an authorization response are not bound.
  const withToken = responseTypes.find((type) => type.split(" ").includes("token"));
  if (withToken !== undefined && (requireDpop || certificateBoundTokens)) {
    const member = requireDpop ? "requireDpop" : "certificateBoundTokens";
    return [error("responseTypes", "unbound", `responseTypes: ${withToken} gives tokens that are not bound, which ${member} refuses`)];
  }
  const withCode = responseTypes.find((type) => type.startsWith("code"));
  if (withCode !== undefined && !grantTypes.includes("authorization_code"))
    return [error("responseTypes", "grant_type", `responseTypes: ${withCode} needs the grant type authorization_code`)];
  const isFit = (uri: string) => !URL.canParse(uri) || (new URL(uri).protocol === "https:" && new URL(uri).hostname !== "localhost");
  return applicationType === "native" || redirectUris.every(isFit)
    ? []
    : [error("responseTypes", "redirect", "responseTypes: tokens in an address need redirect URIs with https, and not on localhost")];
}

/** Checks RFC 9700 §2.2.2: a refresh token is replaced with each use, or bound to its sender by client authentication or by a key. */
function refreshErrors({ rotateRefreshTokens, authMethod, requireDpop, certificateBoundTokens }: StoredClient): FieldError[] {
  if (rotateRefreshTokens || authMethod !== "none" || requireDpop || certificateBoundTokens) return [];
  const message = "rotateRefreshTokens can be false for a public client only where requireDpop or certificateBoundTokens is true";
  return [error("rotateRefreshTokens", "unbound", message)];
}

function subjectErrors({ subjectClaim }: StoredClient): FieldError[] {
  if (subjectClaim === null) return [];
  const { strategy, attribute = null } = subjectClaim;
  if (strategy === "attribute" && attribute === null)
    return [error("subjectClaim.attribute", "required", "subjectClaim.attribute is needed for the strategy attribute")];
  if (strategy !== "attribute" && attribute !== null)
    return [error("subjectClaim.attribute", "strategy", "subjectClaim.attribute is for the strategy attribute only")];
  return [];
}

/** Checks the sector. A client that had none before its realm chose pairwise subjects may stay so, as a sector of its own. */
function sectorErrors(client: StoredClient, { realmStrategy, current }: Surroundings): FieldError[] {
  const strategy = client.subjectClaim?.strategy ?? realmStrategy;
  if (strategy !== "pairwise" || !lacksSector(client)) return [];
  if (client.subjectClaim === null && current && current.subjectClaim === null && lacksSector(current)) return [];
  const message = "sectorIdentifierUri is needed for pairwise subjects where the redirect URIs are on several hosts";
  return [error("sectorIdentifierUri", "required", message)];
}
