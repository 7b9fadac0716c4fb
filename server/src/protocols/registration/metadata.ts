import type { Client, CreateClient, ResponseType, UpdateClient } from "../../applications/clients/index.ts";
import { toGrantType } from "../../applications/clients/index.ts";
import type { RegistrationRequest } from "./metadata.schema.ts";

/** RFC 7591 §2, OpenID Connect Dynamic Client Registration §2 and others: what a member of the metadata is called in the resource. */
export const memberNames = {
  redirect_uris: "redirectUris",
  client_name: "name",
  application_type: "applicationType",
  contacts: "contacts",
  logo_uri: "logoUri",
  client_uri: "clientUri",
  policy_uri: "policyUri",
  tos_uri: "tosUri",
  jwks_uri: "jwksUri",
  jwks: "jwks",
  sector_identifier_uri: "sectorIdentifierUri",
  id_token_signed_response_alg: "idTokenAlg",
  userinfo_signed_response_alg: "userinfoAlg",
  authorization_signed_response_alg: "authorizationSignedResponseAlg",
  request_object_signing_alg: "requestObjectAlg",
  token_endpoint_auth_signing_alg: "authSigningAlg",
  tls_client_auth_subject_dn: "tlsClientAuthSubjectDn",
  default_max_age: "defaultMaxAge",
  require_auth_time: "requireAuthTime",
  default_acr_values: "defaultAcrValues",
  initiate_login_uri: "initiateLoginUri",
  request_uris: "requestUris",
  post_logout_redirect_uris: "postLogoutRedirectUris",
  backchannel_logout_uri: "backchannelLogoutUri",
  backchannel_logout_session_required: "backchannelLogoutSessionRequired",
  dpop_bound_access_tokens: "requireDpop",
  require_pushed_authorization_requests: "requirePar",
  require_signed_request_object: "requireSignedRequestObject",
  backchannel_token_delivery_mode: "cibaDeliveryMode",
  backchannel_client_notification_endpoint: "cibaNotificationEndpoint",
} as const satisfies Record<string, keyof CreateClient>;

/** Those that are not merely called otherwise. */
const otherNames = {
  grant_types: "grantTypes",
  response_types: "responseTypes",
  token_endpoint_auth_method: "authMethod",
  scope: "scopes",
  subject_type: "subjectClaim",
} as const;

const spoken = new Map<string, string>(
  [...Object.entries(memberNames), ...Object.entries(otherNames)].map(([oauth, member]) => [member, oauth]),
);

/** The rules of clients name members as the admin API does; whoever registers knows them by other names. */
export const inOAuthWords = (text: string): string => text.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (word) => spoken.get(word) ?? word);

/** RFC 7591 §2: `code` where nothing is said, unless the grant types say that it cannot be meant. */
export function responseTypesOf({ grant_types = ["authorization_code"], response_types = [] }: RegistrationRequest): ResponseType[] {
  if (response_types.length === 0)
    return grant_types.includes("implicit") && !grant_types.includes("authorization_code") ? ["id_token"] : ["code"];
  return [...new Set(response_types.map((type) => (type === "token id_token" ? "id_token token" : type)))];
}

/** Those of ours: `implicit` is told by the response types. */
export function grantTypesOf(metadata: RegistrationRequest) {
  const { grant_types = responseTypesOf(metadata).includes("code") ? (["authorization_code"] as const) : [] } = metadata;
  return grant_types.filter((type) => type !== "implicit");
}

/** The state that the metadata describes. What it leaves out takes its default. */
export function toClientState(metadata: RegistrationRequest): Omit<CreateClient, "clientId"> {
  const named = Object.entries(memberNames).flatMap(([oauth, member]) => {
    const value = metadata[oauth as keyof typeof memberNames];
    return value === undefined ? [] : [[member, value]];
  });
  // RFC 7591 §2 makes that client_secret_basic; libraries that say nothing send it by form, too.
  const method = metadata.token_endpoint_auth_method ?? "client_secret";
  return {
    ...Object.fromEntries(named),
    publicClient: method === "none",
    authMethod: method,
    grantTypes: grantTypesOf(metadata),
    responseTypes: responseTypesOf(metadata),
    scopes: metadata.scope?.split(" ").filter(Boolean) ?? [],
    subjectClaim: metadata.subject_type === "pairwise" ? { strategy: "pairwise" } : null,
  };
}

const described = new Set<string>([...Object.values(memberNames), ...Object.values(otherNames), "publicClient"]);
const readOnly = new Set(["id", "realmId", "clientId", "createdAt", "updatedAt", "version"]);

/** RFC 7592 §2.2: replaces what the metadata can describe. What only an administrator decides stays. */
export function toNewState(current: Client, metadata: RegistrationRequest): UpdateClient {
  const state = toClientState(metadata);
  const kept = Object.entries(current).filter(([member]) => !described.has(member) && !readOnly.has(member));
  const { strategy } = current.subjectClaim ?? {};
  const isOverridden = strategy !== undefined && strategy !== "pairwise";
  // As we spelled it: see toMetadata.
  const isEcho = current.authMethod === "client_secret" && state.authMethod === "client_secret_basic";
  return {
    ...Object.fromEntries(kept),
    ...state,
    enabled: current.enabled,
    publicClient: state.publicClient ?? current.publicClient,
    ...(isOverridden && { subjectClaim: current.subjectClaim }),
    ...(isEcho && { authMethod: current.authMethod }),
  };
}

/** The metadata as it is registered. */
export function toMetadata(client: Client): Record<string, unknown> {
  const named = Object.entries(memberNames).flatMap(([oauth, member]) => {
    const value = client[member as keyof Client];
    const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    return isEmpty && oauth !== "redirect_uris" ? [] : [[oauth, value]];
  });
  const grantTypes: string[] = client.grantTypes.map(toGrantType);
  const responseTypes = client.responseTypes.filter((type) => type !== "code" || grantTypes.includes("authorization_code"));
  if (responseTypes.some((type) => type !== "code")) grantTypes.push("implicit");
  return {
    ...Object.fromEntries(named),
    token_endpoint_auth_method: client.authMethod === "client_secret" ? "client_secret_basic" : client.authMethod,
    grant_types: grantTypes,
    response_types: responseTypes,
    subject_type: client.subjectClaim?.strategy === "pairwise" ? "pairwise" : "public",
    ...(client.scopes.length > 0 && { scope: client.scopes.join(" ") }),
  };
}
