import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { anonymous, client, declare } from "../../../platform/http/index.ts";
import { clientForm, issuerFor, takeForms } from "../../gate/index.ts";
import type { Issuers } from "../issuer.ts";

const hide = { config: { caller: anonymous() }, schema: { hide: true } } as const;
const text = Type.Optional(Type.String());
const answers = {
  "/par": {
    summary: "Push an authorization request (RFC 9126)",
    about: "At `/authorize`, the returned `request_uri` stands for these parameters.",
    form: clientForm(
      {
        ...{ response_type: text, redirect_uri: text, scope: text, state: text, nonce: text, response_mode: text, request: text },
        ...{ code_challenge: text, code_challenge_method: text, prompt: text, max_age: text, acr_values: text, login_hint: text },
        ...{ id_token_hint: text, ui_locales: text, claims: text, resource: text, authorization_details: text, dpop_jkt: text },
      },
      {
        ...{ response_type: "code", redirect_uri: "https://app.example.com/callback", scope: "openid" },
        ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
      },
    ),
  },
  "/device/authorize": {
    summary: "Request a device code (RFC 8628)",
    about: "The user enters `user_code` at `verification_uri`.",
    form: clientForm({ scope: text, resource: text, authorization_details: text }, { scope: "openid" }),
  },
  "/backchannel/authorize": {
    summary: "Request an authentication on the user's device (CIBA)",
    about: "`login_hint` or `id_token_hint` names the user.",
    form: clientForm(
      {
        ...{ scope: Type.String(), login_hint: text, id_token_hint: text, binding_message: text, requested_expiry: text },
        ...{ acr_values: text, client_notification_token: text, request: text, resource: text, authorization_details: text },
      },
      { scope: "openid", login_hint: "ada@example.com", binding_message: "W4SCT" },
    ),
  },
};
const schemaOf = ({ summary, about, form }: (typeof answers)[keyof typeof answers]) => ({
  summary,
  description: `The body is a form with client authentication. ${about}`,
  ...form,
  response: { "2xx": Type.Object({}, { additionalProperties: true, description: "The response that the RFC specifies" }) },
});

/** Mounted under /realms/:realm: the endpoints that the engine answers. */
export const engineRoutes: FastifyPluginAsync<{ issuers: Issuers }> = async (app, { issuers }) => {
  declare(app, { tags: ["Protocol"], caller: client({ in: "engine" }), errors: "oauth" });
  takeForms(app);
  const pass = (path: string) => async (request: FastifyRequest, reply: FastifyReply) =>
    (await issuerFor(issuers, request)).engine.handle(request, reply, path);

  for (const [path, about] of Object.entries(answers)) app.post(path, { schema: schemaOf(about) }, pass(path));
  for (const path of ["/par", "/device/authorize"]) app.options(path, hide, pass(path));
};
