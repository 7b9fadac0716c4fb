import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { anyOf, bearer, client, declare, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { clientForm, exchangedTokens, formOf, issuerFor, takeForms } from "../gate/index.ts";
import type { TokenEndpoints } from "../token-endpoint/index.ts";
import { delegate, GRANT_TYPE, PATH } from "./delegate.ts";

const Tokens = exchangedTokens("DelegationTokens", "A JWT (RFC 9068) with the user as `sub` and the agent as `act`");

const text = Type.Optional(Type.String());
const Form = clientForm(
  {
    grant_type: Type.Literal(GRANT_TYPE),
    subject_token: Type.String({ description: "The user's access token" }),
    subject_token_type: Type.String(),
    actor_token: Type.Optional(Type.String({ description: "The agent's own access token. Omit it if it is in the header" })),
    actor_token_type: text,
    ...{ requested_token_type: text, scope: text, audience: text, resource: text },
  },
  {
    grant_type: GRANT_TYPE,
    subject_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln",
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
  },
);

/** Mounted under /realms/:realm. */
export const delegationRoutes: FastifyPluginAsyncTypebox<{ issuers: TokenEndpoints }> = async (app, { issuers }) => {
  declare(app, { tags: ["Protocol"], caller: anyOf(client(), bearer({ audience: "delegation" })), errors: "oauth", impersonated: true });
  takeForms(app);

  route(app, "POST", PATH, {
    operationId: "delegateToAgent",
    summary: "Get a token to act for a user (RFC 8693)",
    description:
      "Exchanges a user's access token and the agent's own for a token with which the agent acts for the user, who has consented to it. " +
      "The agent's client authenticates and sends `actor_token`, or the agent's token is in the header.",
    ...Form,
    response: { 200: Tokens },
    handler: async (request, reply) => {
      const { parts } = await issuerFor(issuers, request);
      const { headers, accessToken } = request;
      const answer = await delegate(parts, {
        headers,
        form: formOf(request),
        ...requestSource(request),
        client: request.client!,
        bearer: accessToken,
      });
      return reply.header("cache-control", "no-store").send(answer);
    },
  });
};
