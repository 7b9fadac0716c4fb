import type { CreateClient } from "../../../applications/clients/index.ts";

/** RFC 7591 §2, OpenID Connect Dynamic Client Registration §2 and others: metadata members by their names in the admin API. */
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
  introspection_signed_response_alg: "introspectionSignedResponseAlg",
  id_token_encrypted_response_alg: "idTokenEncryptedResponseAlg",
  id_token_encrypted_response_enc: "idTokenEncryptedResponseEnc",
  userinfo_encrypted_response_alg: "userinfoEncryptedResponseAlg",
  userinfo_encrypted_response_enc: "userinfoEncryptedResponseEnc",
  authorization_encrypted_response_alg: "authorizationEncryptedResponseAlg",
  authorization_encrypted_response_enc: "authorizationEncryptedResponseEnc",
  introspection_encrypted_response_alg: "introspectionEncryptedResponseAlg",
  introspection_encrypted_response_enc: "introspectionEncryptedResponseEnc",
  request_object_signing_alg: "requestObjectAlg",
  token_endpoint_auth_signing_alg: "authSigningAlg",
  tls_client_auth_subject_dn: "tlsClientAuthSubjectDn",
  tls_client_auth_san_dns: "tlsClientAuthSanDns",
  tls_client_auth_san_uri: "tlsClientAuthSanUri",
  tls_client_auth_san_ip: "tlsClientAuthSanIp",
  tls_client_auth_san_email: "tlsClientAuthSanEmail",
  default_max_age: "defaultMaxAge",
  require_auth_time: "requireAuthTime",
  default_acr_values: "defaultAcrValues",
  initiate_login_uri: "initiateLoginUri",
  request_uris: "requestUris",
  post_logout_redirect_uris: "postLogoutRedirectUris",
  frontchannel_logout_uri: "frontchannelLogoutUri",
  frontchannel_logout_session_required: "frontchannelLogoutSessionRequired",
  backchannel_logout_uri: "backchannelLogoutUri",
  backchannel_logout_session_required: "backchannelLogoutSessionRequired",
  dpop_bound_access_tokens: "requireDpop",
  require_pushed_authorization_requests: "requirePar",
  require_signed_request_object: "requireSignedRequestObject",
  backchannel_token_delivery_mode: "cibaDeliveryMode",
  backchannel_client_notification_endpoint: "cibaNotificationEndpoint",
} as const satisfies Record<string, keyof CreateClient>;

/** Members that differ in more than their name. */
export const otherNames = {
  grant_types: "grantTypes",
  response_types: "responseTypes",
  token_endpoint_auth_method: "authMethod",
  scope: "scopes",
  subject_type: "subjectClaim",
} as const;

const spoken = new Map<string, string>(
  [...Object.entries(memberNames), ...Object.entries(otherNames)].map(([oauth, member]) => [member, oauth]),
);

/** Translates field errors of the client rules from admin API names to metadata names. */
export const inOAuthWords = (text: string): string => text.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (word) => spoken.get(word) ?? word);
