import type { Client, KoaContextWithOIDC } from "oidc-provider";
import { oauthErrors } from "../../../../kernel/oauth-error.ts";
import { authenticateClient, type Form } from "../../../client-auth/index.ts";
import { presentedProof } from "../../../proof/index.ts";
import { allowedScopes } from "../../../tokens/index.ts";
import { partsOf, requestOf } from "../context.ts";
import { engineClient, snapshotOf } from "../models/client.ts";
import { replaceStep } from "../steps.ts";

// Authenticates clients at the engine's endpoints by protocols/client-auth and protocols/proof.

const endpointOf = ({ path, oidc: { issuer } }: KoaContextWithOIDC): string => `${issuer}${path}`;

async function authenticate(ctx: KoaContextWithOIDC): Promise<void> {
  const parts = partsOf(ctx);
  const client = await authenticateClient(parts, {
    headers: ctx.req.headers,
    form: (ctx.oidc.body ?? {}) as Form,
    endpoint: endpointOf(ctx),
    sourceIp: requestOf(ctx)?.ip ?? null,
    requestId: requestOf(ctx)?.id,
  });
  // The engine would refuse a client without scopes as an invalid client.
  if (allowedScopes(parts.scopesOfRealm, client).size === 0) throw oauthErrors.invalidScope("the client, or its credential, has no scope");
  const found = engineClient(ctx.oidc.provider, client);
  if (!found) throw oauthErrors.invalidClient("the client's configuration cannot work");
  ctx.oidc.entity("Client", found);
}

/** RFC 9449 §10.1: binds the code to the key of a DPoP proof that comes with a pushed request. */
async function bindCode(ctx: KoaContextWithOIDC): Promise<void> {
  const params = ctx.oidc.params as { dpop_jkt?: string };
  const request = { headers: ctx.req.headers, method: ctx.method, url: endpointOf(ctx) };
  const proof = await presentedProof(partsOf(ctx), snapshotOf(ctx.oidc.client as Client), request, oauthErrors.invalidRequest);
  if (!proof) return;
  if (params.dpop_jkt !== undefined && params.dpop_jkt !== proof.jkt)
    throw oauthErrors.invalidRequest("DPoP proof key thumbprint does not match dpop_jkt");
  params.dpop_jkt = proof.jkt;
}

/** Replaces the engine's client authentication. Call it before the first Provider is created, which copies the steps. */
export function overrideClientAuthentication(): void {
  for (const endpoint of ["pushed_authorization_request", "device_authorization", "backchannel_authentication"] as const)
    replaceStep(endpoint, "authenticateClient", () => (ctx, next) => authenticate(ctx).then(next));
  // The engine would look the authenticated client up again, without the limit of its credential.
  replaceStep("device_authorization", "checkClient", () => (_ctx, next) => next());
  replaceStep("pushed_authorization_request", "checkDpopJkt", () => (ctx, next) => bindCode(ctx).then(next));
}
