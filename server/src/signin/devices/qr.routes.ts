import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { Problem, refuseBy } from "../../platform/http/index.ts";
import { type Challenge, confirmChallenge, findChallenge } from "../challenges/index.ts";
import type { Visitor } from "../login/index.ts";
import { renderQr, sendPage } from "../pages/index.ts";
import { actorOfSession, type LiveSession } from "../sessions/index.ts";
import { assertOtherScreen, createEntrance, PageQuery } from "./entrance.ts";
import { deviceErrors } from "./errors.ts";
import type { PushRouteParts } from "./push.routes.ts";
import { CsrfOnly, QrAnswer, QrRequest } from "./requests.schema.ts";

const tags = ["Devices"];
const params = Type.Object({ realm: Type.String(), id: Type.String() });

interface Confirming {
  readonly visitor: Visitor;
  readonly session: LiveSession;
  readonly challenge: Challenge;
}

/** Mounted under /realms/:realm: screens that show a QR code and wait for a phone that is signed in. */
export const qrRoutes: FastifyPluginAsyncTypebox<PushRouteParts> = async (app, parts) => {
  const { db, work, limit } = parts;
  const { visitors, wantsJson, hasToken, toSignIn, screenOf, nameOf, showFailure } = createEntrance(parts);
  app.removeContentTypeParser("text/plain");
  refuseBy(app, "page-or-problem", showFailure);
  app.addHook("onRequest", limit);
  // Apps that have nothing to add send nothing.
  app.addHook("preValidation", async (request) => {
    if (request.method === "POST") request.body ??= {};
  });

  /** Null: they were sent to sign in, or to do it again. */
  const comeIn = async (request: FastifyRequest, reply: FastifyReply): Promise<Confirming | null> => {
    const visitor = await visitors.visitorOf(request, reply);
    const { session, realm } = visitor;
    const now = clock.now();
    const again = async (asked: { reauthenticate?: boolean }, refusal: () => Error) => {
      if (wantsJson(request)) throw refusal();
      await toSignIn(request, reply, visitor, asked);
      return null;
    };
    if (!session) return again({}, deviceErrors.no_session);
    if (session.impersonator !== null) throw deviceErrors.impersonated();
    const challenge = await findChallenge(db, realm.realmId, "qr", (request.params as { id: string }).id, now);
    // One that somebody else has confirmed is none of theirs.
    if (!challenge || (challenge.userId !== null && challenge.userId !== session.userId)) throw deviceErrors.not_found();
    assertOtherScreen(session, visitor.preSessions, challenge);
    const isFresh = now - session.authTime <= (challenge.data.freshMs ?? 0);
    return isFresh || challenge.status !== "PENDING"
      ? { visitor, session, challenge }
      : again({ reauthenticate: true }, deviceErrors.stale_session);
  };

  const send = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, status: number, state: "confirmed" | "gone") =>
    sendPage(reply, status, renderQr({ ...visitors.frameOf(request, reply, visitor), state }), {
      logoUrl: visitor.realm.settings.logoUrl,
    });

  app.get(
    "/qr/:id",
    {
      schema: {
        summary: "A screen that waits to be let in",
        description:
          "What the QR code of a sign-in page leads to. With a session that is fresh; otherwise a browser is sent to sign in again and comes " +
          "back. A page, or JSON where `Accept` asks for it.",
        tags,
        params,
        querystring: PageQuery,
        response: { 200: QrRequest, 303: Type.Null({ description: "To sign in first" }), 401: Problem, 403: Problem, 404: Problem },
      },
    },
    async (request, reply) => {
      const come = await comeIn(request, reply);
      if (!come) return reply as never;
      const { visitor, session, challenge } = come;
      const realm = visitor.realm.realmId;
      reply.header("cache-control", "no-store");
      if (wantsJson(request)) {
        const { id, clientId, sourceIp, userAgent, createdAt, expiresAt, number: code } = challenge;
        const clientName = clientId === null ? null : await nameOf(realm, clientId);
        const status = challenge.status === "PENDING" ? "PENDING" : challenge.status === "EXPIRED" ? "EXPIRED" : "APPROVED";
        return { id, status, clientId, clientName, sourceIp, userAgent, code, createdAt, expiresAt } as const;
      }
      if (challenge.status !== "PENDING") return send(request, reply, visitor, 200, "gone") as never;
      const path = `/realms/${realm}/qr/${challenge.id}`;
      const frame = visitors.frameAt(request, reply, visitor, path);
      const html = renderQr({
        ...frame,
        state: "ask",
        csrf: visitors.tokenFor(request, reply, visitor),
        action: `${path}/confirm`,
        account: session.username,
        screen: await screenOf(realm, challenge, frame.locale),
        code: challenge.number,
      });
      return sendPage(reply, 200, html, { logoUrl: visitor.realm.settings.logoUrl }) as never;
    },
  );

  app.post(
    "/qr/:id/confirm",
    {
      attachValidation: true,
      schema: {
        summary: "Let the screen in as you",
        description: "With a fresh session and its CSRF token. Works once (409), and never while somebody acts as the user (403).",
        consumes: ["application/x-www-form-urlencoded", "application/json"],
        tags,
        params,
        body: CsrfOnly,
        response: { 200: QrAnswer, 303: Type.Null(), 401: Problem, 403: Problem, 404: Problem, 409: Problem },
      },
    },
    async (request, reply) => {
      const come = await comeIn(request, reply);
      if (!come) return reply as never;
      const { visitor, session, challenge } = come;
      reply.header("cache-control", "no-store");
      if (!hasToken(request, visitor)) {
        if (wantsJson(request)) throw deviceErrors.csrf();
        return visitors.showStale(request, reply, visitor) as never;
      }
      if (request.validationError) throw request.validationError;
      const realm = visitor.realm.realmId;
      const origin = { realm, actor: actorOfSession(session, realm), sourceIp: request.ip };
      const isConfirmed = await work.transact(origin, (ctx) => confirmChallenge(ctx, challenge, session));
      if (wantsJson(request)) {
        if (!isConfirmed) throw deviceErrors.answered();
        return { status: "APPROVED" as const };
      }
      return send(request, reply, visitor, isConfirmed ? 200 : 409, isConfirmed ? "confirmed" : "gone") as never;
    },
  );
};
