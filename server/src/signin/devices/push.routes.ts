import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import { Problem, refuseBy, refuseDirtyText } from "../../platform/http/index.ts";
import { approveChallenge, type Challenge, denyChallenge, findChallenge, openChallengesOf } from "../challenges/index.ts";
import type { Visitor } from "../login/index.ts";
import { renderPush, sendPage } from "../pages/index.ts";
import { actorOfSession } from "../sessions/index.ts";
import { ownerOf } from "./enrollment.service.ts";
import { assertOtherScreen, assertStrong, createEntrance, type DeviceProof, type EntranceParts, PageQuery, useDevice } from "./entrance.ts";
import { deviceErrors } from "./errors.ts";
import { CsrfOnly, PushAnswer, PushApproval, PushRequest } from "./requests.schema.ts";

const tags = ["Devices"];
const listParams = Type.Object({ realm: Type.String() });
const params = Type.Object({ realm: Type.String(), id: Type.String() });
const consumes = ["application/x-www-form-urlencoded", "application/json"];
const how =
  "With the user's session (and the CSRF token on writes): a page, or JSON where `Accept` asks for it. Or with an enrolled device's proof, " +
  "`Authorization: Device <JWS>`: header `typ` = `gatehouse-device+jwt` and `kid` = the device's id, payload `aud` = this address, `iat`";

export interface PushRouteParts extends EntranceParts {
  readonly limit: onRequestAsyncHookHandler;
}

/** Whoever answers, and what they answer. */
interface Answering {
  readonly visitor: Visitor;
  readonly challenge: Challenge;
  readonly userId: string;
  readonly proof: DeviceProof | null;
}

/** Mounted under /realms/:realm: sign-ins that wait for their user's approval. */
export const pushRoutes: FastifyPluginAsyncTypebox<PushRouteParts> = async (app, parts) => {
  const { db, work, limit } = parts;
  const { visitors, wantsJson, proofOf, hasToken, toSignIn, screenOf, nameOf, showFailure } = createEntrance(parts);
  app.removeContentTypeParser("text/plain");
  refuseBy(app, "page-or-problem", showFailure);
  app.addHook("onRequest", limit);
  // Apps that have nothing to add send nothing.
  app.addHook("preValidation", async (request) => {
    if (request.method === "POST") request.body ??= {};
  });

  const recordOf = async (realm: string, challenge: Challenge): Promise<PushRequest> => {
    const { id, clientId, sourceIp, userAgent, createdAt, expiresAt, status } = challenge;
    const shown = status === "USED" ? "APPROVED" : status === "WRONG" ? "DENIED" : status === "WITHDRAWN" ? "EXPIRED" : status;
    const clientName = clientId === null ? null : await nameOf(realm, clientId);
    return { id, status: shown, clientId, clientName, sourceIp, userAgent, createdAt, expiresAt };
  };

  /** Null: they were sent to sign in first. */
  const comeIn = async (request: FastifyRequest, reply: FastifyReply): Promise<Answering | null> => {
    const visitor = await visitors.visitorOf(request, reply);
    const realm = visitor.realm.realmId;
    const proof = await proofOf(request, realm);
    const { session } = visitor;
    if (!proof && !session) {
      if (wantsJson(request)) throw deviceErrors.no_session();
      await toSignIn(request, reply, visitor);
      return null;
    }
    const userId = proof?.device.userId ?? session!.userId;
    const challenge = await findChallenge(db, realm, "push", (request.params as { id: string }).id, clock.now());
    if (!challenge || challenge.userId !== userId) throw deviceErrors.not_found();
    if (!proof) {
      assertOtherScreen(session!, visitor.preSessions, challenge);
      await assertStrong(db, realm, session!);
    }
    return { visitor, challenge, userId, proof };
  };

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    status: number,
    state: "approved" | "denied" | "wrong" | "gone",
  ) =>
    sendPage(reply, status, renderPush({ ...visitors.frameOf(request, reply, visitor), state }), {
      logoUrl: visitor.realm.settings.logoUrl,
    });

  const ask = async (request: FastifyRequest, reply: FastifyReply, { visitor, challenge }: Answering, isWrong = false) => {
    const path = `/realms/${visitor.realm.realmId}/push/${challenge.id}`;
    const frame = visitors.frameAt(request, reply, visitor, path);
    const html = renderPush({
      ...frame,
      state: "ask",
      csrf: visitors.tokenFor(request, reply, visitor),
      approveAction: `${path}/approve`,
      denyAction: `${path}/deny`,
      account: visitor.session!.username,
      screen: await screenOf(visitor.realm.realmId, challenge, frame.locale),
      isWrong,
    });
    return sendPage(reply, isWrong ? 403 : 200, html, { logoUrl: visitor.realm.settings.logoUrl });
  };

  app.get(
    "/push",
    {
      schema: {
        summary: "Sign-ins that wait for your approval",
        description: `For apps that no push message reached. ${how}. A browser is led to the oldest of them.`,
        tags,
        params: listParams,
        response: { 200: Type.Array(PushRequest), 303: Type.Null({ description: "To the page of one, or to sign in" }), 401: Problem },
      },
    },
    async (request, reply) => {
      const visitor = await visitors.visitorOf(request, reply);
      const realm = visitor.realm.realmId;
      const proof = await proofOf(request, realm);
      if (!proof && !visitor.session) {
        if (wantsJson(request)) throw deviceErrors.no_session();
        return toSignIn(request, reply, visitor) as never;
      }
      if (!proof && visitor.session!.impersonator !== null) throw deviceErrors.impersonated();
      const open = await openChallengesOf(db, realm, proof?.device.userId ?? visitor.session!.userId, clock.now());
      reply.header("cache-control", "no-store");
      if (wantsJson(request)) return Promise.all(open.map((challenge) => recordOf(realm, challenge)));
      if (!open[0]) return send(request, reply, visitor, 404, "gone") as never;
      return reply.redirect(`/realms/${realm}/push/${open[0].id}`, 303) as never;
    },
  );

  app.get(
    "/push/:id",
    {
      schema: {
        summary: "A sign-in that waits for your approval",
        description: `${how}. Somebody else's is a 404.`,
        tags,
        params,
        querystring: PageQuery,
        response: { 200: PushRequest, 303: Type.Null({ description: "To sign in first" }), 401: Problem, 403: Problem, 404: Problem },
      },
    },
    async (request, reply) => {
      const come = await comeIn(request, reply);
      if (!come) return reply as never;
      reply.header("cache-control", "no-store");
      if (wantsJson(request)) return recordOf(come.visitor.realm.realmId, come.challenge);
      return (come.challenge.status === "PENDING" ? ask(request, reply, come) : send(request, reply, come.visitor, 200, "gone")) as never;
    },
  );

  /** What both answers go through: CSRF for a session, the device still being there for a proof, and one transaction. */
  const answer = async <T>(request: FastifyRequest, come: Answering, what: (ctx: Ctx) => Promise<T>): Promise<T> => {
    const { visitor, proof } = come;
    const realm = visitor.realm.realmId;
    const actor = proof ? ownerOf(realm, proof.device) : actorOfSession(visitor.session!, realm);
    return work.transact({ realm, actor, sourceIp: request.ip }, async (ctx) => {
      if (proof) await useDevice(ctx, proof.device);
      return what(ctx);
    });
  };

  /** Order of refusals: who they are, then CSRF, then the form. Null: answered already, with a page. */
  const comeToAnswer = async (request: FastifyRequest, reply: FastifyReply): Promise<Answering | null> => {
    const come = await comeIn(request, reply);
    if (!come) return null;
    reply.header("cache-control", "no-store");
    if (!come.proof && !hasToken(request, come.visitor)) {
      if (wantsJson(request)) throw deviceErrors.csrf();
      visitors.showStale(request, reply, come.visitor);
      return null;
    }
    if (request.validationError) throw request.validationError;
    refuseDirtyText(request.body);
    return come;
  };

  app.post(
    "/push/:id/approve",
    {
      attachValidation: true,
      schema: {
        summary: "Approve a sign-in",
        description:
          `${how}, and \`number\`, as it was typed from the screen that waits. A wrong number is a 403, the third one ends the request ` +
          "(`devices.wrong_numbers`); one that was answered or has expired is a 409.",
        consumes,
        tags,
        params,
        body: PushApproval,
        response: { 200: PushAnswer, 303: Type.Null(), 401: Problem, 403: Problem, 404: Problem, 409: Problem },
      },
    },
    async (request, reply) => {
      const come = await comeToAnswer(request, reply);
      if (!come) return reply as never;
      const number = come.proof ? come.proof.payload.number : request.body.number;
      const result = await answer(request, come, (ctx) => approveChallenge(ctx, come.challenge, come.userId, String(number ?? "")));
      if (wantsJson(request)) {
        if (result === "gone") throw deviceErrors.answered();
        if (result === "again") throw deviceErrors.wrong_number();
        if (result === "wrong") throw deviceErrors.wrong_numbers();
        return { status: "APPROVED" as const };
      }
      if (result === "again") return ask(request, reply, come, true) as never;
      return send(request, reply, come.visitor, { approved: 200, wrong: 403, gone: 409 }[result], result) as never;
    },
  );

  app.post(
    "/push/:id/deny",
    {
      attachValidation: true,
      schema: {
        summary: "Deny a sign-in",
        description: `${how}. Records PUSH_DENIED; for some minutes the user is not asked again.`,
        consumes,
        tags,
        params,
        body: CsrfOnly,
        response: { 200: PushAnswer, 303: Type.Null(), 401: Problem, 403: Problem, 404: Problem, 409: Problem },
      },
    },
    async (request, reply) => {
      const come = await comeToAnswer(request, reply);
      if (!come) return reply as never;
      const isDenied = await answer(request, come, (ctx) => denyChallenge(ctx, come.challenge, come.userId));
      if (wantsJson(request)) {
        if (!isDenied) throw deviceErrors.answered();
        return { status: "DENIED" as const };
      }
      return send(request, reply, come.visitor, isDenied ? 200 : 409, isDenied ? "denied" : "gone") as never;
    },
  );
};
