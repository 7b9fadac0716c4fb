// Patches of the engine's internals, where it has no option. Only this file imports from `oidc-provider/lib`.
import { errors, type KoaContextWithOIDC } from "oidc-provider";
import stepsOf from "oidc-provider/lib/actions/authorization/index.js";
import requestStorage from "oidc-provider/lib/helpers/als.js";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { translated } from "./errors.ts";

type Step = (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => unknown;
type Endpoint = Parameters<typeof stepsOf>[0];

/** Replaces a step of the engine for every Provider that is created afterwards. Our errors are converted. */
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
 * Runs the engine for a request. The engine finds its context by an AsyncLocalStorage. On Node 20 an active one slows down every promise of
 * the process, so it is disabled while the engine handles no request.
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

/** The endpoints of authorization requests. `ENDPOINTS` are all endpoints of the engine. */
export const AUTHORIZATION = ["authorization", "pushed_authorization_request"] as const;
export const ENDPOINTS = [...AUTHORIZATION, "device_authorization", "backchannel_authentication"] as const;

/** Runs around a step of the engine: `check` is the step itself. */
type StepRule = (ctx: KoaContextWithOIDC, check: () => Promise<unknown>, next: () => Promise<unknown>) => unknown;

/** Wraps a step of the engine for every Provider that is created afterwards. */
export function refineStep(endpoints: readonly Endpoint[], name: string, rule: StepRule): void {
  for (const endpoint of endpoints)
    replaceStep(endpoint, name, (step) => (ctx, next) => rule(ctx, async () => step(ctx, async () => undefined), next));
}

/** RFC 6749 §4.1.2.1, §5.2: answers `unauthorized_client`, not `invalid_request`, for a grant or response type that is not allowed. */
export function refuseUnauthorizedClients(): void {
  const rule: StepRule = async (_ctx, check, next) => {
    await check().catch((error) => {
      throw error instanceof errors.InvalidRequest ? oauthErrors.unauthorizedClient(error.error_description) : error;
    });
    return next();
  };
  refineStep(["device_authorization", "backchannel_authentication"], "checkClientGrantType", rule);
  refineStep(AUTHORIZATION, "checkResponseType", rule);
}

/**
 * OpenID Connect Core §3.1.2.1: requires `redirect_uri` in authorization requests, and shows the error on a page. The engine's option would
 * also apply to token requests, where OAuth 2.1 drops it.
 */
export function requireRedirectUri(): void {
  for (const endpoint of AUTHORIZATION)
    replaceStep(endpoint, "oneRedirectUriClients", () => (ctx, next) => {
      if (ctx.oidc.params?.redirect_uri !== undefined) return next();
      throw Object.assign(new errors.InvalidRequest("missing required parameter 'redirect_uri'"), { allow_redirect: false });
    });
}

/**
 * Checks the redirect URI and the response type again when a request is resumed: its client may have changed while the user signed in, or
 * another one may have its id. The `id_token_hint` is read again, because the policy compares it with the user who has signed in.
 */
export function checkResumed(): void {
  const resume = stepsOf("resume");
  const at = resume.findIndex(({ name }) => name === "checkClient");
  const again = ["checkRedirectUri", "checkResponseType", "checkIdTokenHint"].map((name) =>
    stepsOf("authorization").find((step) => step.name === name),
  );
  const [redirectUri, responseType, idTokenHint] = again;
  if (at === -1 || !redirectUri || !responseType || !idTokenHint)
    throw new Error("The engine's steps have changed: see protocols/oidc/engine/steps.ts");
  const unchecked: Step = (ctx, next) => {
    Object.assign(ctx.oidc, { redirectUriCheckPerformed: false });
    return next();
  };
  resume.splice(at + 1, 0, unchecked, redirectUri, responseType, idTokenHint);
}

/** Converts our errors in the steps of these endpoints to the engine's. */
export function translateErrors(): void {
  for (const endpoint of [...ENDPOINTS, "resume"] as const)
    stepsOf(endpoint).unshift((_ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => translated(next));
}
