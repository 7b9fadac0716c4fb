import type { FastifyPluginAsync } from "fastify";
import { cibaRoutes, deviceRoutes } from "../decoupled/index.ts";
import { introspectionRoutes, tokenRoutes } from "../token-endpoint/index.ts";
import { authorizeRoutes, type InteractionRouteParts, interactionRoutes } from "./authorize/index.ts";
import { engineRoutes } from "./engine/index.ts";
import { userinfoRoutes } from "./userinfo/index.ts";

/** Mounted under /realms/:realm. */
export const oidcRoutes: FastifyPluginAsync<InteractionRouteParts> = async (app, parts) => {
  await app.register(engineRoutes, parts);
  await app.register(tokenRoutes, parts);
  await app.register(authorizeRoutes, parts);
  await app.register(interactionRoutes, parts);
  await app.register(userinfoRoutes, parts);
  await app.register(introspectionRoutes, parts);
  await app.register(deviceRoutes, parts);
  await app.register(cibaRoutes, parts);
};
