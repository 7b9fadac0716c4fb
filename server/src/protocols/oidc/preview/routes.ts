import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { pathParams } from "../../../platform/http/index.ts";
import type { Issuers } from "../issuer.ts";
import { PreviewRequest, TokenPreview } from "./schema.ts";
import { previewFor } from "./service.ts";

/** Mounted under /admin/realms/:realm/clients/:clientId/preview. */
export const previewRoutes: FastifyPluginAsyncTypebox<{ issuers: Issuers }> = async (app, { issuers }) => {
  app.post(
    "/",
    {
      config: { permission: "view-clients", versioned: false },
      schema: {
        summary: "The claims that a client's tokens would have for a user",
        description:
          "The claims of the ID token, the access token and userinfo. Needs `view-users`, too. Nothing is issued; leaves no event.",
        operationId: "previewTokens",
        tags: ["Clients"],
        params: pathParams("clientId"),
        body: PreviewRequest,
        response: { 200: TokenPreview },
      },
    },
    async (req) => {
      const { parts } = (await issuers.get(req.realmId))!;
      return req.read((ctx) => previewFor(ctx, parts, req.params.clientId, req.body));
    },
  );
};
