import { type ResponseType, responseTypes } from "../../applications/clients/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";

// What an issuer can do, as its metadata announces it and as the engine is configured.

/** Of the endpoints that the engine answers. */
export const paths = {
  authorization: "/authorize",
  pushed_authorization_request: "/par",
  device_authorization: "/device/authorize",
  code_verification: "/device",
  backchannel_authentication: "/backchannel/authorize",
} as const;

/** What a sign-in can prove, each more than the one before: `1` one kind of proof, `2` two, or a passkey that verified its user. */
export const ACR_VALUES: readonly string[] = ["1", "2"];

export const authMethodsOf = ({ tlsClientCertHeader }: { readonly tlsClientCertHeader: string | null }) => [
  ...(["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"] as const),
  ...(tlsClientCertHeader === null ? [] : (["tls_client_auth", "self_signed_tls_client_auth"] as const)),
];

/**
 * OpenID Connect Core §15.2 demands those beside `code` of an issuer at which clients can register. RFC 9700 §2.1.2 advises against them:
 * tokens of an authorization response pass through the browser, where its history, its extensions and the scripts of the redirect URI can
 * read them. So a realm has to allow them, and such tokens are marked, which the admin API refuses.
 */
export const responseTypesOf = ({ settings }: Pick<RealmSnapshot, "settings">): readonly ResponseType[] =>
  settings.oidc.implicitFlow ? responseTypes : ["code"];

/** OpenID Connect Core §3.1.2.1 and, where people can make accounts of their own, Initiating User Registration §4. */
export const promptValues = ({ registration }: Settings): readonly string[] => [
  ...["none", "login", "consent", "select_account"],
  ...(registration.enabled ? ["create"] : []),
];
