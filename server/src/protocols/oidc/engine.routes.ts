import { parse } from "node:querystring";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { refuseBy, refuseDeepParameters } from "../../platform/http/index.ts";
import { unknownRealm } from "../../tenancy/realms/index.ts";
import { FORM, sendOAuthError, takeForms } from "../gate/index.ts";
import { withEngine } from "./engine.ts";
import { rememberRequest } from "./error-page.ts";
import type { Issuer, Issuers } from "./provider.ts";

export const issuerFor = async (issuers: Issuers, request: FastifyRequest): Promise<Issuer> => {
  const { realm } = request.params as { realm: string };
  const issuer = issuers.peek(realm) ?? (await issuers.get(realm));
  if (!issuer) throw unknownRealm();
  return issuer;
};

/** `?…` as it was sent. */
export const searchOf = ({ url = "" }: { url?: string | undefined }): string => (url.includes("?") ? url.slice(url.indexOf("?")) : "");

/** Hands a request to the engine, under the path it knows. From here on it writes the answer itself, beside the headers set so far. */
export async function handOver(
  { handle, parts }: Issuer,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  search = searchOf(request.raw),
): Promise<void> {
  const { raw, body } = request;
  // `claims`, `authorization_details`, request objects: the engine parses them before it checks anything, and stores what it has parsed.
  refuseDeepParameters(parse(search.slice(1)));
  if (Buffer.isBuffer(body)) {
    refuseDeepParameters(parse(body.toString("utf8")));
    // It reads a request by itself; one whose body we have read is read to it.
    Object.defineProperties(raw, { readable: { value: true }, iterator: { value: () => [body] } });
  }
  rememberRequest(request);
  Object.assign(raw, { originalUrl: raw.url, url: path + search });
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
  // From here on no hook of ours sees the answer.
  if (parts.isDraining()) reply.raw.setHeader("connection", "close");
  reply.hijack();
  await withEngine(() => handle(raw, reply.raw));
}

/** RFC 6749 §3.2: these endpoints take POST. Said as OAuth says errors, with the status of RFC 9110 §15.5.6. */
async function refuseMethod(issuers: Issuers, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  await issuerFor(issuers, request);
  return reply
    .code(405)
    .headers({ allow: "POST, OPTIONS", "cache-control": "no-store" })
    .send({ error: "invalid_request", error_description: "This endpoint takes POST, with a form (application/x-www-form-urlencoded)" });
}

const hide = { schema: { hide: true } } as const;
const answers = {
  "/par": ["Push an authorization request (RFC 9126)", "Its `request_uri` stands for the parameters at `/authorize`."],
  "/device/authorize": ["Ask for a code to show on a device (RFC 8628)", "The user types `user_code` at `verification_uri`."],
  "/backchannel/authorize": ["Ask a user on another device (CIBA)", "The user is named by `login_hint` or `id_token_hint`."],
} as const;
const schemaOf = ([summary, description]: readonly [string, string]) => ({
  summary,
  description: `A form with the client's authentication. ${description}`,
  consumes: [FORM],
  tags: ["Protocol"],
  params: Type.Object({ realm: Type.String() }),
  response: { "2xx": Type.Object({}, { additionalProperties: true, description: "As the RFC says" }) },
});

/** Mounted under /realms/:realm: what the engine answers. */
export const engineRoutes: FastifyPluginAsync<{ issuers: Issuers }> = async (app, { issuers }) => {
  refuseBy(app, "oauth", sendOAuthError);
  takeForms(app);
  const pass = (path: string) => async (request: FastifyRequest, reply: FastifyReply) =>
    handOver(await issuerFor(issuers, request), request, reply, path);

  for (const [path, about] of Object.entries(answers)) app.post(path, { schema: schemaOf(about) }, pass(path));
  for (const path of ["/par", "/device/authorize"]) app.options(path, hide, pass(path));
  for (const url of ["/token", "/introspect", "/revoke", ...Object.keys(answers)])
    app.route({
      method: ["GET", "HEAD", "PUT", "PATCH", "DELETE"],
      url,
      ...hide,
      handler: (request, reply) => refuseMethod(issuers, request, reply),
    });
};
