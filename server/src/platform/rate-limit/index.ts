// Limits how often a key (an address, a client, a name) may do something, counted in this process or shared through Redis. It owns the counting and the
// headers; each route decides which key and rule it uses.

export { addressSubject } from "./address-subject.ts";
export type { RateRule, Verdict } from "./gcra.ts";
export { isRateLimited, rateLimited } from "./hook.ts";
export { createRateLimiter, type RateLimiter } from "./limiter.ts";
