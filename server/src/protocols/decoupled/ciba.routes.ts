import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { mayUseApplication } from "../../applications/access/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { declare, field, page, redirect, session as sessionCaller } from "../../platform/http/index.ts";
import { toSignIn, type Visitor } from "../../signin/login/index.ts";
import { renderCiba, sendPage } from "../../signin/pages/index.ts";
import { issuerFor } from "../gate/index.ts";
import { answer, findRequest, listRequests, messageOf, requestedBy, type Waiting } from "./approval.ts";
import type { DecoupledIssuer } from "./parts.ts";
import { type DecoupledRouteParts, needsRecentSignIn, OtherAccount, sendNoAccess } from "./visitors.ts";

const requestParams = Type.Object({ realm: Type.String(), id: Type.String() });
const toLogin = redirect("To the sign-in page");
const Answer = Type.Object(
  {
    decision: Type.String({ maxLength: 16, description: "`allow`; anything else refuses" }),
    _csrf: field(512, "The value of the cookie XSRF-TOKEN; 403 without it"),
  },
  { $id: "CibaAnswer" },
);

const nameOf = ({ name, clientId }: ClientSnapshot): string => name ?? clientId;

/** Mounted under /realms/:realm: the signed-in user approves CIBA requests. */
export const cibaRoutes: FastifyPluginAsyncTypebox<DecoupledRouteParts> = async (app, parts) => {
  const { work, issuers, visitors } = parts;
  declare(app, { tags: ["Protocol"], caller: sessionCaller(), csrf: "form", errors: "page", impersonated: true });
  app.removeContentTypeParser(["application/json", "text/plain"]);
  const here = (realm: string) => `/realms/${realm}/ciba`;
  const pathOf = (realm: string, id: string) => `${here(realm)}/${encodeURIComponent(id)}`;

  type Shown = Parameters<typeof renderCiba>[0] extends infer V ? (V extends unknown ? Omit<V, "branding" | "locale"> : never) : never;
  const send = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, status: number, view: Shown) =>
    sendPage(reply, status, renderCiba({ ...visitors.frameOf(request, reply, visitor), ...view } as Parameters<typeof renderCiba>[0]));

  const showRequest = (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    issuer: DecoupledIssuer,
    found: Waiting,
    status = 200,
  ) => {
    const { scopes, claims } = requestedBy(issuer.parts, found.request);
    const { byName } = issuer.parts.scopesOfRealm;
    return send(request, reply, visitor, status, {
      state: "confirm",
      csrf: visitors.tokenFor(request, reply, visitor),
      action: pathOf(visitor.realm.realmId, found.request.recordId),
      client: nameOf(found.client),
      account: visitor.session!.username,
      message: messageOf(found),
      scopes: scopes.map((name) => ({ name, text: byName.get(name)?.consentText ?? null })),
      claims,
    });
  };

  const listOf = (realm: string) => ({ href: here(realm), label: "requestsAll" }) as const;
  const showGone = (request: FastifyRequest, reply: FastifyReply, status: number) =>
    visitors.showMessage(request, reply, status, "ciba-gone", { back: listOf(request.realmId) });

  /** The page of a request in its current state. */
  const showAfresh = async (request: FastifyRequest, reply: FastifyReply, status?: number) => {
    const { visitor } = request;
    const issuer = await issuerFor(issuers, request);
    const found = await findRequest(issuer.parts, visitor.session!, (request.params as { id: string }).id);
    return found ? showRequest(request, reply, visitor, issuer, found, status) : showGone(request, reply, status ?? 404);
  };

  app.get(
    "/ciba",
    {
      schema: {
        operationId: "listCibaRequests",
        summary: "Requests that wait for the signed-in user (CIBA)",
        querystring: Type.Object({ lang: field(35), account: OtherAccount }),
        response: { 200: page("The list"), 303: toLogin },
      },
    },
    async (request, reply) => {
      const { visitor, realm } = request;
      if (request.query.account === "other")
        return toSignIn(work, request, reply, { kind: "page", request: { reauthenticate: true }, returnTo: here(realm.realmId) });
      const session = visitor.session!;
      const issuer = await issuerFor(issuers, request);
      const requests = (await listRequests(issuer.parts, session)).map((each) => ({
        href: pathOf(realm.realmId, each.request.recordId),
        client: nameOf(each.client),
        message: messageOf(each),
      }));
      return send(request, reply, visitor, 200, { state: "list", account: session.username, requests }) as never;
    },
  );

  app.get(
    "/ciba/:id",
    {
      schema: {
        summary: "One of them",
        params: requestParams,
        response: { 200: page("The question"), 303: toLogin, 404: page("Answered, expired, or another user's") },
      },
    },
    async (request, reply) => {
      return showAfresh(request, reply) as never;
    },
  );

  app.post(
    "/ciba/:id",
    {
      config: { onStale: (request, reply) => showAfresh(request, reply, 403) },
      schema: {
        summary: "Answer it",
        consumes: ["application/x-www-form-urlencoded"],
        params: requestParams,
        body: Answer,
        response: {
          200: page("How it ended"),
          303: toLogin,
          403: page("CSRF token missing or stale, or the user may not use the client"),
          404: page("Answered, expired, or another user's"),
          409: page("Answered in another tab"),
        },
      },
    },
    async (request, reply) => {
      const { realm } = request;
      const session = request.visitor.session!;
      const { id } = request.params;
      const issuer = await issuerFor(issuers, request);
      const found = await findRequest(issuer.parts, session, id);
      if (!found) return showGone(request, reply, 404) as never;
      const isAllowed = request.body.decision === "allow";
      if (isAllowed && !(await mayUseApplication(parts.db, realm.realmId, session.userId, found.client.settings)))
        return sendNoAccess(visitors, request, reply, found.client, { path: here(realm.realmId) }) as never;
      if (isAllowed && (await needsRecentSignIn(parts.db, session, requestedBy(issuer.parts, found.request).scopes)))
        return toSignIn(work, request, reply, { kind: "page", request: { recent: true }, returnTo: pathOf(realm.realmId, id) });
      const approval = { ...found, parts: issuer.parts, model: "BackchannelAuthenticationRequest", session } as const;
      if (!(await answer(work, approval, isAllowed, request.ip))) return showGone(request, reply, 409) as never;
      const view = { values: { client: nameOf(found.client) }, back: listOf(realm.realmId) };
      return visitors.showMessage(request, reply, 200, isAllowed ? "ciba-allowed" : "ciba-denied", view) as never;
    },
  );
};
