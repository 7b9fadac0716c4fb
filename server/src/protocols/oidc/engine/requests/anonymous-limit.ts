import { errors, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { isPublic } from "../../../client-auth/index.ts";
import { countAnonymousRequest } from "../../../gate/index.ts";
import type { RealmParts } from "../../parts.ts";
import { snapshotOf } from "../models/client.ts";
import { requestOf } from "../request.ts";

/** RFC 6749 §4.1.2.1, with status 429 for responses that are not redirects. */
export function tooManyRequests(ctx: KoaContextWithOIDC, seconds: number, reason: string): Error {
  ctx.set("retry-after", String(seconds));
  const error = new errors.CustomOIDCProviderError("temporarily_unavailable", `${reason}: try again in ${seconds} seconds`);
  return Object.assign(error, { status: 429, statusCode: 429 });
}

/** Runs `check` before the engine stores a model. */
export function beforeSaving<T>(model: { readonly prototype: T }, check: (ctx: KoaContextWithOIDC, saved: T) => Promise<void>): void {
  const saved = model.prototype as { save(this: T, ...args: unknown[]): Promise<unknown> };
  const { save } = saved;
  saved.save = async function (...args) {
    const { ctx } = Provider;
    if (ctx?.oidc) await check(ctx, this);
    return save.apply(this, args);
  };
}

export function limitAnonymousRequests(provider: Provider, parts: RealmParts): void {
  const assertMayStore = async (ctx: KoaContextWithOIDC) => {
    const { allowed, retryAfterSeconds } = await countAnonymousRequest(parts, requestOf(ctx)?.ip ?? ctx.ip);
    if (!allowed) throw tooManyRequests(ctx, retryAfterSeconds, "too many requests from here");
  };
  beforeSaving(provider.Interaction, async (ctx) => {
    if (ctx.oidc.route === "authorization" && ctx.oidc.session?.accountId === undefined) await assertMayStore(ctx);
  });
  beforeSaving(provider.PushedAuthorizationRequest, async (ctx) => {
    if (ctx.oidc.client !== undefined && isPublic(snapshotOf(ctx.oidc.client))) await assertMayStore(ctx);
  });
}
