import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { accessRoutes } from "./access.routes.ts";
import { ownCredentialRoutes } from "./credentials.routes.ts";
import { type AccountGateParts, guardAccountRoutes } from "./gate.ts";
import { personalDataRoutes } from "./personal-data.routes.ts";
import { type ProfileParts, profileRoutes } from "./profile.routes.ts";

export interface AccountParts extends AccountGateParts, ProfileParts {}

/** Mounted under /realms/:realm/account. */
export const accountRoutes: FastifyPluginAsyncTypebox<AccountParts> = async (app, parts) => {
  const { db, work, realms, hasher, breaches, limitPassword } = parts;
  guardAccountRoutes(app, parts);
  await app.register(profileRoutes, { db, work, realms, hasher, breaches, limitPassword });
  await app.register(ownCredentialRoutes, { prefix: "/credentials", realms });
  await app.register(accessRoutes);
  await app.register(personalDataRoutes, { prefix: "/gdpr" });
};
