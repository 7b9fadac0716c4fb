// The engine's internals, where it offers no other way. Nothing else imports below `oidc-provider/lib`; an upgrade reads this file.
import { createHash } from "node:crypto";
import { errors, type KoaContextWithOIDC, type Provider } from "oidc-provider";
import stepsOf from "oidc-provider/lib/actions/authorization/index.js";
import describe from "oidc-provider/lib/actions/discovery.js";
import tokenSteps from "oidc-provider/lib/actions/token.js";
import requestUnderWay from "oidc-provider/lib/helpers/als.js";
import { checkMtlsCert } from "oidc-provider/lib/helpers/sender_constraints.js";
import validateDpop, { checkDpopReplay } from "oidc-provider/lib/helpers/validate_dpop.js";
import clientAuthentication from "oidc-provider/lib/shared/client_auth.js";

type Step = (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => unknown;

/** The engine's own metadata document (OpenID Connect Discovery §3, RFC 8414). */
export function metadataOf(provider: Provider): Record<string, unknown> {
  const urlFor = (name: string, options?: Record<string, unknown>) => provider.urlFor(name, options);
  const ctx: { oidc: object; body?: Record<string, unknown> } = { oidc: { provider, issuer: provider.issuer, urlFor } };
  describe(ctx);
  return ctx.body ?? {};
}

/** Runs the engine's client authentication over a request that another handler answers. Throws the engine's errors. */
export async function authenticateClient(ctx: KoaContextWithOIDC): Promise<void> {
  const run = (at: number): Promise<unknown> => {
    const step = clientAuthentication[at];
    return Promise.resolve(step ? step(ctx, () => run(at + 1)) : undefined);
  };
  await run(0);
}

/** RFC 9449 §7: the proof that comes with an access token; undefined where none was sent. */
export async function checkProof(provider: Provider, ctx: KoaContextWithOIDC, accessToken: string, clientId: string) {
  const proof = await validateDpop(provider, ctx, accessToken);
  await checkDpopReplay(provider, ctx, proof, clientId, errors.InvalidToken);
  return proof;
}

/** What a token is bound to, as the engine's own grants bind theirs. */
export interface Binding {
  readonly jkt?: string;
  readonly "x5t#S256"?: string;
}

/**
 * RFC 9449 §5, RFC 8705 §3: the proof or the certificate that comes with a token request, for the grants that are ours. Empty where there is
 * none and none is needed.
 */
export async function checkRequestBinding(provider: Provider, ctx: KoaContextWithOIDC): Promise<Binding> {
  const certificate = checkMtlsCert(provider, ctx);
  const proof = await checkRequestProof(provider, ctx);
  return {
    ...(proof && { jkt: proof.thumbprint }),
    ...(certificate && { "x5t#S256": createHash("sha256").update(certificate.raw).digest("base64url") }),
  };
}

async function checkRequestProof(provider: Provider, ctx: KoaContextWithOIDC) {
  const proof = await validateDpop(provider, ctx);
  const client = ctx.oidc.client!;
  if (!proof && client.dpopBoundAccessTokens) throw new errors.InvalidGrant("DPoP proof JWT not provided");
  await checkDpopReplay(provider, ctx, proof, client.clientId, errors.InvalidGrant);
  return proof;
}

let underWay = 0;

/**
 * The engine knows its request by an AsyncLocalStorage. On Node 20 the first use of one makes every promise of the process dearer from
 * then on; so while no request is with the engine, it is put away.
 */
export async function withEngine(answer: () => Promise<void>): Promise<void> {
  underWay++;
  try {
    await answer();
  } finally {
    underWay--;
    if (underWay === 0) requestUnderWay.disable();
  }
}

/** What is added to a step of the engine. */
export type StepRule = (ctx: KoaContextWithOIDC, check: () => Promise<unknown>, next: () => Promise<unknown>) => unknown;

const ENDPOINTS = ["authorization", "pushed_authorization_request", "device_authorization", "backchannel_authentication"] as const;

/** Puts `rule` around a step of the engine, for every Provider that is made after this. */
function refineStep(steps: Step[], name: string, rule: StepRule): void {
  const at = steps.findIndex((each) => each.name === name);
  const step = steps[at];
  if (!step) throw new Error(`The engine has no step ${name} any more: see protocols/oidc/engine.ts`);
  steps[at] = (ctx, next) => rule(ctx, async () => step(ctx, async () => undefined), next);
}

/** Puts `rule` around the engine's own check of the scope parameter at the endpoints that begin an authorization. */
export function refineScopes(rule: StepRule): void {
  for (const endpoint of ENDPOINTS) refineStep(stepsOf(endpoint), "checkScope", rule);
}

/** The same at the token endpoint, where the client is known by then. */
export const refineTokenScopes = (rule: StepRule): void => refineStep(tokenSteps, "validateScope", rule);

/** RFC 6749 §4.1.2.1, §5.2: a grant or a response type that a client may not use. The engine calls the request invalid. */
export function refuseUnauthorizedClients(): void {
  const rule: StepRule = async (_ctx, check, next) => {
    await check().catch((error) => {
      throw error instanceof errors.InvalidRequest ? new errors.UnauthorizedClient(error.error_description) : error;
    });
    return next();
  };
  refineStep(tokenSteps, "allowedGrantTypeCheck", rule);
  for (const endpoint of ["device_authorization", "backchannel_authentication"] as const)
    refineStep(stepsOf(endpoint), "checkClientGrantType", rule);
  for (const endpoint of ["authorization", "pushed_authorization_request"] as const)
    refineStep(stepsOf(endpoint), "checkResponseType", rule);
}

/**
 * OpenID Connect Core §3.1.2.1: an authorization request names its redirect URI, for every Provider that is made after this; otherwise a page says
 * so. The engine has one option for it and for token requests, which need not name the only one again (OAuth 2.1 has dropped it there).
 */
export function demandRedirectUri(): void {
  const demand: Step = (ctx, next) => {
    if (ctx.oidc.params?.redirect_uri !== undefined) return next();
    throw Object.assign(new errors.InvalidRequest("missing required parameter 'redirect_uri'"), { allow_redirect: false });
  };
  for (const endpoint of ["authorization", "pushed_authorization_request"] as const) {
    const steps = stepsOf(endpoint);
    const at = steps.findIndex(({ name }) => name === "oneRedirectUriClients");
    if (at === -1) throw new Error("The engine has no step oneRedirectUriClients any more: see protocols/oidc/engine.ts");
    steps[at] = demand;
  }
}
