import { parse } from "node:querystring";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { tellClientLogin } from "./client-credentials.engine.ts";
import { type Asked, machineToken, plainClient, plainRequest } from "./client-credentials.ts";
import { FORM, handOver, issuerFor, takeForms } from "./engine.routes.ts";
import { exchange, plainExchange } from "./exchange.ts";
import { allowOrigin, sendOAuthError } from "./oauth.ts";
import type { Issuer, Issuers } from "./provider.ts";

const params = Type.Object({ realm: Type.String() });
const Tokens = Type.Object(
  {
    access_token: Type.String({ description: "A JWT (RFC 9068)" }),
    token_type: Type.String(),
    expires_in: Type.Integer({ description: "Seconds" }),
    scope: Type.Optional(Type.String()),
    id_token: Type.Optional(Type.String()),
    refresh_token: Type.Optional(Type.String()),
  },
  { $id: "Tokens", additionalProperties: true },
);

/** Mounted under /realms/:realm: the token endpoint. */
export const tokenRoutes: FastifyPluginAsyncTypebox<{ issuers: Issuers }> = async (app, { issuers }) => {
  app.setErrorHandler(sendOAuthError);
  takeForms(app);

  app.post(
    "/token",
    {
      schema: {
        summary: "The token endpoint (RFC 6749 §3.2)",
        description: "A form with `grant_type` and what that grant needs, and the client's authentication.",
        consumes: [FORM],
        tags: ["Protocol"],
        params,
        response: { 200: Tokens },
      },
      // Ours are text already, and the engine writes its own.
      serializerCompiler: () => (body) => (typeof body === "string" ? body : JSON.stringify(body)),
    },
    async (request, reply) => {
      const issuer = await issuerFor(issuers, request);
      const body = request.body as Buffer | undefined;
      if (body !== undefined) {
        const answer = await plainAnswer(issuer, request, body);
        if (answer !== null) return sendTokens(request, reply, answer) as never;
      }
      return handOver(issuer, request, reply, "/token") as never;
    },
  );
};

const isForm = (type = ""): boolean => type === FORM || /^application\/x-www-form-urlencoded; ?charset=utf-?8$/i.test(type);

interface PlainAnswer {
  readonly client: ClientSnapshot;
  /** As it goes over the wire. */
  readonly body: string;
}

/** Null: not for us. */
async function plainAnswer(issuer: Issuer, request: FastifyRequest, body: Buffer): Promise<PlainAnswer | null> {
  const { headers } = request;
  if (!isForm(headers["content-type"])) return null;
  const form = parse(body.toString("utf8"));
  const { metrics, realm, tlsClientCertHeader } = issuer.parts;
  const machine = plainRequest(headers, form, tlsClientCertHeader);
  if (machine) return machineAnswer(issuer, request, machine);
  const wanted = plainExchange(headers, form, tlsClientCertHeader);
  const answer = wanted && (await exchange(issuer, headers, wanted));
  if (!answer) return null;
  metrics.tokens(realm.realmId, answer.tokens, wanted.grantType);
  return answer;
}

async function machineAnswer(issuer: Issuer, { ip, headers }: FastifyRequest, asked: Asked): Promise<PlainAnswer | null> {
  const { activity, metrics, realm } = issuer.parts;
  const client = await plainClient(issuer, headers, asked);
  const token = client && (await machineToken(issuer, client, asked.scope));
  if (!token) return null;
  if (realm.settings.auditClientLogins) await tellClientLogin(issuer.parts, client, ip);
  activity.issued(client, ip, token.expiresAt);
  metrics.tokens(realm.realmId, 1, "client_credentials");
  return { client, body: token.body };
}

/** RFC 6749 §5.1 */
function sendTokens(request: FastifyRequest, reply: FastifyReply, { client, body }: PlainAnswer): FastifyReply {
  reply.header("content-type", "application/json; charset=utf-8").header("cache-control", "no-store");
  allowOrigin(request, reply, client);
  return reply.send(body);
}
