import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { clock } from "../../../../kernel/clock.ts";
import { ruleOf } from "../../../../tenancy/realms/index.ts";
import { hasOpenDevices } from "../../../decoupled/index.ts";
import type { RealmParts } from "../../parts.ts";
import { requestOf } from "../request.ts";
import { beforeSaving, tooManyRequests } from "./anonymous-limit.ts";

/** RFC 8628 §5.1: many pending codes make a guess likelier to hit one, and public clients could fill the table. */
const MAX_OPEN = 10_000;

/** Device requests are anonymous: their rate and the number of pending codes are limited before a code is stored. */
export const limitDeviceRequests = (provider: Provider, parts: RealmParts): void =>
  beforeSaving(provider.DeviceCode, async (ctx, { clientId }) => {
    if (ctx.oidc.route === "device_authorization") await assertMayAsk(parts, ctx, String(clientId));
  });

async function assertMayAsk(
  { db, limiter, realm: { realmId, settings } }: RealmParts,
  ctx: KoaContextWithOIDC,
  clientId: string,
): Promise<void> {
  const address = requestOf(ctx)?.ip ?? ctx.ip;
  const verdict = await limiter.take(`device:${realmId}:${clientId}:${address}`, ruleOf(settings, "deviceCodes"));
  if (!verdict.allowed) throw tooManyRequests(ctx, verdict.retryAfterSeconds, "too many requests for a code from here");
  if (await hasOpenDevices(db, realmId, clientId, MAX_OPEN, clock.now()))
    throw tooManyRequests(ctx, 60, "too many devices of this application are already waiting for a user");
}
