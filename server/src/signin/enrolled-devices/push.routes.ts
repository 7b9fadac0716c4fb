import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { renderPush, sendPage } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { anyOf, declare, device, negotiated, Problem, redirect, route, session } from "../../platform/http/index.ts";
import { approveChallenge, type Challenge, denyChallenge, findChallenge, openChallengesOf } from "../authenticators/index.ts";
import { deviceErrors } from "./errors.ts";
import { CsrfOnly, PushAnswer, PushApproval, PushRequest } from "./requests.schema.ts";
import {
  assertOtherScreen,
  assertStrong,
  consumes,
  createScreens,
  PageQuery,
  type PushPageParts,
  params,
  takesForms,
  useDevice,
} from "./screens.ts";

const how =
  "Call this with the user's session (and the CSRF token on writes); the response is a page, or JSON if `Accept` asks for it. Or call it with the proof of an enrolled device, " +
  "`Authorization: Device <JWS>`: header `typ` = `gatehouse-device+jwt` and `kid` = the device's id, payload `aud` = this address and `iat`";

/** Mounted under /realms/:realm. Sign-ins that wait for their user's approval. */
export const pushRoutes: FastifyPluginAsyncTypebox<PushPageParts> = async (app, { db, visitors, standings, ...applications }) => {
  const { screenOf, nameOf } = createScreens(applications);
  takesForms(app);
  declare(app, {
    tags: ["Devices"],
    caller: anyOf(session({ judged: "by-handler" }), device()),
    ...{ csrf: "form-or-header", limit: "push", errors: negotiated("page"), codes: "devices" },
  });

  const recordOf = async (realm: string, challenge: Challenge): Promise<PushRequest> => {
    const { id, clientId, sourceIp, userAgent, createdAt, expiresAt, status } = challenge;
    const shown = status === "USED" ? "APPROVED" : status === "WRONG" ? "DENIED" : status === "WITHDRAWN" ? "EXPIRED" : status;
    const clientName = clientId === null ? null : await nameOf(realm, clientId);
    return { id, status: shown, clientId, clientName, sourceIp, userAgent, createdAt, expiresAt };
  };

  /** Returns the challenge, which must be the caller's and come from another screen. Errors of the form are reported after these checks. */
  const challengeFor = async (request: FastifyRequest): Promise<Challenge> => {
    const { actor, realmId, device, visitor, params, validationError } = request;
    if (!device) await assertStrong({ db, standings }, request);
    const challenge = await findChallenge(db, realmId, "push", (params as { id: string }).id, clock.now());
    if (!challenge || challenge.userId !== actor!.id) throw deviceErrors.not_found();
    if (!device) assertOtherScreen(visitor.session!, visitor.preSessions, challenge);
    if (validationError) throw validationError;
    return challenge;
  };

  const ask = async (request: FastifyRequest, reply: FastifyReply, challenge: Challenge, isWrong = false) => {
    const { visitor, realmId } = request;
    const path = `/realms/${realmId}/push/${challenge.id}`;
    const frame = visitors.formOf(request, reply, path);
    const html = renderPush({
      ...frame,
      approveAction: `${path}/approve`,
      denyAction: `${path}/deny`,
      account: visitor.session!.username,
      screen: await screenOf(realmId, challenge),
      isWrong,
    });
    return sendPage(reply, isWrong ? 403 : 200, html);
  };

  route(app, "GET", "/push", {
    summary: "List the sign-ins that wait for your approval",
    description: `For apps that received no push message. ${how}. A browser is redirected to the oldest sign-in.`,
    response: { 200: Type.Array(PushRequest), 303: redirect("Redirects to the page of one sign-in, or to the sign-in page"), 401: Problem },
    handler: async (request, reply) => {
      const { realmId, actor } = request;
      const open = await openChallengesOf(db, realmId, actor!.id, clock.now());
      if (!request.wantsPage) return Promise.all(open.map((challenge) => recordOf(realmId, challenge)));
      if (!open[0]) return visitors.showMessage(request, reply, 404, "push-gone");
      return reply.redirect(`/realms/${realmId}/push/${open[0].id}`, 303);
    },
  });

  route(app, "GET", "/push/:id", {
    summary: "Read a sign-in that waits for your approval",
    description: `${how}. A sign-in of another user is answered with 404.`,
    params,
    querystring: PageQuery,
    response: { 200: PushRequest, 303: redirect("Redirects to the sign-in page"), 401: Problem, 403: Problem, 404: Problem },
    handler: async (request, reply) => {
      const challenge = await challengeFor(request);
      if (!request.wantsPage) return recordOf(request.realmId, challenge);
      if (challenge.status === "PENDING") return ask(request, reply, challenge);
      return visitors.showMessage(request, reply, 200, "push-gone");
    },
  });

  /** Runs an answer in one transaction, in which the device must still exist. */
  const answer = <T>(request: FastifyRequest, what: (ctx: Ctx) => Promise<T>): Promise<T> =>
    request.transact(async (ctx) => {
      if (request.device) await useDevice(ctx, request.device.device);
      return what(ctx);
    });

  route(app, "POST", "/push/:id/approve", {
    attachValidation: true,
    summary: "Approve a sign-in",
    description:
      `${how}, and \`number\` from the waiting screen. A wrong number is answered with 403, and the third one ends the request ` +
      "(`devices.wrong_numbers`). A sign-in that was already answered or has expired is answered with 409.",
    consumes,
    params,
    body: PushApproval,
    response: { 200: PushAnswer, 303: Type.Null(), 401: Problem, 403: Problem, 404: Problem, 409: Problem },
    handler: async (request, reply) => {
      const challenge = await challengeFor(request);
      const number = request.device ? request.device.payload.number : request.body.number;
      const result = await answer(request, (ctx) => approveChallenge(ctx, challenge, ctx.actor.id, String(number ?? "")));
      if (!request.wantsPage) {
        if (result === "gone") throw deviceErrors.answered();
        if (result === "again") throw deviceErrors.wrong_number();
        if (result === "wrong") throw deviceErrors.wrong_numbers();
        return { status: "APPROVED" as const };
      }
      if (result === "again") return ask(request, reply, challenge, true);
      return visitors.showMessage(request, reply, { approved: 200, wrong: 403, gone: 409 }[result], `push-${result}`);
    },
  });

  route(app, "POST", "/push/:id/deny", {
    attachValidation: true,
    summary: "Deny a sign-in",
    description: `${how}. Records PUSH_DENIED. For some minutes the user is not asked again.`,
    consumes,
    params,
    body: CsrfOnly,
    response: { 200: PushAnswer, 303: Type.Null(), 401: Problem, 403: Problem, 404: Problem, 409: Problem },
    handler: async (request, reply) => {
      const challenge = await challengeFor(request);
      const isDenied = await answer(request, (ctx) => denyChallenge(ctx, challenge, ctx.actor.id));
      if (!request.wantsPage) {
        if (!isDenied) throw deviceErrors.answered();
        return { status: "DENIED" as const };
      }
      return visitors.showMessage(request, reply, isDenied ? 200 : 409, isDenied ? "push-denied" : "push-gone");
    },
  });
};
