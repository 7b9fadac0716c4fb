import type { FastifyPluginAsync } from "fastify";
import { artifactRoutes } from "./artifact/index.ts";
import { createRefusals, Refusal, samlErrors } from "./refusals.ts";
import { type SloParts, sloRoutes } from "./slo/index.ts";
import { samlConsentRoutes, ssoRoutes } from "./sso/index.ts";

/** Mounted under /realms/:realm. */
export const samlRoutes: FastifyPluginAsync<Omit<SloParts, "refusals">> = async (app, parts) => {
  const refusals = createRefusals(parts);
  // Every bad message gets the same answer; what was wrong with it stands in the audit trail.
  app.setErrorHandler(async (error, request) => {
    if (!(error instanceof Refusal)) throw error; // the gate shows it
    await refusals.record(request, error, request.actor?.sessionId ? request.actor : null);
    throw error.reason === "access_denied" ? samlErrors.denied(error) : samlErrors.refused(error);
  });
  const rooms = { ...parts, refusals };
  await app.register(ssoRoutes, rooms);
  await app.register(samlConsentRoutes, rooms);
  await app.register(artifactRoutes, rooms);
  await app.register(sloRoutes, rooms);
};
