import { errors, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { AppError } from "../../../../kernel/errors.ts";
import { ruleOf } from "../../../../tenancy/realms/index.ts";
import { isPublic } from "../../../client-auth/index.ts";
import type { RealmParts } from "../../parts.ts";
import { snapshotOf } from "../models/client.ts";
import { requestOf } from "../responses/error-page.ts";

// Requests that are stored although nobody has proven anything yet: how often one address may have that done is limited, so that nobody
// fills the table. Whoever is signed in, and a client that has shown its secret, is known and may go on.

const take = ({ limiter, realm }: RealmParts, address: string) =>
  limiter.take(`authorize:${realm.realmId}:${address}`, ruleOf(realm.settings, "authorizations"));

/** For what is stored before the engine sees it. */
export async function assertMayBegin(parts: RealmParts, address: string): Promise<void> {
  const { allowed, retryAfterSeconds: seconds } = await take(parts, address);
  if (!allowed)
    throw new AppError("rate.limited", 429, `Too many sign-ins were begun from here. Please try again in ${seconds} seconds.`, {
      headers: { "retry-after": String(seconds) },
    });
}

/** RFC 6749 §4.1.2.1, and a status where the answer goes to a program. */
export function tooMany(ctx: KoaContextWithOIDC, seconds: number, reason: string): Error {
  ctx.set("retry-after", String(seconds));
  const error = new errors.CustomOIDCProviderError("temporarily_unavailable", `${reason}: try again in ${seconds} seconds`);
  return Object.assign(error, { status: 429, statusCode: 429 });
}

/** Has the engine ask before it stores something for a request. */
export function beforeSaving<T>(model: { readonly prototype: T }, check: (ctx: KoaContextWithOIDC, saved: T) => Promise<void>): void {
  const saved = model.prototype as { save(this: T, ...args: unknown[]): Promise<unknown> };
  const { save } = saved;
  saved.save = async function (...args) {
    const { ctx } = Provider;
    if (ctx?.oidc) await check(ctx, this);
    return save.apply(this, args);
  };
}

export function limitStrangers(provider: Provider, parts: RealmParts): void {
  const assertMayStore = async (ctx: KoaContextWithOIDC) => {
    const { allowed, retryAfterSeconds } = await take(parts, requestOf(ctx)?.ip ?? ctx.ip);
    if (!allowed) throw tooMany(ctx, retryAfterSeconds, "too many requests from here");
  };
  beforeSaving(provider.Interaction, async (ctx) => {
    if (ctx.oidc.route === "authorization" && ctx.oidc.session?.accountId === undefined) await assertMayStore(ctx);
  });
  beforeSaving(provider.PushedAuthorizationRequest, async (ctx) => {
    if (ctx.oidc.client !== undefined && isPublic(snapshotOf(ctx.oidc.client))) await assertMayStore(ctx);
  });
}
