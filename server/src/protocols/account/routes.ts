import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { answerConditionally, anyOf, bearer, declare, refuseUnknownBody, refuseUnknownQuery, session } from "../../platform/http/index.ts";
import type { RegistrationParts } from "../../signin/passkeys/index.ts";
import { accessRoutes } from "./access/access.routes.ts";
import { ownAgentRoutes } from "./access/agents.routes.ts";
import { browserRoutes } from "./access/browsers.routes.ts";
import type { LinkTokenParts } from "./access/link-token.service.ts";
import { ownLinkRoutes } from "./access/links.routes.ts";
import type { LinkParts } from "./access/links.service.ts";
import { ownCredentialRoutes } from "./credentials/credentials.routes.ts";
import { limitWrites } from "./limit-writes.ts";
import { personalDataRoutes } from "./privacy/personal-data.routes.ts";
import { type ProfileParts, profileRoutes } from "./profile/profile.routes.ts";
import { ownResourceRoutes } from "./resources/resources.routes.ts";

export interface AccountParts extends ProfileParts, RegistrationParts, LinkParts, LinkTokenParts {}

/** Mounted under /realms/:realm/account. */
export const accountRoutes: FastifyPluginAsyncTypebox<AccountParts> = async (app, parts) => {
  declare(app, {
    tags: ["Account"],
    caller: anyOf(session(), bearer({ audience: "account" })),
    ...{ csrf: "header", errors: "problem", codes: "account" },
  });
  limitWrites(app);
  refuseUnknownQuery(app);
  refuseUnknownBody(app);
  answerConditionally(app);
  await app.register(profileRoutes, { ...parts, prefix: "" });
  await app.register(ownCredentialRoutes, { ...parts, prefix: "/credentials" });
  await app.register(ownAgentRoutes, { prefix: "/agents" });
  await app.register(browserRoutes, { prefix: "/browsers" });
  await app.register(ownLinkRoutes, { ...parts, prefix: "/linked-accounts" });
  await app.register(accessRoutes, { baseUrl: parts.baseUrl });
  await app.register(ownResourceRoutes, { prefix: "/resources" });
  await app.register(personalDataRoutes, { prefix: "/gdpr" });
};
