import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";
import { asAppError, logFailure } from "../../platform/http/index.ts";
import type { Form } from "../client-auth/index.ts";

/** RFC 6749 §3.1: returns a parameter, which must not be repeated. An empty one is treated as omitted. */
export function single(form: Form, name: string): string | undefined {
  const value = form[name];
  if (Array.isArray(value)) throw oauthErrors.invalidRequest(`${name} parameter must not be provided twice`);
  return (value as string | undefined) || undefined;
}

/** RFC 6749 §5.2: renders errors as OAuth endpoints do. */
export function sendOAuthError(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ "cache-control": "no-store", "content-type": "application/json; charset=utf-8" });
  if (cause instanceof OAuthError) return reply.code(cause.status).headers(cause.headers).send(cause.toBody());
  const failure = asAppError(cause);
  logFailure(request, failure);
  const isServerError = failure.status >= 500;
  return reply
    .code(failure.status)
    .headers(failure.headers ?? {})
    .type("application/json; charset=utf-8")
    .send({
      error: isServerError ? (failure.status === 503 ? "temporarily_unavailable" : "server_error") : "invalid_request",
      error_description: failure.message,
    });
}

const EXPOSED = "WWW-Authenticate, DPoP-Nonce";

/**
 * CORS: allows scripts to read a response if the client lists their origin (`webOrigins`). Null allows any origin, for errors of client
 * authentication, where there is no client.
 */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, client: ClientSnapshot | null): void {
  const { origin } = request.headers;
  reply.header("vary", "Origin");
  if (origin !== undefined && (client === null || client.webOrigins.includes(origin)))
    reply.headers({ "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED });
}

/** CORS: answers a preflight. It names no client, so every origin is allowed; the headers of the actual response decide. */
export const preflight =
  (methods: string) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const asked = request.headers["access-control-request-headers"];
    return reply
      .code(204)
      .headers({
        vary: "Origin, Access-Control-Request-Headers",
        "access-control-allow-origin": request.headers.origin ?? "*",
        "access-control-allow-methods": methods,
        "access-control-max-age": "3600",
        ...(asked !== undefined && { "access-control-allow-headers": asked }),
      })
      .send();
  };
