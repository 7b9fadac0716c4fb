import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { renderChooseAccount, renderConsent, renderNoAccess, sendPage } from "../../../pages/index.ts";
import { browser, declare, field, pathParams, route } from "../../../platform/http/index.ts";
import type { UnitOfWork } from "../../../platform/unit-of-work.ts";
import { type PageParts, seeOther, type Visitor } from "../../../signin/login/index.ts";
import { whyClosed } from "../../../signin/self-registration/index.ts";
import type { Messages } from "../../../tenancy/messaging/index.ts";
import { isRefusedTo, needsRecentSignIn, shownAgent, shownApis, shownScopes } from "../../decoupled/index.ts";
import { issuerFor } from "../../gate/index.ts";
import type { InteractionAnswer, Issuer, Issuers } from "../issuer.ts";
import { INTERACTION_COOKIE, RESUME_COOKIE } from "./cookies.ts";
import * as service from "./interaction.service.ts";

const params = pathParams("uid");
const Decision = Type.Object({ _csrf: field(512), decision: field(16) });

export interface InteractionRouteParts extends PageParts {
  readonly issuers: Issuers;
  readonly work: UnitOfWork;
  readonly messages: Messages;
}

const NO_ACCESS: InteractionAnswer = { error: "access_denied", error_description: "the user may not use this client" };

interface Visit {
  readonly issuer: Issuer;
  readonly realm: string;
  readonly visitor: Visitor;
  readonly pending: service.Pending;
}

/** Mounted under /realms/:realm: the interactions of authorization requests, one page each. */
export const interactionRoutes: FastifyPluginAsyncTypebox<InteractionRouteParts> = async (app, parts) => {
  const { visitors } = parts;
  declare(app, { caller: browser(), csrf: "form", errors: "page" });

  const visitBy = async (request: FastifyRequest): Promise<Visit> => {
    const issuer = await issuerFor(parts.issuers, request);
    const { uid } = request.params as { uid: string };
    const pending = await service.findPending(issuer, uid, request, INTERACTION_COOKIE);
    return { issuer, pending, realm: issuer.parts.realm.realmId, visitor: request.visitor };
  };

  const toSignInPage = async (reply: FastifyReply, { realm, visitor, pending }: Visit, switchAccount = false) => {
    const id = await service.askToSignIn(parts.db, realm, pending, { browser: visitor.preSession, switchAccount });
    return seeOther(reply, service.signInPath(realm, pending, id, visitor.language));
  };

  const isTooOld = async ({ issuer, visitor: { session }, pending }: Visit): Promise<boolean> =>
    pending.interaction.prompt.name === "consent" &&
    session !== null &&
    needsRecentSignIn(issuer.parts, session, service.consentRequest(issuer, pending).scopes);

  const isRefused = ({ issuer, visitor, pending }: Visit, isDecision: boolean): Promise<boolean> =>
    isRefusedTo(issuer.parts, pending.client, visitor.session!, isDecision);

  const answer = async (reply: FastifyReply, { issuer, realm, visitor: { session }, pending }: Visit, given: InteractionAnswer) => {
    await issuer.engine.answer({ interaction: pending.interaction, session, answer: given });
    return seeOther(reply, service.resumePath(realm, pending.uid));
  };

  const toRecentSignIn = async (reply: FastifyReply, { realm, visitor, pending }: Visit) => {
    const id = await service.askForRecentSignIn(parts.db, realm, pending, visitor.preSession);
    const { language: lang } = visitor;
    return seeOther(reply, `/realms/${realm}/login?${new URLSearchParams({ interaction: id, ...(lang !== undefined && { lang }) })}`);
  };

  const show = async (request: FastifyRequest, reply: FastifyReply, { issuer, realm, visitor, pending }: Visit, status = 200) => {
    const { redirect_uri } = pending.params;
    const application = service.applicationOf(pending.client);
    const action = service.interactionPath(realm, pending.uid);
    const page = {
      ...visitors.frameAt(request, reply, visitor, action),
      csrf: visitors.tokenFor(request, reply, visitor),
      action,
      account: visitor.session!.username,
    };
    const { scopes, claims, details } = service.consentRequest(issuer, pending);
    const { name: prompt } = pending.interaction.prompt;
    const html =
      prompt === "consent"
        ? renderConsent({
            ...page,
            client: application.name,
            ...application,
            scopes: shownScopes(issuer.parts.scopesOfRealm, scopes),
            claims,
            details,
            apis: await shownApis(issuer.parts, service.resourcesOf(pending)),
            returnTo: redirect_uri ?? null,
            agent: await shownAgent(issuer.parts, pending.client),
          })
        : prompt === "access"
          ? renderNoAccess({ ...page, client: application.name, form: page })
          : renderChooseAccount(page);
    return sendPage(reply, prompt === "access" ? 403 : status, html, {
      logos: [application.logoUrl],
      ...(redirect_uri !== undefined && { callbacks: [redirect_uri] }),
    });
  };

  route(app, "GET", "/interaction/:uid", {
    hide: true,
    params,
    handler: async (request, reply) => {
      const visit = await visitBy(request);
      const { name } = visit.pending.interaction.prompt;
      if (name === "create" && (await whyClosed(parts, visit.visitor.realm)) !== null) {
        const error = { error: "temporarily_unavailable", error_description: "accounts cannot be created at the moment" };
        return answer(reply, visit, error);
      }
      // A user who has signed out meanwhile signs in first.
      if (name === "login" || name === "create" || !visit.visitor.session) return toSignInPage(reply, visit);
      if (await isTooOld(visit)) return toRecentSignIn(reply, visit);
      if (name === "access") {
        // The user was given the role meanwhile.
        if (!(await isRefused(visit, false))) return answer(reply, visit, { access: {} });
        await service.recordNoAccess(request, visit.pending);
      }
      return show(request, reply, visit);
    },
  });

  // Resumes the request; after a sign-in, with its result.
  route(app, "GET", "/authorize/:uid", {
    hide: true,
    params,
    handler: async (request, reply) => {
      const issuer = await issuerFor(parts.issuers, request);
      const { uid } = request.params;
      const { interaction } = request.query as { interaction?: unknown };
      if (typeof interaction === "string") {
        const pending = await service.findPending(issuer, uid, request, RESUME_COOKIE);
        const { session, preSessions } = request.visitor;
        const answer = await service.signedIn(parts.db, issuer.parts.realm.realmId, pending, session, interaction, preSessions);
        return issuer.engine.resume(request, reply, uid, { interaction: pending.interaction, session, answer });
      }
      return issuer.engine.resume(request, reply, uid);
    },
  });

  /** Answers a stale form: a user who has signed out meanwhile has to sign in first. */
  const onStale = async (request: FastifyRequest, reply: FastifyReply) => {
    const visit = await visitBy(request);
    return visit.visitor.session ? show(request, reply, visit, 403) : toSignInPage(reply, visit);
  };

  route(app, "POST", "/interaction/:uid", {
    config: { onStale },
    hide: true,
    params,
    body: Decision,
    handler: async (request, reply) => {
      const visit = await visitBy(request);
      const { issuer, realm, visitor, pending } = visit;
      const { session } = visitor;
      if (!session) return toSignInPage(reply, visit);
      const { decision } = request.body;
      if (pending.interaction.prompt.name === "access") {
        if (decision === "other") return toSignInPage(reply, visit, true);
        return answer(reply, visit, NO_ACCESS);
      }
      if (pending.interaction.prompt.name !== "consent") {
        if (decision !== "continue") return toSignInPage(reply, visit, true);
        return answer(reply, visit, { select_account: {} });
      }
      if (decision === "allow") {
        if (await isRefused(visit, true)) return answer(reply, visit, NO_ACCESS);
        if (await isTooOld(visit)) return toRecentSignIn(reply, visit);
        await service.allow(request, issuer, pending, session);
        return seeOther(reply, service.resumePath(realm, pending.uid));
      }
      return answer(reply, visit, { error: "access_denied", error_description: "the user did not allow it" });
    },
  });
};
