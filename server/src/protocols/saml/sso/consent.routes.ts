import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { samlClientName } from "../../../applications/saml-clients/index.ts";
import { listed } from "../../../kernel/lists.ts";
import { cut } from "../../../kernel/text.ts";
import { messagesOf, type PageFrame, renderConsent, sendPage } from "../../../pages/index.ts";
import { browser, declare, route } from "../../../platform/http/index.ts";
import { type NewAttribute, STATUS } from "../../../platform/saml/index.ts";
import { interactionErrors } from "../../../signin/run/index.ts";
import { isRefusedOnPage } from "../../decoupled/index.ts";
import { PATHS } from "../identity.ts";
import { clientOf } from "../refusals.ts";
import { type AskedConsent, allowConsent, askedConsents } from "./consent.ts";
import { proceedAfterConsent, refuseConsent, type SsoParts } from "./service.ts";

const params = Type.Object({ realm: Type.String(), id: Type.String({ maxLength: 128 }) });
const Decision = Type.Object({
  _csrf: Type.Optional(Type.String({ maxLength: 512 })),
  decision: Type.Optional(Type.String({ maxLength: 16 })),
});

/** Mounted under /realms/:realm: asks which attributes an assertion may hold. */
export const samlConsentRoutes: FastifyPluginAsyncTypebox<SsoParts> = async (app, parts) => {
  const { visitors } = parts;
  declare(app, { caller: browser(), csrf: "form", errors: "page" });

  const show = async (request: FastifyRequest, reply: FastifyReply, asked: AskedConsent, status = 200) => {
    const { realm, visitor } = request;
    const { id } = request.params as { id: string };
    const client = await clientOf(parts, realm.realmId, asked.request.entityId);
    const { options } = client;
    const action = `/realms/${realm.realmId}${PATHS.consent}/${id}`;
    const frame = visitors.frameAt(request, reply, visitor, action);
    const html = renderConsent({
      apis: [],
      returnTo: null,
      agent: null,
      ...frame,
      csrf: visitors.tokenFor(request, reply, visitor),
      action,
      client: samlClientName(client),
      account: visitor.session!.username,
      scopes: [{ name: "openid", text: null }, ...asked.attributes.map((attribute) => wanted(frame, attribute))],
      claims: [],
      details: [],
      ...{ logoUrl: options.logoUri, policyUrl: options.policyUri, termsUrl: options.tosUri },
    });
    return sendPage(reply, status, html, {
      logoUrl: realm.settings.logoUrl,
      logos: [options.logoUri],
    });
  };

  const askedOf = async (request: FastifyRequest, how: "find" | "take"): Promise<AskedConsent> => {
    const asked = await askedConsents[how](parts, request.realmId, (request.params as { id: string }).id);
    if (!asked) throw interactionErrors.gone();
    return asked;
  };
  /** Tells whether the consent is the signed-in user's. Otherwise the request is decided anew for the current session. */
  const isTheirs = ({ visitor }: FastifyRequest, { userId }: AskedConsent) => visitor.session?.userId === userId;

  const isRefused = async ({ visitor: { session }, realmId: realm }: FastifyRequest, { request }: AskedConsent): Promise<boolean> => {
    const { options: application } = await clientOf(parts, realm, request.entityId);
    return session !== null && isRefusedOnPage(parts.db, { ...session, realm, application });
  };

  route(app, "GET", `${PATHS.consent}/:id`, {
    hide: true,
    params,
    handler: async (request, reply) => {
      const asked = await askedOf(request, "find");
      if (isTheirs(request, asked)) return show(request, reply, asked);
      return proceedAfterConsent(parts, { request, reply }, await askedOf(request, "take"));
    },
  });

  const onStale = async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = await askedOf(request, "find");
    return isTheirs(request, asked) ? show(request, reply, asked, 403) : proceedAfterConsent(parts, { request, reply }, asked);
  };

  route(app, "POST", `${PATHS.consent}/:id`, {
    config: { onStale },
    hide: true,
    params,
    body: Decision,
    handler: async (request, reply) => {
      const { realm, visitor, body } = request;
      const isAllowed = body.decision === "allow" && !(await isRefused(request, await askedOf(request, "find")));
      const asked = await askedOf(request, "take");
      const visit = { request, reply };
      if (!isTheirs(request, asked)) return proceedAfterConsent(parts, visit, asked);
      if (body.decision !== "allow") return refuseConsent(parts, visit, asked, { code: STATUS.responder, subCode: STATUS.requestDenied });
      if (isAllowed) await allowConsent(parts, realm.realmId, asked, visitor.session!, request.ip);
      return proceedAfterConsent(parts, visit, asked);
    },
  });
};

/** Describes an attribute with its values, so that users see the released data. */
function wanted(frame: PageFrame, { name, values }: NewAttribute) {
  const text = `${name} (${listed(values.map((value) => cut(value, 100)))})`;
  return { name, text: messagesOf(frame).consentClaims.replace("{claims}", () => text) };
}
