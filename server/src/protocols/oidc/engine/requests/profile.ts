import { type Client, errors, type KoaContextWithOIDC } from "oidc-provider";
import { profileOf } from "../../../../applications/clients/index.ts";
import { clock, HOUR, SECOND } from "../../../../kernel/clock.ts";
import { oauthErrors } from "../../../../kernel/oauth-error.ts";
import { isSameAlg } from "../../../../tenancy/keys/index.ts";
import { snapshotOf } from "../models/client.ts";
import { refineResponseModes } from "../steps.ts";

// What a client's profile demands of its authorization requests, beyond what the engine knows by the client's metadata.

/** FAPI 2.0 Message Signing §5.3.1: how long a request object lives, and how long ago it may have begun to. In seconds. */
const MAX_LIFETIME = HOUR / SECOND;

interface Dated {
  readonly nbf?: unknown;
  readonly exp?: unknown;
}

/** RFC 9101 §4, §6.2. Asked before the signature is verified, by the engine; what was pushed was asked then. */
export async function assertRequestObject(
  ctx: KoaContextWithOIDC,
  claims: Dated,
  { alg = "none" }: { readonly alg?: string },
  client: Client,
): Promise<void> {
  if ("PushedAuthorizationRequest" in ctx.oidc.entities) return;
  const { settings } = snapshotOf(client);
  const { algs } = profileOf(settings);
  if (settings.requestObjectAlg !== null && !isSameAlg(alg, settings.requestObjectAlg))
    throw new errors.InvalidRequestObject("the preregistered alg must be used in request or request_uri");
  if (algs !== null && !algs.includes(alg)) throw new errors.InvalidRequestObject("unsupported signed request alg");
  const reason = settings.requireSignedRequestObject ? reasonAgainstTimes(claims) : null;
  if (reason !== null) throw new errors.InvalidRequestObject(reason);
}

/** A signed request that lives for long is one that can be replayed for long. The engine has compared both with the present. */
function reasonAgainstTimes({ nbf, exp }: Dated): string | null {
  if (typeof nbf !== "number") return "the Request Object must have an nbf";
  if (typeof exp !== "number") return "the Request Object must have an exp";
  if (exp - nbf > MAX_LIFETIME) return "the Request Object must not live for longer than 60 minutes";
  if (nbf < clock.now() / SECOND - MAX_LIFETIME) return "the nbf of the Request Object is longer ago than 60 minutes";
  return null;
}

/** FAPI 2.0 Message Signing §5.4.1: answers are signed (JARM). Before the first Provider is made, which takes the steps as they are then. */
export const refuseUnsignedResponses = (): void =>
  refineResponseModes(async (ctx, check, next) => {
    await check();
    const { response_mode: mode } = ctx.oidc.params as { response_mode?: string };
    if (profileOf(snapshotOf(ctx.oidc.client as Client).settings).signedResponses && !/(?:^|\.)jwt$/.test(mode ?? ""))
      throw oauthErrors.invalidRequest("response_mode must be jwt, or one that ends with .jwt: this client's answers are signed");
    return next();
  });
