import { SECOND } from "../../kernel/clock.ts";
import { parseObject } from "../../kernel/json.ts";
import { type Outbound, OutboundError, type OutboundRequest, type OutboundResponse } from "../../platform/outbound/index.ts";
import type { Config } from "../providers/provider.ts";

/** The reason why a provider's answer cannot be used. It is coarse, because administrators of a realm read it. `message` is for them, `cause` for the log. */
export class UpstreamError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "UpstreamError";
    this.reason = reason;
  }
}

/** Returns the address of a member, with the tenant filled in. Only Microsoft's addresses have one. */
export const filledUrl = (config: Config, member: string): string | null => {
  const url = config[member];
  return typeof url === "string" ? url.replaceAll("{tenant}", () => String(config.tenant ?? "")) : null;
};

/** The endpoints of an OpenID provider, from its configuration and its discovery document. */
export interface Endpoints {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly userinfoUrl: string | null;
  readonly jwksUrl: string | null;
  /** OpenID Connect RP-Initiated Logout; null if the provider has no logout address. */
  readonly logoutUrl: string | null;
  /** RFC 9207: true if the provider promises to name its issuer in its answers. */
  readonly promisesIssuer: boolean;
  /** Null if the provider does not say. */
  readonly authMethods: readonly string[] | null;
}

export const UPSTREAM_TIMEOUT = 5 * SECOND;
const MAX_DOCUMENT = 256 * 1024;

/**
 * Calls a provider with limits of time and size, and follows no redirects. Throws an UpstreamError for any status but 200; `reasons` names the reasons of
 * particular statuses.
 */
export async function callProvider(
  outbound: Outbound,
  url: string,
  reason: string,
  request: OutboundRequest,
  reasons: Readonly<Record<number, string>> = {},
): Promise<OutboundResponse> {
  const answer = await outbound.fetch(url, { timeoutMs: UPSTREAM_TIMEOUT, ...request }).catch((error) => {
    throw error instanceof OutboundError ? new UpstreamError(reason, error.message, error.cause ?? error) : error;
  });
  const { status } = answer;
  if (status !== 200) throw new UpstreamError(reasons[status] ?? reason, `${hostOf(url)} answered with status ${status}.`);
  return answer;
}

/** Reads a JSON object from an address. */
export async function fetchObject(outbound: Outbound, url: string, reason: string): Promise<Record<string, unknown>> {
  const request = { headers: { accept: "application/json" }, maxBytes: MAX_DOCUMENT };
  return objectOf((await callProvider(outbound, url, reason, request)).text(), url, reason);
}

export function objectOf(text: string, url: string, reason: string): Record<string, unknown> {
  const value = parseObject(text);
  if (value === null) throw new UpstreamError(reason, `${hostOf(url)} did not answer with a JSON object.`);
  return value;
}

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "The provider");

/** OpenID Connect Discovery §4: reads the discovery document. It must name the same issuer (§4.3), and its addresses must be callable. */
export async function discover(outbound: Outbound, issuer: string): Promise<Record<string, unknown>> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const document = await fetchObject(outbound, url, "discovery");
  if (document.issuer !== issuer)
    throw new UpstreamError("discovery", `The discovery document of ${hostOf(url)} names another issuer than config.issuer.`);
  for (const member of ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"]) {
    const address = document[member];
    if (address === undefined && member === "userinfo_endpoint") continue;
    try {
      outbound.checkUrl(String(address));
    } catch (error) {
      throw new UpstreamError("discovery", `The discovery document of ${hostOf(url)} has no ${member} that can be called.`, error);
    }
  }
  return document;
}

/** Tells whether discovery is needed. It is not if all members are configured. */
export const needsDiscovery = (config: Config): boolean =>
  typeof config.issuer === "string" && ["authorizationUrl", "tokenUrl", "jwksUrl"].some((member) => config[member] === undefined);

/** Returns the endpoints; configured addresses take precedence over discovered ones. `document` is null if nothing had to be discovered. */
export function endpointsOf(config: Config, document: Readonly<Record<string, unknown>> | null): Endpoints {
  const of = (member: string, discovered: string): string | null => {
    const found = document?.[discovered];
    return filledUrl(config, member) ?? (typeof found === "string" ? found : null);
  };
  const methods = document?.token_endpoint_auth_methods_supported;
  return {
    authorizationUrl: of("authorizationUrl", "authorization_endpoint")!,
    tokenUrl: of("tokenUrl", "token_endpoint")!,
    userinfoUrl: of("userinfoUrl", "userinfo_endpoint"),
    jwksUrl: of("jwksUrl", "jwks_uri"),
    logoutUrl: of("logoutUrl", "end_session_endpoint"),
    promisesIssuer: document?.authorization_response_iss_parameter_supported === true,
    authMethods: Array.isArray(methods) ? methods.map(String) : null,
  };
}
