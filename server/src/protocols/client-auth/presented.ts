import type { IncomingHttpHeaders } from "node:http";
import { decodeJwt } from "jose";
import { oauthErrors } from "../../kernel/oauth-error.ts";

/** A parsed form. A repeated parameter is a list. */
export type Form = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The client credentials of a request. */
export type PresentedCredentials =
  | { readonly kind: "secret"; readonly clientId: string; readonly secret: string; readonly byHeader: boolean }
  | { readonly kind: "assertion"; readonly clientId: string; readonly assertion: string }
  /** An assertion of another issuer. `clientId` comes from the form, or else from the subject of the assertion. */
  | { readonly kind: "workload"; readonly clientId: string; readonly named: string | undefined; readonly assertion: string }
  /** A `client_id` without a secret, of a public client or one that authenticates by its certificate. */
  | { readonly kind: "none"; readonly clientId: string };

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const MEMBERS = ["client_id", "client_secret", "client_assertion", "client_assertion_type"];

/** RFC 6749 §2.3: returns the credentials of a request, which must not use more than one authentication method. */
export function presentedCredentials({ authorization }: IncomingHttpHeaders, form: Form): PresentedCredentials {
  const refuse = oauthErrors.invalidRequest;
  const twice = MEMBERS.filter((name) => Array.isArray(form[name]));
  if (twice.length > 0) throw refuse(`${twice.join(" and ")} must not be provided twice`);
  const {
    client_id: named,
    client_secret: secret,
    client_assertion: assertion,
    client_assertion_type: type,
  } = form as Record<string, string | undefined>;
  if ([authorization, secret, assertion].filter(Boolean).length > 1)
    throw refuse("client authentication must only be provided using one mechanism");
  const credentials: PresentedCredentials = secret
    ? { kind: "secret", clientId: named ?? "", secret, byHeader: false }
    : authorization !== undefined
      ? basicCredentials(authorization)
      : assertion
        ? assertionCredentials(assertion, named)
        : { kind: "none", clientId: named ?? "" };
  if (assertion && type !== ASSERTION_TYPE)
    throw refuse(type ? `client_assertion_type must have value ${ASSERTION_TYPE}` : "client_assertion_type must be provided");
  if (named && named !== credentials.clientId) throw refuse("client_id mismatch");
  if (!credentials.clientId) throw oauthErrors.invalidClient("no client authentication");
  return credentials;
}

const BASIC = /^basic ([A-Za-z0-9+/]+={0,2})$/i;
/** RFC 6749 appendix A: the characters of a client id or secret. */
const VSCHAR = /^[\x20-\x7E]*$/;

/**
 * RFC 6749 §2.3.1: reads the Basic credentials. Both parts are form-encoded before they are joined. A header that is not read is a failed
 * authentication, also one of another scheme (§5.2).
 */
function basicCredentials(authorization: string): PresentedCredentials {
  const refuse = oauthErrors.invalidClient;
  const [, encoded] = BASIC.exec(authorization) ?? [];
  const pair = encoded === undefined ? "" : Buffer.from(encoded, "base64").toString("utf8");
  const at = pair.indexOf(":");
  if (at === -1) throw refuse("invalid authorization header value format");
  const [clientId, secret] = [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))];
  if (clientId === null || secret === null)
    throw refuse("client_id and client_secret in the authorization header are not properly encoded");
  if (secret === "") throw refuse("client_secret must be provided in the Authorization header");
  return { kind: "secret", clientId, secret, byHeader: true };
}

function decoded(text: string): string | null {
  try {
    const plain = /[%+]/.test(text) ? decodeURIComponent(text.replaceAll("+", "%20")) : text;
    return VSCHAR.test(plain) ? plain : null;
  } catch {
    return null; // it has an invalid percent escape
  }
}

/** RFC 7523 §3: reads an assertion, which the client itself (§2.2) or another issuer made. Its signature is not verified yet. */
function assertionCredentials(assertion: string, named: string | undefined): PresentedCredentials {
  let sub: unknown;
  let iss: unknown;
  try {
    ({ sub, iss } = decodeJwt(assertion));
  } catch {
    throw oauthErrors.invalidClient("the assertion is not a JWT"); // RFC 7521 §4.2.1
  }
  if (typeof sub !== "string" || sub === "") throw oauthErrors.invalidClient("the assertion has no subject");
  if (typeof iss === "string" && iss !== sub) return { kind: "workload", clientId: named || sub, named: named || undefined, assertion };
  return { kind: "assertion", clientId: sub, assertion };
}
