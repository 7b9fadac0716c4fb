import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { OAuthError } from "../../kernel/oauth-error.ts";
import { asAppError, logFailure } from "../../platform/http/index.ts";

/** An error of AuthZEN §10.1.4, which is a plain message. `requestId` is ours, even if the header has the caller's. */
export const AccessError = Type.Object(
  { status: Type.Integer(), message: Type.String(), requestId: Type.String() },
  { $id: "AccessError" },
);

export function sendAccessError(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message, headers = {} } = cause instanceof OAuthError ? cause : shown(cause, request);
  return reply
    .code(status)
    .headers({ ...headers, "cache-control": "no-store", "content-type": "application/json; charset=utf-8" })
    .serializer(JSON.stringify)
    .send({ status, message, requestId: request.id });
}

function shown(cause: unknown, request: FastifyRequest) {
  const error = asAppError(cause);
  logFailure(request, error);
  const { status, message, errors = [], headers } = error;
  return { status, message: errors.length > 0 ? errors.map((each) => each.message).join("; ") : message, ...(headers && { headers }) };
}
