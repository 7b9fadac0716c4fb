import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { anonymous, browser, declare, route } from "../../../platform/http/index.ts";
import { readPost, readRedirect } from "../../../platform/saml/index.ts";
import { assertMayBegin, seeOther } from "../../../signin/login/index.ts";
import { interactionErrors } from "../../../signin/run/index.ts";
import { PATHS } from "../identity.ts";
import { answerSoap, inNameOf, Refusal, samlErrors } from "../refusals.ts";
import { postedMessages } from "../sealed-records.ts";
import { createSingleLogout } from "./begin.ts";
import { logOutBrowser, takeAnswer } from "./browser.ts";
import { type Exchange, showProgress } from "./progress.ts";
import { type CheckedRequest, type CheckedResponse, checkLogoutMessage } from "./requests.ts";
import { logOutBySoap } from "./soap.ts";
import type { SloParts } from "./standing.ts";

const tags = ["Protocol"];
const params = Type.Object({ realm: Type.String() });
const page = (description: string) => Type.String({ description });
const responses = {
  200: page("A page that continues with the next application"),
  303: Type.Null({ description: "Redirects to the logout page, or back to the service provider" }),
  400: page("The message was refused"),
};
/** Service providers send more than the 80 bytes of SAML bindings §3.4.3. RelayState is returned to its sender and used nowhere else. */
const limit = { relayStateBytes: 2_048 };
/** The size limit of a body. A signed LogoutRequest with its certificate is a few kilobytes. */
const BODY_LIMIT = 128 * 1024;
const posted = postedMessages<CheckedRequest | CheckedResponse>("SamlLogout");

/** Mounted under /realms/:realm. */
export const sloRoutes: FastifyPluginAsyncTypebox<SloParts> = async (app, parts) => {
  declare(app, { caller: browser(), errors: "page" });
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser(["text/xml", "application/soap+xml"], { parseAs: "buffer", bodyLimit: BODY_LIMIT }, (_request, body, done) =>
    done(null, body),
  );

  const singleLogout = createSingleLogout(parts);
  const progressOf = ({ realmId, visitor }: FastifyRequest) => singleLogout.resume(realmId, visitor.preSessions);

  /** Records a bad response and lets the logout go on. Its sender is treated as not having answered. */
  const passOver = async ({ request, reply }: Exchange, error: unknown) => {
    const path = error instanceof Refusal ? await progressOf(request) : null;
    if (path === null) throw error;
    await parts.refusals.record(request, error as Refusal);
    return seeOther(reply, path);
  };

  route(app, "GET", PATHS.slo, {
    summary: "Single logout by the Redirect binding (SAML 2.0)",
    description: "LogoutRequests have to be signed. The session ends immediately; the page that follows notifies the other applications.",
    tags,
    params,
    response: responses,
    handler: async (request, reply) => {
      const exchange = { request, reply };
      const { posted: id, refused } = request.query as { posted?: unknown; refused?: unknown };
      if (refused !== undefined) {
        const path = await progressOf(request);
        if (path === null) throw samlErrors.refused();
        return seeOther(reply, path);
      }
      if (typeof id === "string") {
        const message = await posted.take(parts, request.realmId, id);
        if (!message) throw interactionErrors.gone();
        if (message.kind === "request") return logOutBrowser(parts, exchange, message, "post");
        return takeAnswer(parts, exchange, message).catch((error) => passOver(exchange, error));
      }
      const [, query = ""] = /\?(.*)/s.exec(request.raw.url ?? "") ?? [];
      const proceed = async () => {
        const received = await inNameOf(null, () => readRedirect(query, limit));
        const message = await checkLogoutMessage(parts, request.realmId, received);
        return message.kind === "request" ? logOutBrowser(parts, exchange, message, "redirect") : takeAnswer(parts, exchange, message);
      };
      const isAnswer = /(?:^|&)SAMLResponse=/.test(query);
      return isAnswer ? proceed().catch((error) => passOver(exchange, error)) : proceed();
    },
  });

  route(app, "POST", PATHS.slo, {
    config: { caller: anonymous(), csrf: "none", limit: "samlMessages" },
    summary: "Single logout by the POST binding and over SOAP (SAML 2.0)",
    description: "A form of the POST binding is answered at the same address by GET. A SOAP envelope is answered with a LogoutResponse.",
    consumes: ["application/x-www-form-urlencoded", "text/xml"],
    tags,
    params,
    response: {
      200: Type.String({ description: "A SOAP envelope with a LogoutResponse" }),
      303: Type.Null({ description: "Redirects to the same address by GET" }),
      400: Type.String({ description: "The message was refused: a page, or a SOAP fault" }),
    },
    handler: async (request, reply) => {
      const { realm, realmId, body } = request;
      if (Buffer.isBuffer(body))
        return answerSoap(parts.refusals, { request, reply }, () => logOutBySoap(parts, realmId, body, request.ip));
      await assertMayBegin({ limiter: parts.limiter, realm }, request.ip);
      const form = (body ?? {}) as Record<string, unknown>;
      const path = `/realms/${realmId}${PATHS.slo}`;
      try {
        const received = await inNameOf(null, () => readPost(form, limit));
        const message = await checkLogoutMessage(parts, realmId, received);
        return seeOther(reply, `${path}?posted=${await posted.keep(parts, realmId, message)}`);
      } catch (error) {
        if (!(error instanceof Refusal) || form.SAMLResponse === undefined) throw error;
        await parts.refusals.record(request, error);
        return seeOther(reply, `${path}?refused=1`); // there its cookies identify the logout
      }
    },
  });

  route(app, "GET", `${PATHS.slo}/:logoutId`, {
    hide: true,
    params: Type.Object({ realm: Type.String(), logoutId: Type.String() }),
    querystring: Type.Object({
      again: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
      finish: Type.Optional(Type.String({ maxLength: 8 })),
      answer: Type.Optional(Type.String({ maxLength: 8 })),
      lang: Type.Optional(Type.String({ maxLength: 35 })),
    }),
    handler: async (request, reply) => {
      const { again = null, finish, answer } = request.query;
      const { logoutId } = request.params;
      const to = answer !== undefined ? "answer" : finish !== undefined ? "finish" : null;
      return showProgress(parts, { request, reply }, { logoutId, again, to });
    },
  });
};
