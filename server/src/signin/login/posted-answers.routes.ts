import formbody from "@fastify/formbody";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { askingProvider, brokerOf, type PostedAnswer, type ProviderSnapshot, REFUSED, UpstreamError } from "../../federation/index.ts";
import { anonymous, refuseDirtyText, route } from "../../platform/http/index.ts";
import { type RequestSource, requestSource } from "../../platform/unit-of-work.ts";
import { seeOther } from "./begin.ts";
import type { ContinueRouteParts } from "./continue.routes.ts";

/** The parameters that an OpenID provider may post. Others are dropped. */
const POSTED = ["state", "code", "iss", "error", "user"] as const;
const MAX_MEMBER = 8192;
/** The limit for a SAML message in a form. */
const MAX_FORM = 1024 * 1024;
const FORM = "application/x-www-form-urlencoded";

type Form = Readonly<Record<string, unknown>>;

/** Mounted under /realms/:realm. A form of another site has no cookies, so it decides nothing and continues as a GET, which has them. */
export const postedAnswerRoutes: FastifyPluginAsyncTypebox<ContinueRouteParts> = async (app, { parts }) => {
  app.removeContentTypeParser(FORM);
  await app.register(formbody, { bodyLimit: MAX_FORM });

  route(app, "POST", "/broker/:alias/endpoint", {
    bodyLimit: MAX_FORM,
    config: { caller: anonymous(), csrf: "none", limit: "signIns" },
    summary: "Redirect URI of an identity provider that answers by a form (form_post, SAML POST binding)",
    description:
      "With `response_mode=form_post` of OpenID Connect, redirects to the same address with the posted values as a query. With the SAML POST binding, the response is verified and stored for this browser.",
    tags: ["Sign-in"],
    params: Type.Object({ realm: Type.String(), alias: Type.String({ maxLength: 63 }) }),
    consumes: [FORM],
    body: Type.Object({}, { additionalProperties: true, examples: [{ code: "c3f1a5", state: "Ykz0R2p1bXk" }] }),
    response: { 303: Type.Null({ description: "Redirects to the same address by GET" }) },
    handler: async (request, reply) => {
      const form = request.body as Form;
      refuseDirtyText(form);
      const { realm, alias } = request.params;
      const at = `/realms/${realm}/broker/${encodeURIComponent(alias)}`;
      const posted = await answerOf(request.realmId, alias, form, requestSource(request));
      if (posted.kind === "answer") return seeOther(reply, `${at}/endpoint?${new URLSearchParams(posted.query)}`);
      return seeOther(reply, `${at}/login?${new URLSearchParams(posted.returnTo === null ? {} : { return_to: posted.returnTo })}`);
    },
  });

  async function answerOf(realm: string, alias: string, form: Form, from: RequestSource): Promise<PostedAnswer> {
    const { brokers } = parts;
    const provider = (await brokers.providers.get(realm))?.byAlias.get(alias);
    const broker = provider?.enabled ? brokerOf(provider.protocol) : null;
    if (!provider || !broker?.posted) return { kind: "answer", query: textsOf(form, POSTED) };
    try {
      return await askingProvider(brokers.tools, (tools) => broker.posted!(provider, form, tools));
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      await refuse(provider, error, from);
      const { RelayState: state } = textsOf(form, ["RelayState"]);
      return { kind: "answer", query: { error: REFUSED, ...(state !== undefined && { state }) } };
    }
  }

  /** Records the refusal here, where the reason is known. The browser gets the step again. */
  async function refuse(provider: ProviderSnapshot, error: UpstreamError, from: RequestSource): Promise<void> {
    const { realm, alias, protocol } = provider;
    parts.brokers.tools.log.warn(
      { err: error, realm, alias, protocol, reason: error.reason },
      "an answer of an identity provider was refused",
    );
    await parts.brokers.failed(parts.work, provider, error.reason, from);
  }
};

const textsOf = (form: Form, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = form[name];
      return typeof value === "string" && value.length <= MAX_MEMBER ? [[name, value]] : [];
    }),
  );
