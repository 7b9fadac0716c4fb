import { tooMany } from "../../kernel/errors.ts";
import { addressSubject, type RateLimiter, type Verdict } from "../../platform/rate-limit/index.ts";
import { type RealmSnapshot, ruleOf } from "../../tenancy/realms/index.ts";

// Anonymous requests that are stored are limited per address, so that they cannot fill the table. Browsers with a session and authenticated
// clients are not counted.

export interface LimitParts {
  readonly limiter: RateLimiter;
  readonly realm: RealmSnapshot;
}

export const countAnonymousRequest = ({ limiter, realm }: LimitParts, address: string): Promise<Verdict> =>
  limiter.take(`authorize:${realm.realmId}:${addressSubject(address)}`, ruleOf(realm.settings, "authorizations"));

/**
 * Refuses a request that is stored outside of the engine once its address has sent too many: posted forms, requests of SAML service
 * providers, and sign-ins that our pages begin.
 */
export async function assertMayBegin(parts: LimitParts, address: string): Promise<void> {
  const { allowed, retryAfterSeconds: seconds } = await countAnonymousRequest(parts, address);
  if (!allowed) throw tooMany("rate.limited", "Too many sign-ins were begun from here", seconds);
}
