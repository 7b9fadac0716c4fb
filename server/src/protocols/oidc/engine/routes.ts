import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { anonymous, client, declare } from "../../../platform/http/index.ts";
import { FORM, issuerFor, takeForms } from "../../gate/index.ts";
import type { Issuers } from "../issuer.ts";

/** RFC 6749 §3.2: these endpoints take POST. Said as OAuth says errors, with the status of RFC 9110 §15.5.6. */
function refuseMethod(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(405)
    .headers({ allow: "POST, OPTIONS", "cache-control": "no-store" })
    .send({ error: "invalid_request", error_description: "This endpoint takes POST, with a form (application/x-www-form-urlencoded)" });
}

const hide = { config: { caller: anonymous() }, schema: { hide: true } } as const;
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
  declare(app, { caller: client({ in: "engine" }), errors: "oauth" });
  takeForms(app);
  const pass = (path: string) => async (request: FastifyRequest, reply: FastifyReply) =>
    (await issuerFor(issuers, request)).engine.handle(request, reply, path);

  for (const [path, about] of Object.entries(answers)) app.post(path, { schema: schemaOf(about) }, pass(path));
  for (const path of ["/par", "/device/authorize"]) app.options(path, hide, pass(path));
  for (const url of ["/token", "/introspect", "/revoke", ...Object.keys(answers)])
    app.route({
      method: ["GET", "HEAD", "PUT", "PATCH", "DELETE"],
      url,
      ...hide,
      handler: refuseMethod,
    });
};
