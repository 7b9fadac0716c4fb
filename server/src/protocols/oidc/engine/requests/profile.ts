import { type Client, errors, type KoaContextWithOIDC } from "oidc-provider";
import { profileOf } from "../../../../applications/clients/index.ts";
import { clock, HOUR, SECOND } from "../../../../kernel/clock.ts";
import { mayBeOfType } from "../../../../kernel/jwt-claims.ts";
import { oauthErrors } from "../../../../kernel/oauth-error.ts";
import { isSameAlg } from "../../../../tenancy/keys/index.ts";
import { snapshotOf } from "../models/client.ts";
import { AUTHORIZATION, refineStep } from "../steps.ts";

// Checks the requirements of a client's profile (FAPI 2.0) that the engine's client metadata cannot express.

/** FAPI 2.0 Message Signing §5.3.1: the limit, in seconds, of `exp - nbf` and of the age of `nbf`. */
const MAX_LIFETIME = HOUR / SECOND;

interface Dated {
  readonly nbf?: unknown;
  readonly exp?: unknown;
  readonly iat?: unknown;
  readonly jti?: unknown;
  readonly sub?: unknown;
}

interface Header {
  readonly alg?: string;
  readonly crit?: unknown;
  readonly b64?: unknown;
  readonly typ?: unknown;
}

/** RFC 9101 §4, §6.2: checks a request object before the engine verifies its signature. A pushed one was checked when it was pushed. */
export async function assertRequestObject(
  ctx: KoaContextWithOIDC,
  claims: Dated,
  { alg = "none", crit, b64, typ }: Header,
  client: Client,
): Promise<void> {
  if ("PushedAuthorizationRequest" in ctx.oidc.entities) return;
  // RFC 7797 §7: the verified payload would differ from the payload that is read.
  if (crit !== undefined || b64 !== undefined)
    throw new errors.InvalidRequestObject("the Request Object has an extension that is not understood");
  const { settings, clientId } = snapshotOf(client);
  // RFC 9101 §10.8: a client assertion, whose `sub` is the client, is no request object.
  if (!mayBeOfType(typ, "oauth-authz-req+jwt"))
    throw new errors.InvalidRequestObject("the typ of the Request Object is that of another token");
  if (claims.sub === clientId) throw new errors.InvalidRequestObject("the Request Object must not have the client_id as sub");
  const { algs } = profileOf(settings);
  if (settings.requestObjectAlg !== null && !isSameAlg(alg, settings.requestObjectAlg))
    throw new errors.InvalidRequestObject("the preregistered alg must be used in request or request_uri");
  if (algs !== null && !algs.includes(alg)) throw new errors.InvalidRequestObject("unsupported signed request alg");
  const isBackchannel = ctx.oidc.route === "backchannel_authentication";
  const reason = (isBackchannel ? missingClaim(claims) : null) ?? (settings.requireSignedRequestObject ? reasonAgainstTimes(claims) : null);
  if (reason !== null) throw new errors.InvalidRequestObject(reason);
}

/** CIBA Core §7.1.1: returns why a request object lacks a claim, or null. The engine has compared `iss` and `aud`. */
function missingClaim({ exp, iat, nbf, jti }: Dated): string | null {
  for (const [name, value] of Object.entries({ exp, iat, nbf }))
    if (typeof value !== "number") return `the Request Object must have an ${name}`;
  return typeof jti === "string" && jti !== "" ? null : "the Request Object must have a jti";
}

/** Returns why the times of a request object allow replays for too long, or null. The engine has compared them with the clock. */
function reasonAgainstTimes({ nbf, exp }: Dated): string | null {
  if (typeof nbf !== "number") return "the Request Object must have an nbf";
  if (typeof exp !== "number") return "the Request Object must have an exp";
  if (exp - nbf > MAX_LIFETIME) return "the Request Object must not live for longer than 60 minutes";
  if (nbf < clock.now() / SECOND - MAX_LIFETIME) return "the nbf of the Request Object is longer ago than 60 minutes";
  return null;
}

/** FAPI 2.0 Message Signing §5.4.1: requires signed responses. Call it before the first Provider is created, which copies the steps. */
export const refuseUnsignedResponses = (): void =>
  refineStep(AUTHORIZATION, "checkResponseMode", async (ctx, check, next) => {
    await check();
    const { response_mode: mode } = ctx.oidc.params as { response_mode?: string };
    if (profileOf(snapshotOf(ctx.oidc.client as Client).settings).signedResponses && !/(?:^|\.)jwt$/.test(mode ?? ""))
      throw oauthErrors.invalidRequest("response_mode must be jwt, or one that ends with .jwt: because this client's answers are signed");
    return next();
  });
