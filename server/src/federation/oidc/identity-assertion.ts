import type { JWTPayload } from "jose";
import { onlyAudience } from "../../kernel/jwt-claims.ts";
import type { BrokerTools } from "../brokers/broker.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { filledUrl, UpstreamError } from "./metadata.ts";
import type { Quirks } from "./quirks.ts";
import { verifyUpstreamJwt } from "./upstream-jwt.ts";

/** RFC 8725 §3.11: the type excludes ID tokens and other JWTs that the provider signs. */
const TYPE = "oauth-id-jag+jwt";
/** The maximum lifetime in seconds: an assertion is made for one request. */
const MAX_LIFETIME = 600;

/** draft-ietf-oauth-identity-assertion-authz-grant §5.1: returns the claims of an assertion that the provider made for this realm alone. */
export async function verifyIdentityAssertion(
  provider: ProviderSnapshot,
  quirks: Quirks,
  jwt: string,
  audience: string,
  { upstreams }: BrokerTools,
): Promise<JWTPayload> {
  const refuse = (message: string, cause?: unknown) => new UpstreamError("identity_assertion", message, cause);
  const { jwksUrl } = await upstreams.endpoints(provider);
  if (jwksUrl === null) throw refuse("The provider has no keys for the assertion.");
  const { payload, header } = await verifyUpstreamJwt(upstreams, jwt, {
    ...{ jwksUrl, audience, alg: String(provider.config.signedResponseAlg) },
    required: ["iss", "sub", "aud", "client_id", "jti", "exp", "iat"],
    invalid: (cause) => refuse("The assertion is not valid.", cause),
  });
  if (
    String(header.typ)
      .toLowerCase()
      .replace(/^application\//, "") !== TYPE
  )
    throw refuse("The token is of another type.");
  if (payload.iss !== (quirks.issuer?.(provider, payload) ?? filledUrl(provider.config, "issuer")))
    throw refuse("The assertion is from another issuer.");
  if (onlyAudience(payload.aud) !== audience) throw refuse("The assertion has other audiences, too.");
  if (typeof payload.jti !== "string" || payload.jti === "") throw refuse("The assertion has no id.");
  if (payload.exp! - payload.iat! > MAX_LIFETIME) throw refuse("The assertion is valid for too long.");
  return payload;
}
