import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { renderQr, sendPage } from "../../pages/index.ts";
import { declare, negotiated, Problem, redirect, route, session } from "../../platform/http/index.ts";
import { type Challenge, confirmChallenge, findChallenge } from "../authenticators/index.ts";
import { pagePath } from "../login/index.ts";
import { deviceErrors } from "./errors.ts";
import { CsrfOnly, QrAnswer, QrRequest } from "./requests.schema.ts";
import { assertOtherScreen, consumes, createScreens, type DevicePageParts, PageQuery, params, takesForms } from "./screens.ts";

/** Mounted under /realms/:realm. Screens that show a QR code and wait for a phone that is signed in. */
export const qrRoutes: FastifyPluginAsyncTypebox<DevicePageParts> = async (app, parts) => {
  const { db, visitors } = parts;
  const { screenOf, nameOf } = createScreens(parts);
  takesForms(app);
  declare(app, { tags: ["Devices"], caller: session(), csrf: "form-or-header", limit: "qr", errors: negotiated("page"), codes: "devices" });

  /** Returns the challenge, or null if the user was sent to sign in again. */
  const challengeFor = async (request: FastifyRequest, reply: FastifyReply): Promise<Challenge | null> => {
    const { realmId, visitor } = request;
    const session = visitor.session!;
    const now = clock.now();
    const challenge = await findChallenge(db, realmId, "qr", (request.params as { id: string }).id, now);
    // A challenge that another user has confirmed is not this user's.
    if (!challenge || (challenge.userId !== null && challenge.userId !== session.userId)) throw deviceErrors.not_found();
    assertOtherScreen(session, visitor.preSessions, challenge);
    const isFresh = now - session.authTime <= (challenge.data.freshMs ?? 0);
    if (isFresh || challenge.status !== "PENDING") return challenge;
    if (!request.wantsPage) throw deviceErrors.stale_session();
    await visitors.toSignIn(request, reply, { kind: "page", request: { reauthenticate: true }, returnTo: pagePath(request) });
    return null;
  };

  route(app, "GET", "/qr/:id", {
    summary: "Read a QR sign-in",
    description:
      "The address in the QR code of a sign-in page. Needs a recent sign-in; otherwise a browser is sent to sign in again and then comes " +
      "back. The response is a page, or JSON if `Accept` asks for it.",
    params,
    querystring: PageQuery,
    response: { 200: QrRequest, 303: redirect("Redirects to the sign-in page"), 401: Problem, 403: Problem, 404: Problem },
    handler: async (request, reply) => {
      const challenge = await challengeFor(request, reply);
      if (!challenge) return reply;
      const { visitor, realmId: realm } = request;
      if (!request.wantsPage) {
        const { id, clientId, sourceIp, userAgent, createdAt, expiresAt, number: code } = challenge;
        const clientName = clientId === null ? null : await nameOf(realm, clientId);
        const status = challenge.status === "PENDING" ? "PENDING" : challenge.status === "EXPIRED" ? "EXPIRED" : "APPROVED";
        return { id, status, clientId, clientName, sourceIp, userAgent, code, createdAt, expiresAt } as const;
      }
      if (challenge.status !== "PENDING") return visitors.showMessage(request, reply, 200, "qr-gone");
      const path = `/realms/${realm}/qr/${challenge.id}`;
      const frame = visitors.formOf(request, reply, path);
      const html = renderQr({
        ...frame,
        action: `${path}/confirm`,
        account: visitor.session!.username,
        screen: await screenOf(realm, challenge),
        code: challenge.number,
      });
      return sendPage(reply, 200, html);
    },
  });

  route(app, "POST", "/qr/:id/confirm", {
    summary: "Approve a QR sign-in",
    description:
      "Signs the waiting screen in as you. Needs a recent sign-in and the CSRF token of the session. Works once (409), and never while an administrator acts as the user (403).",
    consumes,
    params,
    body: CsrfOnly,
    response: { 200: QrAnswer, 303: Type.Null(), 401: Problem, 403: Problem, 404: Problem, 409: Problem },
    handler: async (request, reply) => {
      const challenge = await challengeFor(request, reply);
      if (!challenge) return reply;
      const isConfirmed = await request.transact((ctx) => confirmChallenge(ctx, challenge, request.visitor.session!));
      if (!request.wantsPage) {
        if (!isConfirmed) throw deviceErrors.answered();
        return { status: "APPROVED" as const };
      }
      return visitors.showMessage(request, reply, isConfirmed ? 200 : 409, isConfirmed ? "qr-confirmed" : "qr-gone");
    },
  });
};
