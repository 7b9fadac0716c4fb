import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { Consent, readConsents, revokeConsent } from "../../../directory/consents/index.ts";
import { noContent, noContentAnswer } from "../../../platform/http/index.ts";
import { ApplicationParams } from "../access/access.schema.ts";
import { PersonalData } from "./personal-data.schema.ts";
import { collectPersonalData, fileNameOf } from "./personal-data.ts";

/** Mounted under /realms/:realm/account/gdpr. */
export const personalDataRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/export",
    {
      schema: {
        summary: "Download your own data",
        description: "Refused (403) to an administrator who acts as the user.",
        response: { 200: PersonalData },
      },
    },
    async (req, reply) => {
      const data = await req.read((ctx) => collectPersonalData(ctx, ctx.actor.id));
      reply.header("content-disposition", `attachment; filename="${fileNameOf(data)}"`);
      return data;
    },
  );

  app.get(
    "/consents",
    {
      config: { impersonated: true },
      schema: { summary: "List what you allowed applications", response: { 200: Type.Array(Consent) } },
    },
    (req) => req.read((ctx) => readConsents(ctx, ctx.actor.id)),
  );

  app.delete(
    "/consents/:clientId",
    {
      schema: {
        summary: "Take back what you allowed an application",
        params: ApplicationParams,
        response: noContentAnswer("Taken back"),
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => revokeConsent(ctx, ctx.actor.id, req.params.clientId))),
  );
};
