import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { Consent, readConsents, revokeConsent } from "../../../directory/consents/index.ts";
import { callRoute, route } from "../../../platform/http/index.ts";
import { ApplicationParams } from "../access/access.schema.ts";
import { PersonalData } from "./personal-data.schema.ts";
import { collectPersonalData, fileNameOf } from "./personal-data.ts";

/** Mounted under /realms/:realm/account/gdpr. */
export const personalDataRoutes: FastifyPluginAsyncTypebox = async (app) => {
  route(app, "GET", "/export", {
    summary: "Download your own data",
    description: "Refused (403) for an administrator who acts as the user.",
    response: { 200: PersonalData },
    handler: async (req, reply) => {
      const data = await req.read((ctx) => collectPersonalData(ctx, ctx.actor.id));
      reply.header("content-disposition", `attachment; filename="${fileNameOf(data)}"`);
      return data;
    },
  });

  callRoute(app, "GET", "/consents", {
    config: { impersonated: true },
    summary: "List your consents",
    answer: Type.Array(Consent),
    read: (ctx) => readConsents(ctx, ctx.actor.id),
  });

  callRoute(app, "DELETE", "/consents/:clientId", {
    summary: "Revoke your consent to an application",
    params: ApplicationParams,
    done: "Revoked",
    transact: (ctx, { params }) => revokeConsent(ctx, ctx.actor.id, params.clientId),
  });
};
