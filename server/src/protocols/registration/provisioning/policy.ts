import type { ScopesSnapshot } from "../../../applications/client-scopes/index.ts";
import { type GrantType, isWithinServer, rulesOfGrantType, spellGrantType, toGrantType } from "../../../applications/clients/index.ts";
import { type FieldError, invalidFields } from "../../../kernel/errors.ts";
import { type Outbound, urlFaults } from "../../../platform/outbound/index.ts";
import { contentEncryptions, decryptionAlgs } from "../../../tenancy/keys/index.ts";
import { ACCOUNT_SCOPE } from "../../gate/index.ts";
import { invalidMetadata } from "../errors.ts";
import type { ClientMetadata } from "../metadata/metadata.schema.ts";
import { grantTypesOf, inferredApplicationType, responseTypesOf } from "../metadata/metadata.ts";
import type { Provisioning } from "./provisioning.schema.ts";

type Policy = Provisioning["registration"];

const error = (field: string, code: string, message: string): FieldError => ({ field, code, message });
const allowed = (values: readonly string[]) => (values.length === 0 ? "none at all" : values.join(", "));

/** Tells whether a client has this value already, in a member with one value or with several. */
export type Has = (member: string, value: unknown) => boolean;

/** Makes a function that tells whether a client has a value already, and so may keep it. Null is for a new client, which has none. */
export const hasAlready =
  (current: Readonly<Record<string, unknown>> | null): Has =>
  (member, value) => {
    const present = member === "scope" ? String(current?.scope ?? "").split(" ") : current?.[member];
    return Array.isArray(present) ? present.includes(value) : present !== undefined && present === value;
  };

interface Around {
  readonly scopes: ScopesSnapshot | null;
  readonly ownAddresses: readonly string[];
  readonly has: Has;
}

/** Applies the realm's restrictions for self-registered clients to values beyond their current ones, besides the rules for all clients. */
export function enforcePolicy(policy: Policy, { scopes, ownAddresses, has }: Around, metadata: ClientMetadata): void {
  const errors = [
    ...protectionErrors(metadata),
    ...grantErrors(policy, has, metadata),
    ...methodErrors(policy, has, metadata),
    ...scopeErrors(scopes, has, metadata),
    ...redirectErrors(policy, has, metadata),
    ...linkErrors(has, metadata),
    ...ownAddressErrors(ownAddresses, has, metadata),
  ];
  if (errors.length > 0) throw invalidFields(errors);
}

/** OpenID Connect Dynamic Client Registration §2: refuses unsupported algorithms of encrypted request objects, which are not stored. */
const protectionErrors = (metadata: ClientMetadata): FieldError[] => {
  const { request_object_encryption_alg: alg, request_object_encryption_enc: enc } = metadata as Record<string, unknown>;
  const check = (member: string, value: unknown, known: readonly string[]) =>
    value === undefined || known.includes(value as string) ? [] : [error(member, "enum", `${member} must be one of: ${known.join(", ")}`)];
  return [
    ...check("request_object_encryption_alg", alg, decryptionAlgs),
    ...check("request_object_encryption_enc", enc, contentEncryptions),
  ];
};

function grantErrors({ allowedGrantTypes, allowedResponseTypes }: Policy, has: Has, metadata: ClientMetadata): FieldError[] {
  const isOpen = (type: GrantType) => rulesOfGrantType(type).isSelfRegistrable && allowedGrantTypes.includes(spellGrantType(type));
  const refused = grantTypesOf(metadata).filter((type) => !isOpen(type) && !has("grant_types", type));
  if (refused.length > 0) {
    const known = allowed(allowedGrantTypes.map(toGrantType));
    return [error("grant_types", "policy", `grant_types: ${refused.join(", ")} may not be registered in this realm. Allowed: ${known}`)];
  }
  const responseTypes = responseTypesOf(metadata);
  const unwanted = responseTypes.filter((type) => type !== "code" && !allowedResponseTypes.includes(type) && !has("response_types", type));
  if (unwanted.length > 0) {
    const message = `response_types: ${unwanted.join(", ")} may not be registered in this realm. Allowed: ${allowed(allowedResponseTypes)}`;
    return [error("response_types", "policy", message)];
  }
  // RFC 7591 §2.1: response types need their grant types.
  const { grant_types, response_types = [] } = metadata;
  const missing = response_types
    .flatMap((type) => [
      ...(/\bcode\b/.test(type) ? [[type, "authorization_code"] as const] : []),
      ...(/token/.test(type) ? [[type, "implicit"] as const] : []),
    ])
    .find(([, grant]) => grant_types !== undefined && !grant_types.includes(grant));
  if (missing) return [error("response_types", "grant_type", `response_types: ${missing[0]} needs the grant type ${missing[1]}`)];
  return [];
}

function methodErrors(
  { allowedAuthMethods }: Policy,
  has: Has,
  { token_endpoint_auth_method: method = "client_secret_basic" }: ClientMetadata,
): FieldError[] {
  if ((allowedAuthMethods as string[]).includes(method) || has("token_endpoint_auth_method", method)) return [];
  const known = allowed(allowedAuthMethods);
  const message = `token_endpoint_auth_method ${method} may not be registered in this realm. Allowed: ${known}`;
  return [error("token_endpoint_auth_method", "policy", message)];
}

/** Refuses scopes without an assignment, which an administrator assigns to clients, and always the scope of the whole account. */
function scopeErrors(scopes: ScopesSnapshot | null, has: Has, { scope = "" }: ClientMetadata): FieldError[] {
  const mayAsk = (name: string) =>
    name !== ACCOUNT_SCOPE && (name === "openid" || (scopes?.byName.get(name)?.assignment ?? "NONE") !== "NONE");
  return scope
    .split(" ")
    .filter((name) => name !== "" && !mayAsk(name) && !has("scope", name))
    .map((name) => error("scope", "policy", `scope: “${name}” is not a scope that clients may register for themselves`));
}

function redirectErrors({ allowedRedirectHosts }: Policy, has: Has, metadata: ClientMetadata): FieldError[] {
  const { redirect_uris = [], post_logout_redirect_uris = [] } = metadata;
  const usesBrowser = grantTypesOf(metadata).includes("authorization_code") || responseTypesOf(metadata).some((type) => type !== "code");
  if (usesBrowser && redirect_uris.length === 0)
    return [error("redirect_uris", "required", "redirect_uris: name at least one address to send people back to")];
  const check = (member: string, uris: readonly string[]) =>
    uris.flatMap((uri, index) =>
      isAllowedHost(allowedRedirectHosts, uri) || has(member, uri)
        ? []
        : [error(`${member}.${index}`, "policy", `${member}.${index} leads to a host that this realm does not allow`)],
    );
  return [...check("redirect_uris", redirect_uris), ...check("post_logout_redirect_uris", post_logout_redirect_uris)];
}

/**
 * OpenID Connect Dynamic Client Registration §2: requires https of URIs that pages link to. By the rules of all clients, URIs that the
 * server calls must be https, except for addresses that the operator allows.
 */
function linkErrors(has: Has, metadata: ClientMetadata): FieldError[] {
  const isOnDevice = (metadata.application_type ?? inferredApplicationType(metadata)) === "native";
  return (["initiate_login_uri", "frontchannel_logout_uri", "logo_uri", "client_uri", "policy_uri", "tos_uri"] as const).flatMap(
    (member) => {
      const uri = metadata[member];
      const isFit = typeof uri !== "string" || !/^http:/i.test(uri) || isOnDevice || has(member, uri);
      return isFit ? [] : [error(member, "scheme", `${member} must use https; http is for native clients, on a loopback address`)];
    },
  );
}

/** Refuses addresses of this server, whose pages and endpoints must not receive data that is meant for the client. */
function ownAddressErrors(ownAddresses: readonly string[], has: Has, metadata: ClientMetadata): FieldError[] {
  const isOwn = (uri: unknown) => typeof uri === "string" && ownAddresses.some((base) => isWithinServer(base, uri));
  return Object.entries(metadata).flatMap(([member, value]) => {
    // RFC 7592 §2.2: a client may send back the address of its registration.
    if (!/_uris?$|_endpoint$/.test(member) || member === "registration_client_uri") return [];
    const listed = Array.isArray(value) ? value.map((uri, index) => [`${member}.${index}`, uri] as const) : [[member, value] as const];
    return listed
      .filter(([, uri]) => isOwn(uri) && !has(member, uri))
      .map(([field]) => error(field, "reserved", `${field} is an address of this server: use one of the client`));
  });
}

/** Tells whether a host is allowed. `*.example.com` matches every host below example.com, but not example.com itself. */
export function isAllowedHost(hosts: readonly string[], uri: string): boolean {
  if (hosts.length === 0) return true;
  const host = URL.canParse(uri) ? new URL(uri).hostname : "";
  return hosts.some((known) => (known.startsWith("*.") ? host.endsWith(known.slice(1)) && host.length > known.length - 1 : host === known));
}

/** Refuses internal addresses in URIs that the server calls (SSRF). Host names are checked again at each call. */
export function refuseInwardAddresses(outbound: Outbound, has: Has, metadata: ClientMetadata): void {
  const called = ["jwks_uri", "sector_identifier_uri", "backchannel_logout_uri", "backchannel_client_notification_endpoint"] as const;
  const addresses = [
    ...called.filter((member) => !has(member, metadata[member])).map((member) => [member, metadata[member]] as const),
    ...(metadata.request_uris ?? []).flatMap((address, index) =>
      has("request_uris", address) ? [] : [[`request_uris.${index}`, address] as const],
    ),
  ];
  for (const [member, address] of addresses) {
    const [fault] = typeof address === "string" ? urlFaults(outbound, member, address) : [];
    if (fault) throw invalidMetadata(member, fault.message);
  }
}
