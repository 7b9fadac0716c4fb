import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { asAppError, logFailure, Problem, refuseBy, refuseDirtyText, sendProblem } from "../../platform/http/index.ts";
import { findSignInUser } from "../../signin/authenticators/index.ts";
import { createEntrance, type EntranceParts, PageQuery, timeText } from "../../signin/devices/index.ts";
import type { Visitor } from "../../signin/login/index.ts";
import { renderTransaction, sendPage } from "../../signin/pages/index.ts";
import { type RealmSnapshot, unknownRealm } from "../../tenancy/realms/index.ts";
import { preflight } from "../gate/index.ts";
import { type BearerParts, type Comer, comeBySession, comeByToken } from "./entrance.ts";
import { CreateTransaction, SignTransaction, Transaction } from "./schema.ts";
import {
  consumeTransaction,
  createTransaction,
  declineTransaction,
  readTransaction,
  signTransaction,
  type TransactionParts,
} from "./service.ts";

const tags = ["Transactions"];
const params = Type.Object({ realm: Type.String() });
const oneParams = Type.Object({ realm: Type.String(), id: Type.String() });
const BODY_LIMIT = 64 * 1024;
const CsrfForm = Type.Object(
  { _csrf: Type.Optional(Type.String({ maxLength: 512, description: "For the page: the value of the cookie XSRF-TOKEN" })) },
  { additionalProperties: false, examples: [{}] },
);
const refusals = { 400: Problem, 401: Problem, 403: Problem, 404: Problem, 409: Problem };

export interface TransactionRouteParts extends TransactionParts, BearerParts, EntranceParts {
  readonly limit: onRequestAsyncHookHandler;
}

/** Mounted under /realms/:realm. */
export const transactionRoutes: FastifyPluginAsyncTypebox<TransactionRouteParts> = async (app, parts) => {
  const { visitors, toSignIn, nameOf, hasToken, showFailure } = createEntrance(parts);
  app.removeContentTypeParser("text/plain");
  app.addHook("onRequest", parts.limit);
  // Apps that have nothing to add send nothing.
  app.addHook("preValidation", async (request) => {
    if (request.method === "POST") request.body ??= {};
  });
  app.addHook("onSend", async (_request, reply) => void reply.header("cache-control", "no-store"));

  const hasBearer = ({ headers }: FastifyRequest) => /^bearer(\s|$)/i.test(headers.authorization ?? "");
  /** The user's own page: a browser with a session, and without a token. */
  const isPage = (request: FastifyRequest) => !hasBearer(request) && /text\/html/.test(request.headers.accept ?? "");
  refuseBy(app, "page-or-problem", (cause, request, reply) => {
    if (isPage(request)) return showFailure(cause, request, reply);
    const error = asAppError(cause);
    logFailure(request, error);
    return sendProblem(reply, request, error);
  });

  const realmOf = async (request: FastifyRequest): Promise<RealmSnapshot> => {
    const realm = await parts.realms.get((request.params as { realm: string }).realm);
    if (!realm) throw unknownRealm();
    return realm;
  };
  const byToken = async (request: FastifyRequest, reply: FastifyReply): Promise<Comer> =>
    comeByToken(parts, request, reply, await realmOf(request));

  app.options("/tx", { schema: { hide: true } }, preflight("POST"));
  app.options("/tx/*", { schema: { hide: true } }, preflight("GET,POST"));

  app.post(
    "/tx",
    {
      bodyLimit: BODY_LIMIT,
      attachValidation: true,
      schema: {
        summary: "Ask a user to sign something",
        description:
          "With a user's access token, or with an application's own and `userId`; the token is one for the realm, or for the resource " +
          "`{issuer}/tx`. The application that asks is the one that may consume it.",
        tags,
        params,
        body: CreateTransaction,
        response: { 201: Transaction, ...refusals },
      },
    },
    async (request, reply) => {
      const comer = await byToken(request, reply);
      if (request.validationError) throw request.validationError;
      return reply.code(201).send(await createTransaction(parts, comer, request.body));
    },
  );

  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    transaction: Transaction,
    status = 200,
    problem?: "wrong" | "weak",
  ) => {
    const { realm, session } = visitor;
    const path = `/realms/${realm.realmId}/tx/${transaction.id}`;
    const frame = visitors.frameAt(request, reply, visitor, path);
    const logo = { logoUrl: realm.settings.logoUrl };
    if (transaction.status !== "PENDING") {
      const state = ({ SIGNED: "signed", CONSUMED: "signed", DECLINED: "declined", EXPIRED: "gone" } as const)[transaction.status];
      return sendPage(reply, status, renderTransaction({ ...frame, state }), logo);
    }
    const has = (await findSignInUser(parts.db, realm.realmId, session!.userId, clock.now()))?.credentials;
    const html = renderTransaction({
      ...frame,
      state: "ask",
      csrf: visitors.tokenFor(request, reply, visitor),
      signAction: `${path}/sign`,
      declineAction: `${path}/decline`,
      client: (await nameOf(realm.realmId, transaction.clientId)) ?? transaction.clientId,
      account: session!.username,
      type: transaction.type,
      summary: transaction.summary,
      payloadHash: transaction.payloadHash,
      until: timeText(transaction.expiresAt, frame.locale),
      byCode: has?.has("totp") ?? false,
      byDevice: has?.has("push") ?? false,
      problem,
    });
    return sendPage(reply, status, html, logo);
  };

  /** Null: they were answered with a page already. */
  const toPage = async (request: FastifyRequest, reply: FastifyReply): Promise<{ visitor: Visitor; comer: Comer } | null> => {
    const visitor = await visitors.visitorOf(request, reply);
    if (!visitor.session) {
      await toSignIn(request, reply, visitor);
      return null;
    }
    if (request.method === "POST" && !hasToken(request, visitor)) {
      visitors.showStale(request, reply, visitor);
      return null;
    }
    return { visitor, comer: comeBySession(visitor.realm, visitor.session, request.ip) };
  };

  app.get(
    "/tx/:id",
    {
      schema: {
        summary: "Read a transaction",
        description:
          "With the token of the application that created it, or of the user. A browser with the user's session (`Accept: text/html`) gets the " +
          "page that shows what is to be signed.",
        tags,
        params: oneParams,
        querystring: PageQuery,
        response: { 200: Transaction, 303: Type.Null({ description: "To sign in first" }), ...refusals },
      },
    },
    async (request, reply) => {
      if (!isPage(request)) return readTransaction(parts, await byToken(request, reply), request.params.id);
      const page = await toPage(request, reply);
      if (!page) return reply as never;
      return show(request, reply, page.visitor, await readTransaction(parts, page.comer, request.params.id)) as never;
    },
  );

  app.post(
    "/tx/:id/sign",
    {
      bodyLimit: BODY_LIMIT,
      attachValidation: true,
      schema: {
        summary: "Sign a transaction",
        description:
          "With the user's own token and a fresh second factor. Wrong ones count (429), and the fifth for one transaction declines it. " +
          "From the page: with the session and its CSRF token.",
        consumes: ["application/json", "application/x-www-form-urlencoded"],
        tags,
        params: oneParams,
        body: SignTransaction,
        response: { 200: Transaction, 303: Type.Null({ description: "To sign in first" }), ...refusals },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      if (!isPage(request)) {
        const comer = await byToken(request, reply);
        if (request.validationError) throw request.validationError;
        return signTransaction(parts, comer, id, request.body);
      }
      const page = await toPage(request, reply);
      if (!page) return reply as never;
      if (request.validationError) throw request.validationError;
      refuseDirtyText(request.body);
      try {
        return (await show(request, reply, page.visitor, await signTransaction(parts, page.comer, id, request.body))) as never;
      } catch (error) {
        const problem = error instanceof AppError ? PROBLEMS[error.code] : undefined;
        if (problem === undefined) throw error;
        return show(request, reply, page.visitor, await readTransaction(parts, page.comer, id), 403, problem) as never;
      }
    },
  );

  app.post(
    "/tx/:id/decline",
    {
      bodyLimit: BODY_LIMIT,
      attachValidation: true,
      schema: {
        summary: "Decline a transaction",
        description: "With the user's own token, or from the page.",
        consumes: ["application/json", "application/x-www-form-urlencoded"],
        tags,
        params: oneParams,
        body: CsrfForm,
        response: { 200: Transaction, 303: Type.Null({ description: "To sign in first" }), ...refusals },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      if (!isPage(request)) return declineTransaction(parts, await byToken(request, reply), id);
      const page = await toPage(request, reply);
      if (!page) return reply as never;
      return show(request, reply, page.visitor, await declineTransaction(parts, page.comer, id)) as never;
    },
  );

  app.post(
    "/tx/:id/consume",
    {
      bodyLimit: BODY_LIMIT,
      schema: {
        summary: "Consume a signed transaction",
        description: "Once, by the application that created it, before it expires. A second time is a 409.",
        tags,
        params: oneParams,
        response: { 200: Transaction, ...refusals },
      },
    },
    async (request, reply) => consumeTransaction(parts, await byToken(request, reply), request.params.id),
  );
};

const PROBLEMS: Readonly<Record<string, "wrong" | "weak">> = {
  "transactions.wrong_factor": "wrong",
  "transactions.declined": "wrong",
  "transactions.acr": "weak",
};
