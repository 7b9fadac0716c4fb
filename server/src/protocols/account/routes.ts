import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { accessRoutes } from "./access.routes.ts";
import { browserRoutes } from "./browsers.routes.ts";
import { ownCredentialRoutes } from "./credentials.routes.ts";
import { type OwnErasureParts, ownErasureRoutes } from "./erasure.routes.ts";
import { type AccountGateParts, guardAccountRoutes } from "./gate.ts";
import type { OwnCredentialParts } from "./passkeys.service.ts";
import { personalDataRoutes } from "./personal-data.routes.ts";
import { type ProfileParts, profileRoutes } from "./profile.routes.ts";

export interface AccountParts extends AccountGateParts, ProfileParts, OwnCredentialParts, OwnErasureParts {}

/** Mounted under /realms/:realm/account. */
export const accountRoutes: FastifyPluginAsyncTypebox<AccountParts> = async (app, parts) => {
  const { db, work, realms, hasher, breaches, messages, limitPassword, vault, baseUrl, log, cookies } = parts;
  guardAccountRoutes(app, parts);
  await app.register(profileRoutes, { db, work, realms, hasher, breaches, messages, vault, baseUrl, limitPassword });
  await app.register(ownErasureRoutes, { work, realms, cookies });
  await app.register(ownCredentialRoutes, { prefix: "/credentials", db, realms, vault, baseUrl, log });
  await app.register(browserRoutes, { prefix: "/browsers", cookies });
  await app.register(accessRoutes);
  await app.register(personalDataRoutes, { prefix: "/gdpr" });
};
