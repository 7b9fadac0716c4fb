import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { AppError } from "../../kernel/errors.ts";
import { OAuthError } from "../../kernel/oauth-error.ts";
import { anonymous, declare, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { exchangedTokens, formOf, issuerFor, takeForms } from "../gate/index.ts";
import type { TokenEndpoints } from "../token-endpoint/index.ts";
import { exchangeWorkloadToken, GRANT_TYPE, TOKEN_TYPE } from "./exchange.ts";

const Tokens = exchangedTokens("WorkloadTokens", "A JWT (RFC 9068) with `workload_iss` and `workload_sub`");

const Form = Type.Object(
  {
    grant_type: Type.Literal(GRANT_TYPE),
    subject_token: Type.String({ description: "The workload's token: a JWT that its issuer signed" }),
    subject_token_type: Type.Literal(TOKEN_TYPE),
    scope: Type.Optional(Type.String()),
  },
  {
    additionalProperties: true,
    examples: [{ grant_type: GRANT_TYPE, subject_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.e30.c2ln", subject_token_type: TOKEN_TYPE }],
  },
);

/** Mounted under /realms/:realm. */
export const workloadTokenRoutes: FastifyPluginAsyncTypebox<{ issuers: TokenEndpoints }> = async (app, { issuers }) => {
  declare(app, { tags: ["Protocol"], caller: anonymous(), csrf: "none", limit: "workloadTokens", errors: "oauth" });
  takeForms(app);

  route(app, "POST", "/workload-identity/token", {
    operationId: "exchangeWorkloadToken",
    summary: "Exchange a workload's token for an access token (RFC 8693)",
    description: "Every refusal is the same 401. The audit trail has the reason (WORKLOAD_TOKEN_REJECTED).",
    consumes: ["application/x-www-form-urlencoded"],
    body: Form,
    response: { 200: Tokens },
    handler: async (request, reply) => {
      const { parts } = await issuerFor(issuers, request);
      const { headers } = request;
      const answer = await exchangeWorkloadToken(parts, { headers, form: presentedForm(request), ...requestSource(request) });
      return reply.header("cache-control", "no-store").send(answer);
    },
  });
};

/** Reads the form. An unreadable one is treated as empty, so it is refused like every other. */
function presentedForm(request: FastifyRequest) {
  try {
    return formOf(request);
  } catch (error) {
    if (error instanceof OAuthError || (error instanceof AppError && error.status < 500)) return {};
    throw error;
  }
}
