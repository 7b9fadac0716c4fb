import { AppError } from "../../kernel/errors.ts";
import type { RateLimiter, Verdict } from "../../platform/rate-limit/index.ts";
import { type RealmSnapshot, ruleOf } from "../../tenancy/realms/index.ts";

// Requests that are stored although their caller has proven nothing: how often one address may have that done is limited, so that the table
// cannot be filled. Browsers with a session and clients that have authenticated are not counted.

interface LimitParts {
  readonly limiter: RateLimiter;
  readonly realm: RealmSnapshot;
}

export const countAnonymousRequest = ({ limiter, realm }: LimitParts, address: string): Promise<Verdict> =>
  limiter.take(`authorize:${realm.realmId}:${address}`, ruleOf(realm.settings, "authorizations"));

/** For what is stored outside of the engine: forms that other sites post, and the requests of SAML service providers. */
export async function assertMayBegin(parts: LimitParts, address: string): Promise<void> {
  const { allowed, retryAfterSeconds: seconds } = await countAnonymousRequest(parts, address);
  if (!allowed)
    throw new AppError("rate.limited", 429, `Too many sign-ins were begun from here. Please try again in ${seconds} seconds.`, {
      headers: { "retry-after": String(seconds) },
    });
}
