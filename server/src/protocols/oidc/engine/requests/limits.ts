import { errors, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { clock } from "../../../../kernel/clock.ts";
import { addressSubject } from "../../../../platform/rate-limit/index.ts";
import { countAnonymousRequest } from "../../../../signin/login/index.ts";
import { ruleOf } from "../../../../tenancy/realms/index.ts";
import { isPublic } from "../../../client-auth/index.ts";
import { keepDeviceCode } from "../../../decoupled/index.ts";
import type { NewRecord } from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";
import { requestOf } from "../context.ts";
import { snapshotOf } from "../models/client.ts";

/** RFC 6749 §4.1.2.1: makes a temporary error, with status 429 for responses that are not redirects. */
function tooManyRequests(ctx: KoaContextWithOIDC, seconds: number, reason: string): Error {
  ctx.set("retry-after", String(seconds));
  const error = new errors.CustomOIDCProviderError("temporarily_unavailable", `${reason}: try again in ${seconds} seconds`);
  return Object.assign(error, { status: 429, statusCode: 429 });
}

/** Runs `check` before the engine stores a model. */
function beforeSaving<T>(model: { readonly prototype: T }, check: (ctx: KoaContextWithOIDC, saved: T) => Promise<void>): void {
  const saved = model.prototype as { save(this: T, ...args: unknown[]): Promise<unknown> };
  const { save } = saved;
  saved.save = async function (...args) {
    const { ctx } = Provider;
    if (ctx?.oidc) await check(ctx, this);
    return save.apply(this, args);
  };
}

/** RFC 8628 §5.1: limits the pending codes of a client, because guesses hit one of many, and public clients could fill the table. */
const MAX_DEVICES = 10_000;

/** Stores a device code, unless too many of the client wait for a user. */
export async function storeDeviceCode({ db }: RealmParts, record: NewRecord): Promise<void> {
  const outcome = await keepDeviceCode(db, { ...record, clientId: record.clientId! }, { most: MAX_DEVICES, now: clock.now() });
  if (outcome === "too_many")
    throw tooManyRequests(Provider.ctx!, 60, "too many devices of this application are already waiting for a user");
}

/** Limits the requests that anyone can have stored per address. */
export function limitStoredRequests(provider: Provider, parts: RealmParts): void {
  const { limiter, realm } = parts;
  const addressOf = (ctx: KoaContextWithOIDC) => requestOf(ctx)?.ip ?? ctx.ip;
  const assertMayStore = async (ctx: KoaContextWithOIDC) => {
    const { allowed, retryAfterSeconds } = await countAnonymousRequest(parts, addressOf(ctx));
    if (!allowed) throw tooManyRequests(ctx, retryAfterSeconds, "too many requests from here");
  };
  beforeSaving(provider.Interaction, async (ctx) => {
    if (ctx.oidc.route === "authorization" && ctx.oidc.session?.accountId === undefined) await assertMayStore(ctx);
  });
  beforeSaving(provider.PushedAuthorizationRequest, async (ctx) => {
    if (ctx.oidc.client !== undefined && isPublic(snapshotOf(ctx.oidc.client))) await assertMayStore(ctx);
  });
  beforeSaving(provider.DeviceCode, async (ctx, { clientId }) => {
    if (ctx.oidc.route !== "device_authorization") return;
    const { realmId, settings } = realm;
    const verdict = await limiter.take(`device:${realmId}:${clientId}:${addressSubject(addressOf(ctx))}`, ruleOf(settings, "deviceCodes"));
    if (!verdict.allowed) throw tooManyRequests(ctx, verdict.retryAfterSeconds, "too many requests for a code from here");
  });
}
