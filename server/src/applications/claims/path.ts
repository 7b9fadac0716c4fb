/** The claims that the protocol itself sets in a token, or in a response of userinfo or introspection. No mapper may set them. */
export const protocolClaims: ReadonlySet<string> = new Set([
  // RFC 7519, OpenID Connect Core §2, RFC 9068
  ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "client_id", "scope", "nonce", "auth_time", "acr", "amr"],
  ...["at_hash", "c_hash", "s_hash", "rt_hash", "urn:openid:params:jwt:claim:rt_hash", "urn:openid:params:jwt:claim:auth_req_id"],
  // RFC 7662, RFC 7800, RFC 8693, RFC 9396, back-channel logout
  ...["active", "token_type", "typ", "cnf", "act", "may_act", "authorization_details", "events", "sid", "_claim_names", "_claim_sources"],
  // UMA: the permissions of an RPT
  "authorization",
  // our own
  ...["gid", "front_channel", "nhi", "agent_id", "workload_iss", "workload_sub", "workload_scope", "client_epoch"],
]);

/** The names by which an assignment would change every object of the process. */
const prototypeNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

const MAX_DEPTH = 8;

/**
 * Splits a claim into a path. `address.country` is a member of a member; `https://acme\.example/tier` is one member with a dot. Returns
 * null if it is no path.
 */
export function claimPath(claim: string): readonly string[] | null {
  const segments: string[] = [];
  let segment = "";
  for (let at = 0; at < claim.length; at++) {
    const [char, next] = [claim[at]!, claim[at + 1]];
    if (char === ".") {
      segments.push(segment);
      segment = "";
    } else if (char === "\\" && (next === "." || next === "\\")) {
      segment += next;
      at++;
    } else segment += char;
  }
  segments.push(segment);
  const fits = segments.length <= MAX_DEPTH && segments.every((name) => name !== "" && !prototypeNames.has(name));
  return fits ? segments : null;
}

/** Tells whether a mapper may write at this path. */
export const isFree = (path: readonly string[]): boolean => !protocolClaims.has(path[0]!);
