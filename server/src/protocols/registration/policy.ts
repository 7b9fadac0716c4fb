import type { ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import { spellGrantType, toGrantType } from "../../applications/clients/index.ts";
import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { type Outbound, OutboundError } from "../../platform/outbound/index.ts";
import { invalidMetadata } from "./errors.ts";
import type { RegistrationRequest } from "./metadata.schema.ts";
import type { Provisioning } from "./provisioning.schema.ts";

type Policy = Provisioning["registration"];

const error = (field: string, code: string, message: string): FieldError => ({ field, code, message });
const allowed = (values: readonly string[]) => (values.length === 0 ? "none at all" : values.join(", "));

/** What the realm's administrators allow clients that register themselves. Everything else is said by the rules for all clients. */
export function enforcePolicy(policy: Policy, scopes: ScopesSnapshot | null, metadata: RegistrationRequest): void {
  const errors = [
    ...encryptionErrors(metadata),
    ...grantErrors(policy, metadata),
    ...methodErrors(policy, metadata),
    ...scopeErrors(scopes, metadata),
    ...redirectErrors(policy, metadata),
  ];
  if (errors.length > 0) throw invalidFields(errors);
}

/** Ignoring these, as other members that are not known, would send in the clear what was to be encrypted. */
const encryptionErrors = (metadata: RegistrationRequest): FieldError[] =>
  Object.keys(metadata)
    .filter((member) => /_encrypt(ed_response|ion)_(alg|enc)$/.test(member))
    .map((member) => error(member, "unsupported", `${member}: encrypted tokens and request objects are not supported`));

function grantErrors(
  { allowedGrantTypes }: Policy,
  { grant_types = ["authorization_code"], response_types }: RegistrationRequest,
): FieldError[] {
  const refused = grant_types.filter((type) => !(allowedGrantTypes as string[]).includes(spellGrantType(type)));
  if (refused.length > 0) {
    const known = allowed(allowedGrantTypes.map(toGrantType));
    return [error("grant_types", "policy", `grant_types: ${refused.join(", ")} may not be registered in this realm. Allowed: ${known}`)];
  }
  // RFC 7591 §2.1
  const usesCode = grant_types.includes("authorization_code");
  if (response_types?.includes("code") && !usesCode)
    return [error("response_types", "grant_type", "response_types: code needs the grant type authorization_code")];
  return [];
}

function methodErrors(
  { allowedAuthMethods }: Policy,
  { token_endpoint_auth_method: method = "client_secret_basic" }: RegistrationRequest,
): FieldError[] {
  if (allowedAuthMethods.includes(method)) return [];
  const known = allowed(allowedAuthMethods);
  const message = `token_endpoint_auth_method ${method} may not be registered in this realm. Allowed: ${known}`;
  return [error("token_endpoint_auth_method", "policy", message)];
}

/** A scope that is given to nobody by itself is for clients that an administrator chose. */
function scopeErrors(scopes: ScopesSnapshot | null, { scope = "" }: RegistrationRequest): FieldError[] {
  const mayAsk = (name: string) => name === "openid" || (scopes?.byName.get(name)?.assignment ?? "NONE") !== "NONE";
  return scope
    .split(" ")
    .filter((name) => name !== "" && !mayAsk(name))
    .map((name) => error("scope", "policy", `scope: “${name}” is not a scope that clients may register for themselves`));
}

function redirectErrors({ allowedRedirectHosts }: Policy, metadata: RegistrationRequest): FieldError[] {
  const { redirect_uris = [], grant_types = ["authorization_code"], post_logout_redirect_uris = [] } = metadata;
  if (grant_types.includes("authorization_code") && redirect_uris.length === 0)
    return [error("redirect_uris", "required", "redirect_uris: name at least one address to send people back to")];
  const check = (member: string, uris: readonly string[]) =>
    uris.flatMap((uri, index) =>
      isAllowedHost(allowedRedirectHosts, uri)
        ? []
        : [error(`${member}.${index}`, "policy", `${member}.${index} leads to a host that this realm does not allow`)],
    );
  return [...check("redirect_uris", redirect_uris), ...check("post_logout_redirect_uris", post_logout_redirect_uris)];
}

/** `*.example.com` allows every host below example.com, and not that one itself. */
export function isAllowedHost(hosts: readonly string[], uri: string): boolean {
  if (hosts.length === 0) return true;
  const host = URL.canParse(uri) ? new URL(uri).hostname : "";
  return hosts.some((known) => (known.startsWith("*.") ? host.endsWith(known.slice(1)) && host.length > known.length - 1 : host === known));
}

/** Whatever this server would call for a client must not lead inward. Names are checked again when they are called. */
export function refuseInwardAddresses(outbound: Outbound, metadata: RegistrationRequest): void {
  const called = ["jwks_uri", "sector_identifier_uri", "backchannel_logout_uri", "backchannel_client_notification_endpoint"] as const;
  for (const member of called) {
    const address = metadata[member];
    if (typeof address !== "string") continue;
    try {
      outbound.checkUrl(address);
    } catch (cause) {
      if (!(cause instanceof OutboundError)) throw cause;
      throw invalidMetadata(member, `${member}: ${cause.message}`, cause);
    }
  }
}
