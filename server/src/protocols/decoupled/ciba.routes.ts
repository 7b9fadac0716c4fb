import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { renderCiba, sendPage } from "../../pages/index.ts";
import { declare, field, page, pathParams, redirect, route, session as sessionCaller } from "../../platform/http/index.ts";
import { issuerFor } from "../gate/index.ts";
import { answer, findRequest, listRequests, messageOf, requestedBy } from "./approval.ts";
import {
  confirmationOf,
  type DecoupledRouteParts,
  isRefusedTo,
  missingSignIn,
  nameOf,
  needsRecentSignIn,
  OtherAccount,
  sendNoAccess,
} from "./visitors.ts";

const requestParams = pathParams("id");
const toLogin = redirect("Redirects to the sign-in page");
const Answer = Type.Object(
  {
    decision: Type.String({ maxLength: 16, description: "`allow` approves the request; any other value refuses it" }),
    _csrf: field(512, "The value of the cookie XSRF-TOKEN; 403 without it"),
  },
  { $id: "CibaAnswer" },
);

/** Mounted under /realms/:realm: the signed-in user approves CIBA requests. */
export const cibaRoutes: FastifyPluginAsyncTypebox<DecoupledRouteParts> = async (app, parts) => {
  const { issuers, visitors } = parts;
  declare(app, { tags: ["Protocol"], caller: sessionCaller({ judged: "by-handler" }), csrf: "form", errors: "page", impersonated: true });
  const here = (realm: string) => `/realms/${realm}/ciba`;
  const pathOf = (realm: string, id: string) => `${here(realm)}/${encodeURIComponent(id)}`;

  const listOf = (realm: string) => ({ href: here(realm), label: "requestsAll" }) as const;
  const showGone = (request: FastifyRequest, reply: FastifyReply, status: number) =>
    visitors.showMessage(request, reply, status, "ciba-gone", { back: listOf(request.realmId) });

  /** Shows the page of a request in its current state. */
  const showAfresh = async (request: FastifyRequest, reply: FastifyReply, status?: number) => {
    const { parts: realm } = await issuerFor(issuers, request);
    const found = await findRequest(realm, request.visitor.session!, (request.params as { id: string }).id);
    if (!found) return showGone(request, reply, status ?? 404);
    const path = pathOf(request.realmId, found.request.recordId);
    const view = { ...(await confirmationOf(visitors, { req: request, reply }, realm, found, { path })), message: messageOf(found) };
    return sendPage(reply, status ?? 200, renderCiba(view));
  };

  route(app, "GET", "/ciba", {
    operationId: "listCibaRequests",
    summary: "List the requests that wait for the signed-in user (CIBA)",
    querystring: Type.Object({ lang: field(35), account: OtherAccount }),
    response: { 200: page("The page with the list"), 303: toLogin },
    handler: async (request, reply) => {
      const { realmId } = request;
      if (request.query.account === "other")
        return visitors.toSignIn(request, reply, { kind: "page", request: { reauthenticate: true }, returnTo: here(realmId) });
      const session = request.visitor.session!;
      const requests = (await listRequests((await issuerFor(issuers, request)).parts, session)).map((each) => ({
        href: pathOf(realmId, each.request.recordId),
        client: nameOf(each.client),
        message: messageOf(each),
      }));
      const frame = visitors.frameAt(request, reply, request.visitor, here(realmId));
      return sendPage(reply, 200, renderCiba({ ...frame, state: "list", account: session.username, requests }));
    },
  });

  route(app, "GET", "/ciba/:id", {
    summary: "Show a request that waits for the signed-in user (CIBA)",
    params: requestParams,
    response: {
      200: page("The page that asks for the decision"),
      303: toLogin,
      404: page("The request was answered or has expired, or belongs to another user"),
    },
    handler: async (request, reply) => showAfresh(request, reply),
  });

  route(app, "POST", "/ciba/:id", {
    config: { onStale: (request, reply) => showAfresh(request, reply, 403) },
    summary: "Answer a request (CIBA)",
    params: requestParams,
    body: Answer,
    response: {
      200: page("The outcome"),
      303: toLogin,
      403: page("The CSRF token is missing or stale, or the user may not use the client"),
      404: page("The request was answered or has expired, or belongs to another user"),
      409: page("The request was answered in another tab"),
    },
    handler: async (request, reply) => {
      const { realmId } = request;
      const session = request.visitor.session!;
      const { id } = request.params;
      const { parts: realm } = await issuerFor(issuers, request);
      const found = await findRequest(realm, session, id);
      if (!found) return showGone(request, reply, 404);
      const isAllowed = request.body.decision === "allow";
      if (isAllowed && (await isRefusedTo(realm, found.client, session, true)))
        return sendNoAccess(visitors, request, reply, found.client, { path: here(realmId) });
      const missing = isAllowed ? await missingSignIn(realm, request, found) : null;
      if (missing) return visitors.toSignIn(request, reply, { kind: "page", request: missing, returnTo: pathOf(realmId, id) });
      if (isAllowed && (await needsRecentSignIn(realm, session, requestedBy(realm, found.request).scopes)))
        return visitors.toSignIn(request, reply, { kind: "page", request: { recent: true }, returnTo: pathOf(realmId, id) });
      const approval = { ...found, parts: realm, model: "BackchannelAuthenticationRequest", session } as const;
      if (!(await answer(request, approval, isAllowed))) return showGone(request, reply, 409);
      const view = { values: { client: nameOf(found.client) }, back: listOf(realmId) };
      return visitors.showMessage(request, reply, 200, isAllowed ? "ciba-allowed" : "ciba-denied", view);
    },
  });
};
