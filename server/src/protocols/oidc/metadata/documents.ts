import { grantTypes } from "../../../applications/clients/index.ts";
import { oncePer } from "../../../kernel/once.ts";
import { LOCALES } from "../../../pages/index.ts";
import { documentOf, type PublishedDocument } from "../../../platform/http/index.ts";
import * as keys from "../../../tenancy/keys/index.ts";
import { aliased } from "../../proof/index.ts";
import { claimNames } from "../../tokens/index.ts";
import { ACR_VALUES, authMethodsOf, paths, promptValues, responseTypesOf } from "../capabilities.ts";
import type { Issuer } from "../issuer.ts";

/** Makes a document once per issuer. It is made anew when the realm's configuration changes. */
const once = (make: (issuer: Issuer) => object) => oncePer((issuer: Issuer): PublishedDocument => documentOf(make(issuer)));

const encryptionOf = (...answers: readonly string[]) =>
  Object.fromEntries(
    answers.flatMap((answer) => [
      [`${answer}_encryption_alg_values_supported`, keys.encryptionAlgs],
      [`${answer}_encryption_enc_values_supported`, keys.contentEncryptions],
    ]),
  );

/** RFC 8705 §5: returns the endpoints on the host that requests client certificates, so that browsers are not prompted for one. */
function aliasesOf({ baseUrl, mtlsBaseUrl, issuer }: Issuer["parts"]) {
  if (mtlsBaseUrl === null) return {};
  const at = mtlsBaseUrl + issuer.slice(baseUrl.length);
  return { mtls_endpoint_aliases: Object.fromEntries(Object.entries(aliased).map(([name, path]) => [name, at + path])) };
}

/** Returns the metadata of OpenID Connect Discovery §3 and of RFC 8414, which share their members. */
const discovery = ({ parts }: Issuer) => {
  const { issuer, offered, realm, scopesOfRealm, tlsClientCertHeader } = parts;
  const { authorizationDetailsTypes } = realm.settings.tokens;
  const responseTypes = responseTypesOf(realm);
  const implied = ["sub", "acr", "sid", "auth_time", "iss", "amr"];
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: issuer + paths.authorization,
    pushed_authorization_request_endpoint: issuer + paths.pushed_authorization_request,
    device_authorization_endpoint: issuer + paths.device_authorization,
    backchannel_authentication_endpoint: issuer + paths.backchannel_authentication,
    token_endpoint: `${issuer}/token`,
    introspection_endpoint: `${issuer}/introspect`,
    revocation_endpoint: `${issuer}/revoke`,
    userinfo_endpoint: `${issuer}/userinfo`,
    end_session_endpoint: `${issuer}/logout`,
    ...offered,
    grant_types_supported: [...grantTypes, ...(responseTypes.some((type) => type !== "code") ? ["implicit"] : [])],
    // Token exchange issues identity assertions of this type, and the grant type jwt-bearer accepts them.
    identity_chaining_requested_token_types_supported: ["urn:ietf:params:oauth:token-type:id-jag"],
    authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    response_types_supported: responseTypes,
    response_modes_supported: ["form_post", "fragment", "query", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"],
    // OpenID Connect Discovery §3: `openid` is always among them.
    scopes_supported: [...new Set(["openid", ...scopesOfRealm.scopes.map(({ name }) => name)])],
    claims_supported: [...new Set([...Object.values(claimNames(scopesOfRealm)).flat(), ...implied])],
    claim_types_supported: ["normal"],
    claims_parameter_supported: true,
    acr_values_supported: ACR_VALUES,
    subject_types_supported: ["public", "pairwise"],
    prompt_values_supported: promptValues(realm.settings),
    ui_locales_supported: LOCALES,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    request_object_signing_alg_values_supported: keys.clientAlgs,
    token_endpoint_auth_methods_supported: authMethodsOf(parts),
    token_endpoint_auth_signing_alg_values_supported: keys.clientAlgs,
    revocation_endpoint_auth_methods_supported: authMethodsOf(parts),
    revocation_endpoint_auth_signing_alg_values_supported: keys.clientAlgs,
    // A public client cannot introspect tokens.
    introspection_endpoint_auth_methods_supported: authMethodsOf(parts).filter((method) => method !== "none"),
    introspection_endpoint_auth_signing_alg_values_supported: keys.clientAlgs,
    dpop_signing_alg_values_supported: keys.proofAlgs,
    ...(tlsClientCertHeader !== null && { tls_client_certificate_bound_access_tokens: true }),
    ...aliasesOf(parts),
    request_object_encryption_alg_values_supported: keys.decryptionAlgs,
    request_object_encryption_enc_values_supported: keys.contentEncryptions,
    ...encryptionOf("id_token", "userinfo", "authorization", "introspection"),
    introspection_signing_alg_values_supported: keys.signingAlgs,
    id_token_signing_alg_values_supported: keys.signingAlgs,
    userinfo_signing_alg_values_supported: keys.signingAlgs,
    authorization_signing_alg_values_supported: keys.signingAlgs,
    backchannel_token_delivery_modes_supported: ["poll", "ping"],
    backchannel_user_code_parameter_supported: false,
    backchannel_authentication_request_signing_alg_values_supported: keys.asymmetricAlgs,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    ...(authorizationDetailsTypes.length > 0 && { authorization_details_types_supported: authorizationDetailsTypes }),
  };
};
export const discoveryDocument = once(discovery);

/** Returns the metadata of UMA 2.0 Grant §2 and Federated Authorization §2, which extend RFC 8414. */
export const umaConfiguration = once((of) => ({
  ...discovery(of),
  permission_endpoint: `${of.parts.issuer}/authz/protection/permission`,
  resource_registration_endpoint: `${of.parts.issuer}/authz/protection/resource_set`,
  uma_profiles_supported: [],
}));

/** Returns the metadata of AuthZEN 1.0 §9. */
export const authzenConfiguration = once(({ parts: { issuer } }) => ({
  policy_decision_point: issuer,
  access_evaluation_endpoint: `${issuer}/access/v1/evaluation`,
  access_evaluations_endpoint: `${issuer}/access/v1/evaluations`,
  search_subject_endpoint: `${issuer}/access/v1/search/subject`,
  search_resource_endpoint: `${issuer}/access/v1/search/resource`,
  search_action_endpoint: `${issuer}/access/v1/search/action`,
}));

/** RFC 9728: describes the realm's own endpoints as a protected resource. */
export const protectedResource = once((of) => {
  const { issuer, scopesOfRealm, realm } = of.parts;
  return {
    resource: issuer,
    authorization_servers: [issuer],
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: scopesOfRealm.scopes.map(({ name }) => name),
    bearer_methods_supported: ["header", "body"],
    dpop_signing_alg_values_supported: keys.proofAlgs,
    resource_name: realm.settings.displayName ?? realm.realmId,
  };
});
