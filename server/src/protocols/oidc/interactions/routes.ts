import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../../kernel/clock.ts";
import { defineErrors } from "../../../kernel/errors.ts";
import { refuseBy } from "../../../platform/http/index.ts";
import type { UnitOfWork } from "../../../platform/unit-of-work.ts";
import { createVisitors, type Visitor, type VisitorParts } from "../../../signin/login/index.ts";
import { renderChooseAccount, renderConsent, sendPage } from "../../../signin/pages/index.ts";
import { whyClosed } from "../../../signin/registration/index.ts";
import { hasRecentAuthentication } from "../../../signin/sessions/index.ts";
import type { Messages } from "../../../tenancy/messaging/index.ts";
import { INTERACTION_COOKIE, RESUME_COOKIE } from "../cookies.ts";
import { handOver, issuerFor } from "../engine.routes.ts";
import type { Issuer, Issuers } from "../provider.ts";
import { rememberResumed } from "./resumed.ts";
import {
  allow,
  applicationOf,
  askForRecentSignIn,
  askToSignIn,
  consentRequest,
  findWaiting,
  interactionPath,
  resolve,
  resumePath,
  signedIn,
  signInPath,
  type Waiting,
} from "./service.ts";

const errors = defineErrors("oidc", {
  impersonated: [403, "Only the person themselves can allow an application something: stop acting as them first"],
});

const params = Type.Object({ realm: Type.String(), uid: Type.String() });
const Decision = Type.Object({
  _csrf: Type.Optional(Type.String({ maxLength: 512 })),
  decision: Type.Optional(Type.String({ maxLength: 16 })),
});

export interface InteractionRouteParts extends VisitorParts {
  readonly issuers: Issuers;
  readonly work: UnitOfWork;
  readonly messages: Messages;
}

interface Asked {
  readonly issuer: Issuer;
  readonly realm: string;
  readonly visitor: Visitor;
  readonly waiting: Waiting;
}

/** Mounted under /realms/:realm: what the engine asks of the user, one page each. */
export const interactionRoutes: FastifyPluginAsyncTypebox<InteractionRouteParts> = async (app, parts) => {
  const { work } = parts;
  const visitors = createVisitors(parts);
  refuseBy(app, "page", visitors.showFailure);
  app.removeContentTypeParser(["application/json", "text/plain"]);

  const askedBy = async (request: FastifyRequest, reply: FastifyReply): Promise<Asked> => {
    const issuer = await issuerFor(parts.issuers, request);
    const { uid } = request.params as { uid: string };
    const waiting = await findWaiting(issuer, uid, request.cookies, INTERACTION_COOKIE);
    return { issuer, waiting, realm: issuer.parts.realm.realmId, visitor: await visitors.visitorOf(request, reply) };
  };

  const toSignIn = async (request: FastifyRequest, reply: FastifyReply, { realm, visitor, waiting }: Asked, asSomebodyElse = false) => {
    const id = await askToSignIn(parts.db, realm, waiting, { browser: visitor.preSession, asSomebodyElse });
    return go(reply, signInPath(realm, waiting, id, parts.cookies.language(request)));
  };

  /** Whoever allows access for when they are away does so right after a sign-in: a browser that was left open gives nothing away. */
  const needsRecentSignIn = async ({ issuer, visitor: { session }, waiting }: Asked): Promise<boolean> =>
    waiting.interaction.prompt.name === "consent" &&
    consentRequest(issuer, waiting).scopes.includes("offline_access") &&
    session?.impersonator === null &&
    !(await hasRecentAuthentication(parts.db, session, clock.now()));

  const toRecentSignIn = async (request: FastifyRequest, reply: FastifyReply, { realm, visitor, waiting }: Asked) => {
    const id = await askForRecentSignIn(parts.db, realm, waiting, visitor.preSession);
    const lang = parts.cookies.language(request);
    return go(reply, `/realms/${realm}/login?${new URLSearchParams({ interaction: id, ...(lang !== undefined && { lang }) })}`);
  };

  const show = (request: FastifyRequest, reply: FastifyReply, { issuer, realm, visitor, waiting }: Asked, status = 200) => {
    const { params: asked } = waiting;
    const application = applicationOf(waiting.client);
    const page = {
      ...visitors.frameOf(request, reply, visitor),
      csrf: visitors.tokenFor(request, reply, visitor),
      action: interactionPath(realm, waiting.uid),
      account: visitor.session!.username,
    };
    const { scopes, claims, details } = consentRequest(issuer, waiting);
    const { byName } = issuer.parts.scopesOfRealm;
    const html =
      waiting.interaction.prompt.name === "consent"
        ? renderConsent({
            ...page,
            client: application.name,
            ...application,
            scopes: scopes.map((name) => ({ name, text: byName.get(name)?.consentText ?? null })),
            claims,
            details,
          })
        : renderChooseAccount(page);
    return sendPage(reply, status, html, {
      logoUrl: visitor.realm.settings.logoUrl,
      applicationLogoUrl: application.logoUrl ?? null,
      ...(asked.redirect_uri !== undefined && { formActionOrigins: [asked.redirect_uri] }),
    });
  };

  app.get("/interaction/:uid", { schema: { hide: true, params } }, async (request, reply) => {
    const asked = await askedBy(request, reply);
    const { name } = asked.waiting.interaction.prompt;
    if (name === "create" && (await whyClosed(parts, asked.visitor.realm)) !== null) {
      const error = { error: "temporarily_unavailable", error_description: "accounts cannot be created at the moment" };
      await resolve(asked.waiting, asked.visitor.session, error);
      return go(reply, resumePath(asked.realm, asked.waiting.uid));
    }
    // Signed out meanwhile: whatever was to be asked is asked after signing in.
    if (name === "login" || name === "create" || !asked.visitor.session) return toSignIn(request, reply, asked);
    if (await needsRecentSignIn(asked)) return toRecentSignIn(request, reply, asked);
    return show(request, reply, asked);
  });

  // Here the engine goes on; where somebody has signed in for it, it is told so first.
  app.get("/authorize/:uid", { schema: { hide: true, params } }, async (request, reply) => {
    const issuer = await issuerFor(parts.issuers, request);
    const { uid } = request.params;
    const { interaction } = request.query as { interaction?: unknown };
    if (typeof interaction === "string") {
      const waiting = await findWaiting(issuer, uid, request.cookies, RESUME_COOKIE);
      const { session, preSessions } = await visitors.visitorOf(request, reply);
      await signedIn(parts.db, issuer, waiting, session, interaction, preSessions);
      rememberResumed(request.raw, { interaction: waiting.interaction, session });
    }
    return handOver(issuer, request, reply, `/authorize/${encodeURIComponent(uid)}`, "") as never;
  });

  app.post("/interaction/:uid", { attachValidation: true, schema: { hide: true, params, body: Decision } }, async (request, reply) => {
    const asked = await askedBy(request, reply);
    const { issuer, realm, visitor, waiting } = asked;
    const { session } = visitor;
    if (!session) return toSignIn(request, reply, asked);
    if (!visitors.hasToken(request, visitor)) return show(request, reply, asked, 403);
    if (request.validationError) throw request.validationError;
    const { decision } = request.body;
    if (waiting.interaction.prompt.name !== "consent") {
      if (decision !== "continue") return toSignIn(request, reply, asked, true);
      await resolve(waiting, session, { select_account: {} });
    } else if (decision === "allow") {
      if (session.impersonator !== null) throw errors.impersonated();
      if (await needsRecentSignIn(asked)) return toRecentSignIn(request, reply, asked);
      await allow(work, issuer, waiting, session, request.ip);
    } else await resolve(waiting, session, { error: "access_denied", error_description: "the user did not allow it" });
    return go(reply, resumePath(realm, waiting.uid));
  });
};

const go = (reply: FastifyReply, to: string) => reply.header("cache-control", "no-store").redirect(to, 303);
