import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { bearer, declare } from "../../../platform/http/index.ts";
import { type Audience, issuerFor } from "../../gate/index.ts";
import type { Issuers } from "../issuer.ts";
import { userinfo } from "./service.ts";

const Claims = Type.Object({ sub: Type.String() }, { $id: "Userinfo", additionalProperties: true });

/** RFC 6750 §2: in the header or in the form, not in both, never in the query. */
export const userinfoAudience: Audience = {
  names: (issuer) => [issuer],
  invalid: "invalid token provided",
  takesForm: true,
  ignoresCookies: true,
  check: ({ live }) => (live.holder ? null : { error: "invalid_token", description: "invalid token provided" }),
};

/** Mounted under /realms/:realm. */
export const userinfoRoutes: FastifyPluginAsyncTypebox<{ issuers: Issuers }> = async (app, { issuers }) => {
  declare(app, { tags: ["Protocol"], caller: bearer({ audience: "userinfo" }), errors: "oauth", impersonated: true });
  app.removeContentTypeParser(["application/json", "text/plain"]);

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { parts } = await issuerFor(issuers, request);
    const { type, body } = await userinfo(parts, request.accessToken!, request.client!);
    return reply.type(type).serializer(String).send(body);
  };

  const response = { 200: Claims };
  const description = "With an access token of the realm with the scope `openid`. A signed JWT for clients that are configured so.";
  app.get("/userinfo", { schema: { summary: "Claims about the user (OpenID Connect Core §5.3)", description, response } }, answer as never);
  app.post(
    "/userinfo",
    {
      schema: { summary: "The same by POST", description, consumes: ["application/x-www-form-urlencoded"], response },
    },
    answer as never,
  );
};
