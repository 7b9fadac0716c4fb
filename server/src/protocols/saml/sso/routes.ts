import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { anonymous, browser, declare, route } from "../../../platform/http/index.ts";
import { readPost, readRedirect } from "../../../platform/saml/index.ts";
import { assertMayBegin, seeOther } from "../../../signin/login/index.ts";
import { interactionErrors } from "../../../signin/run/index.ts";
import { PATHS } from "../identity.ts";
import { clientOf, inNameOf } from "../refusals.ts";
import { postedMessages } from "../sealed-records.ts";
import { LONGEST_RELAY_STATE } from "./relay-state.ts";
import { checkRequest, type PendingRequest, unsolicited } from "./requests.ts";
import { proceed, proceedAsOther, resume, type SsoParts } from "./service.ts";

const tags = ["Protocol"];
const params = Type.Object({ realm: Type.String() });
const page = (description: string) => Type.String({ description });
const responses = {
  200: page("A page that posts the response to the service provider"),
  303: Type.Null({ description: "Redirects to the sign-in page, or to the service provider with an artifact" }),
  400: page("The page for a request that cannot be answered to its service provider"),
};
/** A service provider may be allowed more bytes than SAML allows: see `relayStateOf`. */
const limit = { relayStateBytes: LONGEST_RELAY_STATE };
const postedRequests = postedMessages<PendingRequest>("SamlRequest");
const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Mounted under /realms/:realm. */
export const ssoRoutes: FastifyPluginAsyncTypebox<SsoParts> = async (app, parts) => {
  declare(app, { caller: browser(), errors: "page" });
  app.removeContentTypeParser(["application/json", "text/plain"]);

  route(app, "GET", PATHS.sso, {
    summary: "Single sign-on by the Redirect binding (SAML 2.0)",
    description: "Redirects the browser to the sign-in page, or responds to the service provider.",
    tags,
    params,
    response: responses,
    handler: async (request, reply) => {
      const { posted } = request.query as { posted?: unknown };
      if (typeof posted === "string") {
        const pending = await postedRequests.take(parts, request.realmId, posted);
        if (!pending) throw interactionErrors.gone();
        return proceed(parts, { request, reply }, pending, true);
      }
      const [, query = ""] = /\?(.*)/s.exec(request.raw.url ?? "") ?? [];
      const received = await inNameOf(null, () => readRedirect(query, limit));
      return proceed(parts, { request, reply }, await checkRequest(parts, request.realmId, received), false);
    },
  });

  route(app, "POST", PATHS.sso, {
    config: { caller: anonymous(), csrf: "none" },
    summary: "Single sign-on by the POST binding (SAML 2.0)",
    consumes: ["application/x-www-form-urlencoded"],
    tags,
    params,
    response: { 303: Type.Null({ description: "Redirects to the same address by GET" }), 400: responses[400] },
    handler: async (request, reply) => {
      const { realm, realmId } = request;
      await assertMayBegin({ limiter: parts.limiter, realm }, request.ip);
      const received = await inNameOf(null, () => readPost((request.body ?? {}) as Record<string, unknown>, limit));
      const id = await postedRequests.keep(parts, realmId, await checkRequest(parts, realmId, received));
      return seeOther(reply, `/realms/${realmId}${PATHS.sso}?posted=${id}`);
    },
  });

  // The sign-in returns here.
  route(app, "GET", PATHS.continue, {
    hide: true,
    params,
    handler: async (request, reply) => {
      const { interaction } = request.query as { interaction?: unknown };
      return resume(parts, { request, reply }, textOf(interaction) ?? "");
    },
  });

  route(app, "GET", `${PATHS.start}/:entityId`, {
    summary: "Start a sign-in at this server (IdP-initiated single sign-on)",
    description: "Only for service providers that allow it. A `RelayState` is accepted if `options.allowedRelayStates` allows it.",
    tags,
    params: Type.Object({ realm: Type.String(), entityId: Type.String() }),
    querystring: Type.Object({
      RelayState: Type.Optional(Type.String({ maxLength: LONGEST_RELAY_STATE })),
      account: Type.Optional(Type.Literal("other", { description: "Any value: sign in with another account" })),
    }),
    response: { ...responses, 403: page("The page that says that the user may not use the application") },
    handler: async (request, reply) => {
      const client = await clientOf(parts, request.realmId, request.params.entityId);
      const pending = unsolicited(client, request.query.RelayState || null);
      if (request.query.account === "other") return proceedAsOther(parts, { request, reply }, pending);
      return proceed(parts, { request, reply }, pending, false);
    },
  });
};
