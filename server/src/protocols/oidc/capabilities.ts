import { type ResponseType, responseTypes } from "../../applications/clients/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";

// The capabilities of an issuer, for its metadata and for the engine's configuration.

/** The endpoints that the engine answers. */
export const paths = {
  authorization: "/authorize",
  pushed_authorization_request: "/par",
  device_authorization: "/device/authorize",
  code_verification: "/device",
  backchannel_authentication: "/backchannel/authorize",
} as const;

export { ACR_VALUES } from "../tokens/index.ts";

export const authMethodsOf = ({ tlsClientCertHeader }: { readonly tlsClientCertHeader: string | null }) => [
  ...(["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"] as const),
  ...(tlsClientCertHeader === null ? [] : (["tls_client_auth", "self_signed_tls_client_auth"] as const)),
];

/**
 * Returns the response types of a realm. OpenID Connect Core §15.2 requires more than `code` of an issuer with dynamic registration. RFC
 * 9700 §2.1.2 advises against them, because tokens in an authorization response are exposed to the browser's history, extensions and
 * scripts. So a realm has to enable them, and the admin API refuses such tokens.
 */
export const responseTypesOf = ({ settings }: Pick<RealmSnapshot, "settings">): readonly ResponseType[] =>
  settings.oidc.implicitFlow ? responseTypes : ["code"];

/** Returns the prompts of OpenID Connect Core §3.1.2.1 and, with self-registration, of Initiating User Registration §4. */
export const promptValues = ({ registration }: Settings): readonly string[] => [
  ...["none", "login", "consent", "select_account"],
  ...(registration.enabled ? ["create"] : []),
];
