import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";
import { asAppError, logFailure } from "../../platform/http/index.ts";

type Form = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A parameter that may be sent once; an empty one was not sent (RFC 6749 §3.1). */
export function single(form: Form, name: string): string | undefined {
  const value = form[name];
  if (Array.isArray(value)) throw oauthErrors.invalidRequest(`${name} parameter must not be provided twice`);
  return (value as string | undefined) || undefined;
}

/** RFC 6749 §5.2: the renderer of this protocol's errors. */
export function sendOAuthError(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ "cache-control": "no-store", "content-type": "application/json; charset=utf-8" });
  if (cause instanceof OAuthError) return reply.code(cause.status).headers(cause.headers).send(cause.toBody());
  const failure = asAppError(cause);
  logFailure(request, failure);
  const isOurs = failure.status >= 500;
  return reply
    .code(failure.status)
    .headers(failure.headers ?? {})
    .type("application/json; charset=utf-8")
    .send({
      error: isOurs ? (failure.status === 503 ? "temporarily_unavailable" : "server_error") : "invalid_request",
      error_description: failure.message,
    });
}

const EXPOSED = "WWW-Authenticate, DPoP-Nonce";

/** Browsers may read an answer only where the client named their origin (`webOrigins`). */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, { webOrigins }: ClientSnapshot): void {
  const { origin } = request.headers;
  reply.header("vary", "Origin");
  if (origin !== undefined && webOrigins.includes(origin))
    reply.headers({ "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED });
}

/** Before the client is known: a page may read why it was not. */
export function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers;
  reply.header("vary", "Origin");
  if (origin !== undefined) reply.headers({ "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED });
}

/** A preflight names no client: every origin may ask, and the answer to the request itself decides. */
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
