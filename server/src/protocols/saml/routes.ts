import type { FastifyPluginAsync } from "fastify";
import { AppError } from "../../kernel/errors.ts";
import { homeOf } from "../../pages/index.ts";
import { artifactRoutes } from "./artifact/index.ts";
import { createRefusals, Refusal, samlErrors } from "./refusals.ts";
import { type SloParts, sloRoutes } from "./slo/index.ts";
import { samlConsentRoutes, ssoRoutes } from "./sso/index.ts";

/** Mounted under /realms/:realm. */
export const samlRoutes: FastifyPluginAsync<Omit<SloParts, "refusals">> = async (app, parts) => {
  const refusals = createRefusals(parts);
  /** Returns the home of the service provider that a message names. It is the registered one, because anyone may have sent the message. */
  const homeOfSender = async (realm: string, entityId: string | null) => {
    const client = entityId === null ? null : await parts.samlClients.get(realm, entityId);
    return client
      ? homeOf(
          client.options.clientUri,
          client.assertionConsumerServices.map(({ location }) => location),
        )
      : undefined;
  };
  // Every refused message gets the same response. The audit trail contains the reason.
  app.setErrorHandler(async (error, request) => {
    if (!(error instanceof Refusal)) throw error; // the gate answers it
    await refusals.record(request, error, request.actor?.sessionId ? request.actor : null);
    const { code, status, message } = error.reason === "access_denied" ? samlErrors.denied() : samlErrors.refused();
    throw new AppError(code, status, message, { cause: error, home: await homeOfSender(request.realmId, error.entityId) });
  });
  const rooms = { ...parts, refusals };
  await app.register(ssoRoutes, rooms);
  await app.register(samlConsentRoutes, rooms);
  await app.register(artifactRoutes, rooms);
  await app.register(sloRoutes, rooms);
};
