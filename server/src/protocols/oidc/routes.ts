import type { FastifyPluginAsync } from "fastify";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { VisitorParts } from "../../signin/login/index.ts";
import type { Messages } from "../../tenancy/messaging/index.ts";
import { cibaRoutes } from "../decoupled/ciba.routes.ts";
import { deviceRoutes } from "../decoupled/device.routes.ts";
import { introspectionRoutes, tokenRoutes } from "../token-endpoint/index.ts";
import { interactionRoutes } from "./authorize/interaction.routes.ts";
import { authorizeRoutes } from "./authorize/routes.ts";
import type { Issuers } from "./engine/provider.ts";
import { engineRoutes } from "./engine/routes.ts";
import { userinfoRoutes } from "./userinfo/routes.ts";

export interface OidcRouteParts extends VisitorParts {
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
