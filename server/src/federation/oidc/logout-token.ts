import type { JWTPayload } from "jose";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { isObject } from "../../kernel/json.ts";
import type { BrokerTools, UpstreamLogoutNotice } from "../brokers/broker.ts";
import { idOf, lineOf } from "../brokers/storable.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { filledUrl, UpstreamError } from "./metadata.ts";
import type { Quirks } from "./quirks.ts";
import { verifyUpstreamJwt } from "./upstream-jwt.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** OpenID Connect Back-Channel Logout §2.4 recommends a type. Older providers send none, or the general type of JWTs. */
const TYPES: readonly unknown[] = [undefined, "jwt", "logout+jwt", "application/logout+jwt"];
/** Used tokens are remembered for this time, so tokens with a longer lifetime are refused. */
const MAX_LIFETIME = (24 * 60 * MINUTE) / SECOND;

/** OpenID Connect Back-Channel Logout 1.0 §2.6 */
export async function readLogoutToken(
  provider: ProviderSnapshot,
  quirks: Quirks,
  token: string,
  { upstreams }: BrokerTools,
): Promise<UpstreamLogoutNotice> {
  const refuse = (message: string, cause?: unknown) => new UpstreamError("logout_token", message, cause);
  const { jwksUrl } = await upstreams.endpoints(provider);
  if (jwksUrl === null) throw refuse("The provider has no keys for the logout token.");
  const { payload, header } = await verifyUpstreamJwt(upstreams, token, {
    jwksUrl,
    audience: String(provider.config.clientId),
    alg: String(provider.config.signedResponseAlg),
    required: ["iss", "aud", "iat", "exp", "jti", "events"],
    invalid: (cause) => refuse("The logout token is not valid.", cause),
  });
  if (!TYPES.includes(typeof header.typ === "string" ? header.typ.toLowerCase() : header.typ))
    throw refuse("The token is of another type.");
  if (payload.iss !== (quirks.issuer?.(provider, payload) ?? filledUrl(provider.config, "issuer")))
    throw refuse("The logout token is from another issuer.");
  if (payload.exp! > clock.now() / SECOND + MAX_LIFETIME) throw refuse("The logout token is valid for too long.");
  if (!isLogout(payload)) throw refuse("The token is not a logout token.");
  // A nonce marks an ID token, which must not pass as a logout token.
  if (payload.nonce !== undefined) throw refuse("A logout token must not have a nonce.");
  // Values are compared in the form that a sign-in stores, so a value that it could not store matches nothing.
  const id = idOf(payload.sid) ?? undefined;
  // `sub` is ignored if links to this provider are made of other claims.
  const subject = quirks.subject ? undefined : (idOf(payload.sub) ?? undefined);
  if (id === undefined && subject === undefined) throw refuse("The logout token names no session and no subject.");
  const jti = lineOf(payload.jti);
  if (jti === null) throw refuse("The logout token has no id.");
  return { id, subject, token: jti, expiresAt: Math.ceil(payload.exp! * SECOND) + MINUTE };
}

const isLogout = ({ events }: JWTPayload): boolean => isObject(events) && Object.hasOwn(events, EVENT) && isObject(events[EVENT]);
