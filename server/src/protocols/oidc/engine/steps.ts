// The engine's internals, where it offers no other way. Nothing else imports below `oidc-provider/lib`.
import { errors, type KoaContextWithOIDC } from "oidc-provider";
import stepsOf from "oidc-provider/lib/actions/authorization/index.js";
import requestStorage from "oidc-provider/lib/helpers/als.js";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { translated } from "./errors.ts";

export type Step = (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => unknown;
export type Endpoint = Parameters<typeof stepsOf>[0];

/** Puts a step of ours in the place of one of the engine's, for every Provider that is made after this. Errors of ours are translated. */
export function replaceStep(endpoint: Endpoint, name: string, make: (replaced: Step) => Step): void {
  const steps = stepsOf(endpoint);
  const at = steps.findIndex((step) => step.name === name);
  const replaced = steps[at];
  if (!replaced) throw new Error(`The engine has no step ${name} at ${endpoint} any more: see protocols/oidc/engine/steps.ts`);
  const step = make(replaced);
  steps[at] = Object.defineProperty((ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => translated(() => step(ctx, next)), "name", {
    value: name,
  });
}

let requests = 0;

/**
 * The engine knows its request by an AsyncLocalStorage. On Node 20 the first use of one makes every promise of the process dearer from
 * then on; so while no request is with the engine, it is put away.
 */
export async function withEngine(answer: () => Promise<void>): Promise<void> {
  requests++;
  try {
    await answer();
  } finally {
    requests--;
    if (requests === 0) requestStorage.disable();
  }
}

const ENDPOINTS = ["authorization", "pushed_authorization_request", "device_authorization", "backchannel_authentication"] as const;

/** What is added to a step of the engine. */
export type StepRule = (ctx: KoaContextWithOIDC, check: () => Promise<unknown>, next: () => Promise<unknown>) => unknown;

/** Puts `rule` around a step of the engine, for every Provider that is made after this. */
const refineStep = (endpoint: Endpoint, name: string, rule: StepRule): void =>
  replaceStep(endpoint, name, (step) => (ctx, next) => rule(ctx, async () => step(ctx, async () => undefined), next));

/** Puts `rule` around the engine's own check of the scope parameter. */
export function refineScopes(rule: StepRule): void {
  for (const endpoint of ENDPOINTS) refineStep(endpoint, "checkScope", rule);
}

/** Puts `rule` around the engine's own check of the response mode. */
export function refineResponseModes(rule: StepRule): void {
  for (const endpoint of ["authorization", "pushed_authorization_request"] as const) refineStep(endpoint, "checkResponseMode", rule);
}

/** Puts `rule` around the engine's own reading of request objects. */
export function refineRequestObjects(rule: StepRule): void {
  for (const endpoint of ["authorization", "pushed_authorization_request"] as const) refineStep(endpoint, "processRequestObject", rule);
}

/** RFC 6749 §4.1.2.1, §5.2: a grant or a response type that a client may not use. The engine calls the request invalid. */
export function refuseUnauthorizedClients(): void {
  const rule: StepRule = async (_ctx, check, next) => {
    await check().catch((error) => {
      throw error instanceof errors.InvalidRequest ? oauthErrors.unauthorizedClient(error.error_description) : error;
    });
    return next();
  };
  for (const endpoint of ["device_authorization", "backchannel_authentication"] as const)
    refineStep(endpoint, "checkClientGrantType", rule);
  for (const endpoint of ["authorization", "pushed_authorization_request"] as const) refineStep(endpoint, "checkResponseType", rule);
}

/**
 * OpenID Connect Core §3.1.2.1: an authorization request names its redirect URI; otherwise a page says so. The engine has one option for it
 * and for token requests, which need not name the only one again (OAuth 2.1 has dropped it there).
 */
export function requireRedirectUri(): void {
  for (const endpoint of ["authorization", "pushed_authorization_request"] as const)
    replaceStep(endpoint, "oneRedirectUriClients", () => (ctx, next) => {
      if (ctx.oidc.params?.redirect_uri !== undefined) return next();
      throw Object.assign(new errors.InvalidRequest("missing required parameter 'redirect_uri'"), { allow_redirect: false });
    });
}

/** An error of ours that a step of these endpoints throws is answered as the engine answers its own. */
export function translateErrors(): void {
  for (const endpoint of [...ENDPOINTS, "resume"] as const)
    stepsOf(endpoint).unshift((_ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => translated(next));
}
