import type { FastifyPluginAsync } from "fastify";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { PageParts } from "../../signin/login/index.ts";
import type { Messages } from "../../tenancy/messaging/index.ts";
import { cibaRoutes, deviceRoutes } from "../decoupled/index.ts";
import { introspectionRoutes, tokenRoutes } from "../token-endpoint/index.ts";
import { authorizeRoutes, interactionRoutes } from "./authorize/index.ts";
import { engineRoutes } from "./engine/index.ts";
import type { Issuers } from "./issuer.ts";
import { userinfoRoutes } from "./userinfo/index.ts";

export interface OidcRouteParts extends PageParts {
  readonly issuers: Issuers;
  readonly work: UnitOfWork;
  readonly messages: Messages;
}

/** Mounted under /realms/:realm. */
export const oidcRoutes: FastifyPluginAsync<OidcRouteParts> = async (app, parts) => {
  await app.register(engineRoutes, parts);
  await app.register(tokenRoutes, parts);
  await app.register(authorizeRoutes, parts);
  await app.register(interactionRoutes, parts);
  await app.register(userinfoRoutes, parts);
  await app.register(introspectionRoutes, parts);
  await app.register(deviceRoutes, parts);
  await app.register(cibaRoutes, parts);
};
