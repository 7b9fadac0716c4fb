import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Clients } from "../../applications/clients/index.ts";
import type { SamlClients } from "../../applications/saml-clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { renderMessage, renderTransaction, sendPage } from "../../pages/index.ts";
import { anyOf, bearer, declare, field, negotiated, Problem, pathParams, redirect, route, session } from "../../platform/http/index.ts";
import { findSignInUser } from "../../signin/authenticators/index.ts";
import { createScreens, PageQuery, takesForms } from "../../signin/enrolled-devices/index.ts";
import type { Visitors } from "../../signin/login/index.ts";
import { stepUpPath } from "../../signin/sessions/index.ts";
import { callerOf } from "./caller.ts";
import { CreateTransaction, SignTransaction, Transaction } from "./schema.ts";
import * as service from "./service.ts";

const params = pathParams("id");
const BODY_LIMIT = 64 * 1024;
const CsrfForm = Type.Object(
  { _csrf: field(512, "The value of the cookie XSRF-TOKEN, for the page") },
  { additionalProperties: false, examples: [{}] },
);
const refusals = { 400: Problem, 401: Problem, 403: Problem, 404: Problem, 409: Problem };
const answers = { 200: Transaction, 303: redirect("Redirects to the sign-in page"), ...refusals };
const consumes = ["application/json", "application/x-www-form-urlencoded"];

export interface TransactionRouteParts extends service.TransactionParts {
  readonly visitors: Visitors;
  readonly clients: Clients;
  readonly samlClients: SamlClients;
}

const token = bearer({ audience: "transactions" });
/** Clients call these with a token, and our own page with the session. */
const withPage = {
  caller: anyOf(session({ onlyPages: true, judged: "by-handler" }), token),
  csrf: "form-or-header",
  errors: negotiated("problem"),
} as const;

/** Mounted under /realms/:realm. */
export const transactionRoutes: FastifyPluginAsyncTypebox<TransactionRouteParts> = async (app, parts) => {
  const { visitors } = parts;
  const { nameOf } = createScreens(parts);
  takesForms(app);
  // An impersonator may read; the service refuses to sign.
  declare(app, {
    tags: ["Transactions"],
    caller: token,
    limit: "transactions",
    errors: "problem",
    codes: "transactions",
    impersonated: true,
  });
  route(app, "POST", "/tx", {
    bodyLimit: BODY_LIMIT,
    summary: "Create a transaction for a user to sign",
    description:
      "Needs a user's access token, or an application's own and `userId`. The token is issued for the realm, or for the resource " +
      "`{issuer}/tx`. Only the application that creates the transaction may consume it.",
    body: CreateTransaction,
    response: { 201: Transaction, ...refusals },
    handler: async (request, reply) => reply.code(201).send(await service.createTransaction(parts, callerOf(request), request.body)),
  });

  const show = async (request: FastifyRequest, reply: FastifyReply, transaction: Transaction, status = 200, problem?: "wrong" | "weak") => {
    const { visitor, realm } = request;
    const { session } = visitor;
    const path = `/realms/${realm.realmId}/tx/${transaction.id}`;
    const frame = visitors.frameAt(request, reply, visitor, path);
    if (transaction.status !== "PENDING") {
      const ending = ({ SIGNED: "signed", CONSUMED: "signed", DECLINED: "declined", EXPIRED: "gone" } as const)[transaction.status];
      return sendPage(reply, status, renderMessage({ ...frame, kind: `transaction-${ending}` }));
    }
    const has = (await findSignInUser(parts.db, realm.realmId, session!.userId, clock.now()))?.credentials;
    const html = renderTransaction({
      ...frame,
      csrf: visitors.tokenFor(request, reply, visitor),
      signAction: `${path}/sign`,
      declineAction: `${path}/decline`,
      client: (await nameOf(realm.realmId, transaction.clientId)) ?? transaction.clientId,
      account: session!.username,
      type: transaction.type,
      summary: transaction.summary,
      payloadHash: transaction.payloadHash,
      until: { at: transaction.expiresAt, now: clock.now() },
      byCode: has?.has("totp") ?? false,
      byDevice: has?.has("push") ?? false,
      setUp: `${stepUpPath(realm.realmId)}?${new URLSearchParams({ set_up: "totp", return_to: path })}`,
      problem,
    });
    return sendPage(reply, status, html);
  };

  route(app, "GET", "/tx/:id", {
    config: withPage,
    summary: "Read a transaction",
    description:
      "Needs the token of the application that created it, or of the user. A browser with the user's session (`Accept: text/html`) gets the " +
      "page that shows what is to be signed.",
    params,
    querystring: PageQuery,
    response: answers,
    handler: async (request, reply) => {
      const transaction = await service.readTransaction(parts, callerOf(request), request.params.id);
      return request.wantsPage ? show(request, reply, transaction) : transaction;
    },
  });

  route(app, "POST", "/tx/:id/sign", {
    config: withPage,
    bodyLimit: BODY_LIMIT,
    summary: "Sign a transaction",
    description:
      "Needs the user's own token and a fresh second factor. Wrong factors count as failed attempts (429), and the fifth for one transaction declines it. " +
      "The page uses the session and its CSRF token.",
    consumes,
    params,
    body: SignTransaction,
    response: answers,
    handler: async (request, reply) => {
      const { id } = request.params;
      const caller = callerOf(request);
      if (!request.wantsPage) return service.signTransaction(parts, caller, id, request.body);
      try {
        return await show(request, reply, await service.signTransaction(parts, caller, id, request.body));
      } catch (error) {
        const problem = error instanceof AppError ? PROBLEMS[error.code] : undefined;
        if (problem === undefined) throw error;
        return show(request, reply, await service.readTransaction(parts, caller, id), 403, problem);
      }
    },
  });

  route(app, "POST", "/tx/:id/decline", {
    config: withPage,
    bodyLimit: BODY_LIMIT,
    summary: "Decline a transaction",
    description: "Needs the user's own token. The page uses the session and its CSRF token.",
    consumes,
    params,
    body: CsrfForm,
    response: answers,
    handler: async (request, reply) => {
      const transaction = await service.declineTransaction(parts, callerOf(request), request.params.id);
      return request.wantsPage ? show(request, reply, transaction) : transaction;
    },
  });

  route(app, "POST", "/tx/:id/consume", {
    bodyLimit: BODY_LIMIT,
    summary: "Consume a signed transaction",
    description:
      "Works once, for the application that created it, before it expires. It sends its own token, or the user's if the application has no " +
      "grant for one of its own. A second request is answered with 409.",
    params,
    response: { 200: Transaction, ...refusals },
    handler: async (request) => service.consumeTransaction(parts, callerOf(request), request.params.id),
  });
};

const PROBLEMS: Readonly<Record<string, "wrong" | "weak">> = {
  "transactions.wrong_factor": "wrong",
  "transactions.declined": "wrong",
  "transactions.acr": "weak",
};
