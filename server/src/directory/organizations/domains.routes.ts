import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { MINUTE } from "../../kernel/clock.ts";
import type { Dns } from "../../platform/dns/index.ts";
import { pathParams, route } from "../../platform/http/index.ts";
import { type RateLimiter, rateLimited } from "../../platform/rate-limit/index.ts";
import { recordOf } from "./domains.ts";
import { organizationErrors } from "./errors.ts";
import { OrganizationDomain } from "./schema.ts";
import { acceptVerification, domainToVerify, hasRecord } from "./verification.ts";

export interface DomainParts {
  readonly dns: Dns;
  readonly limiter: RateLimiter;
}

/** Mounted under …/organizations/:orgId/domains. */
export const domainRoutes: FastifyPluginAsyncTypebox<DomainParts> = async (app, { dns, limiter }) => {
  // Each request makes a DNS query.
  const limit = rateLimited(limiter, {
    name: "domain-verification",
    key: (req) => `domain-verification:${req.realmId}`,
    rule: { limit: 20, windowMs: MINUTE },
  });

  route(app, "POST", "/:domain/verify", {
    config: { permission: "manage-organizations" },
    preHandler: limit,
    summary: "Verify a domain by DNS",
    description:
      "Looks up the TXT record that GET returns as `recordName` and `recordValue`. The record is looked up again once a day. If it is missing for 7 days, the " +
      "domain is no longer verified. 409 if there is no such record, 503 if the DNS does not answer. At most twenty requests per minute.",
    tags: ["Organizations"],
    params: pathParams("orgId", "domain"),
    response: { 200: OrganizationDomain },
    handler: async (req) => {
      const { orgId, domain } = req.params;
      // This is no mere read: it checks `If-Match` before the DNS query.
      const row = await req.transact((ctx) => domainToVerify(ctx, orgId, domain));
      const proven = await hasRecord(dns, row);
      if (proven === null) throw organizationErrors.dns_unavailable();
      if (!proven) throw organizationErrors.domain_unproven(recordOf(row));
      return req.transact((ctx) => acceptVerification(ctx, orgId, row));
    },
  });
};
