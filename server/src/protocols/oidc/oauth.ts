import type { FastifyReply, FastifyRequest } from "fastify";
import { errors, type KoaContextWithOIDC } from "oidc-provider";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { asAppError, logFailure } from "../../platform/http/index.ts";
import { snapshotOf, takesSecret } from "./client.ts";
import { authenticateClient } from "./engine.ts";
import type { Issuer } from "./provider.ts";

type Form = Readonly<Record<string, string | string[] | undefined>>;

/** A request of ours as the engine's functions want it; nothing of it is answered by the engine. */
export function engineContext(
  { provider }: Issuer,
  request: FastifyRequest,
  reply: FastifyReply,
  route: "userinfo" | "introspection" | "revocation",
  params: Form,
): KoaContextWithOIDC {
  const ctx = Object.assign(provider.createContext(request.raw, reply.raw), { _matchedRouteName: route }) as unknown as KoaContextWithOIDC;
  Object.defineProperty(ctx, "oidc", { value: new provider.OIDCContext(ctx as never) });
  Object.assign(ctx.oidc, { params: { ...params }, body: { ...params } });
  return ctx;
}

/** RFC 6749 §2.3: who asks, proven as the client is configured. */
export async function authenticated(ctx: KoaContextWithOIDC): Promise<ClientSnapshot> {
  await authenticateClient(ctx).catch((error) => {
    // As the engine's own endpoints tell it: client-credentials.engine.ts listens.
    ctx.oidc.provider.emit(`${ctx.oidc.route}.error`, ctx, error);
    throw error;
  });
  if (!ctx.oidc.client) throw new errors.InvalidClientAuth("no client");
  const client = snapshotOf(ctx.oidc.client);
  if (!takesSecret(client, ctx.req.headers.authorization !== undefined))
    throw new errors.InvalidClientAuth("the secret was not sent as the client is registered for");
  return client;
}

/** A parameter that may be sent once. */
export function single(form: Form, name: string): string | undefined {
  const value = form[name];
  if (Array.isArray(value)) throw new errors.InvalidRequest(`${name} parameter must not be provided twice`);
  return value === "" ? undefined : value;
}

/** RFC 6749 §5.2: the renderer of this protocol's errors. */
export function sendOAuthError(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ "cache-control": "no-store", "content-type": "application/json; charset=utf-8" });
  if (cause instanceof errors.OIDCProviderError) {
    const { error, error_description, statusCode } = cause;
    return reply.code(statusCode).send({ error, error_description });
  }
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

/** Browsers may read an answer only where the client named their origin (`webOrigins`). */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, { webOrigins }: ClientSnapshot): void {
  const { origin } = request.headers;
  reply.header("vary", "Origin");
  if (origin !== undefined && webOrigins.includes(origin))
    reply.headers({ "access-control-allow-origin": origin, "access-control-expose-headers": "WWW-Authenticate, DPoP-Nonce" });
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
