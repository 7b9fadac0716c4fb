import type { FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { MINUTE } from "../../kernel/clock.ts";
import { addressSubject, type RateLimiter, type RateRule, rateLimited } from "../../platform/rate-limit/index.ts";
import { defaultSettings, type Settings } from "../settings/index.ts";
import type { RealmSnapshots } from "./snapshot.ts";

type LimitName = keyof Settings["rateLimits"];

/** Returns a limit of the realm's settings. All limits are per minute, except that of registrations. */
export const ruleOf = ({ rateLimits }: Pick<Settings, "rateLimits">, name: LimitName): RateRule => ({
  limit: rateLimits[name],
  windowMs: name === "registrations" ? 10 * MINUTE : MINUTE,
});

/** Returns hooks that refuse requests with 429 if they exceed a limit of the realm, per address. Realms that do not exist share one count. */
export function limitsOfRealms(limiter: RateLimiter, realms: RealmSnapshots): (name: LimitName) => onRequestAsyncHookHandler {
  const defaults = defaultSettings("");
  const realmOf = (request: FastifyRequest) => realms.get((request.params as { realm: string }).realm);
  return (name) =>
    rateLimited(limiter, {
      name,
      key: async (request) => `${name}:${(await realmOf(request))?.realmId ?? ""}:${addressSubject(request.ip)}`,
      rule: async (request) => ruleOf((await realmOf(request))?.settings ?? defaults, name),
    });
}
