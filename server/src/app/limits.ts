import type { onRequestAsyncHookHandler } from "fastify";
import { MINUTE, SECOND } from "../kernel/clock.ts";
import { sha256 } from "../kernel/vault.ts";
import { type RateLimiter, rateLimited } from "../platform/rate-limit/index.ts";
import { limitsOfRealms, type RealmSnapshots } from "../tenancy/realms/index.ts";

/** The rate limits that routes of a realm name in their declarations. */
export function limitsOf(limiter: RateLimiter, realms: RealmSnapshots) {
  const ofRealm = limitsOfRealms(limiter, realms);
  const perAddress = (hook: onRequestAsyncHookHandler) => ({ counts: "addresses", hook }) as const;
  return {
    // These limit an address, as often as the realm's settings say.
    signIns: perAddress(ofRealm("signIns")),
    registrations: perAddress(ofRealm("registrations")),
    enrollments: perAddress(ofRealm("enrollments")),
    push: perAddress(ofRealm("push")),
    qr: perAddress(ofRealm("qr")),
    transactions: perAddress(ofRealm("transactions")),
    samlMessages: perAddress(ofRealm("samlMessages")),
    clientRegistrations: perAddress(ofRealm("clientRegistrations")),
    workloadTokens: perAddress(ofRealm("workloadTokens")),
    // This limits a link, so that nobody can use it to find out which usernames exist.
    invitation: perAddress(
      rateLimited(limiter, {
        name: "invitation",
        key: (request) => `invitation:${sha256((request.params as { token: string }).token)}`,
        rule: { limit: 30, windowMs: 10 * MINUTE },
      }),
    ),
    // This limits a token, so that no client slows another one down. Microsoft Entra sends 25 requests per second and more.
    scim: {
      counts: "callers",
      hook: rateLimited(limiter, {
        name: "scim",
        key: (request) => `scim:${request.realmId}:${request.actor?.id}`,
        rule: { limit: 1000, windowMs: 10 * SECOND },
      }),
    },
    // This limits how often a user may try to change the password.
    "account-password": {
      counts: "callers",
      hook: rateLimited(limiter, {
        name: "account-password",
        key: (request) => `account-password:${request.realmId}:${request.actor?.id}`,
        rule: { limit: 20, windowMs: 10 * MINUTE },
      }),
    },
    // This limits how often a user may share something, so that nobody can use it to find out which names exist.
    "account-shares": {
      counts: "callers",
      hook: rateLimited(limiter, {
        name: "account-shares",
        key: (request) => `account-shares:${request.realmId}:${request.actor?.id}`,
        rule: { limit: 100, windowMs: 10 * MINUTE },
      }),
    },
    // This limits what a signed-in user changes: each change leaves events, which nobody can delete.
    "account-writes": {
      counts: "callers",
      hook: rateLimited(limiter, {
        name: "account-writes",
        key: (request) => `account-writes:${request.realmId}:${request.actor?.id}`,
        rule: { limit: 300, windowMs: 10 * MINUTE },
      }),
    },
    // This limits a client: a resource server asks for each request that it gets.
    decisions: {
      counts: "callers",
      hook: rateLimited(limiter, {
        name: "decisions",
        key: (request) => `decisions:${request.realmId}:${request.actor?.id}`,
        rule: { limit: 20_000, windowMs: 10 * SECOND },
      }),
    },
  } as const;
}
