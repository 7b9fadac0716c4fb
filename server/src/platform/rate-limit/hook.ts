import type { FastifyRequest, onRequestAsyncHookHandler, RouteOptions } from "fastify";
import { AppError } from "../../kernel/errors.ts";
import type { RateRule, Verdict } from "./gcra.ts";
import type { RateLimiter } from "./limiter.ts";

interface Limits {
  /** Returns the counter's key: `(req) => `login:${req.ip}``. It should name the route, because routes with equal keys share a budget. */
  readonly key: (req: FastifyRequest) => string | Promise<string>;
  readonly rule: RateRule | ((req: FastifyRequest) => Promise<RateRule>);
  /** The policy's name in the headers. */
  readonly name?: string;
}

/** Returns a hook for `onRequest` (or `preHandler`, if the key needs the body) that refuses requests beyond the rule with 429. */
export function rateLimited(limiter: RateLimiter, { key, rule: ruleFor, name = "default" }: Limits): onRequestAsyncHookHandler {
  const limit: onRequestAsyncHookHandler = async (req, reply) => {
    const rule = typeof ruleFor === "function" ? await ruleFor(req) : ruleFor;
    const verdict = await limiter.take(await key(req), rule);
    const headers = policyHeaders(name, rule, verdict);
    if (verdict.allowed) {
      reply.headers(headers);
      return;
    }
    const seconds = verdict.retryAfterSeconds;
    throw new AppError("rate.limited", 429, `Too many requests. Please try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`, {
      headers: { ...headers, "retry-after": String(seconds) },
    });
  };
  limits.add(limit);
  return limit;
}

const limits = new WeakSet<object>();
/** Tells whether a hook of the route may refuse with 429, for the API's description. */
export const isRateLimited = ({ onRequest, preHandler }: Pick<RouteOptions, "onRequest" | "preHandler">): boolean =>
  [onRequest, preHandler].flat().some((hook) => hook !== undefined && limits.has(hook));

// draft-ietf-httpapi-ratelimit-headers-10 §3 and §4: the quota and window of the policy, the remaining quota and its time.
const policyHeaders = (name: string, { limit, windowMs }: RateRule, { remaining, resetSeconds }: Verdict) => ({
  "ratelimit-policy": `"${name}";q=${limit};w=${Math.ceil(windowMs / 1000)}`,
  ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
});
