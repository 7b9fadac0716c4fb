import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { renderImpersonation, sendPage } from "../../pages/index.ts";
import { browser, declare, link, logFailure, page, redirect, route } from "../../platform/http/index.ts";
import { requestSource, type UnitOfWork } from "../../platform/unit-of-work.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import { loginPath, type PageParts, seeOther } from "../login/index.ts";
import { EndImpersonationForm, ImpersonationForm } from "./routes.ts";
import { actorOfTicket, lookAtTicket, openTicket, stopImpersonating } from "./service.ts";

const moved = redirect("Continue");

interface ImpersonationPageParts extends PageParts {
  readonly work: UnitOfWork;
  readonly realms: RealmSnapshots;
}

/** Mounted under /realms/:realm. */
export const impersonationPages: FastifyPluginAsyncTypebox<ImpersonationPageParts> = async (app, { db, work, realms, visitors }) => {
  declare(app, { tags: ["Sign-in"], caller: link(), csrf: "form", errors: "page" });

  /** Tells whether this browser has the session of the administrator who asked. The link works in no other browser. */
  const isOwnBrowser = async (request: FastifyRequest, { impersonator }: Parameters<typeof actorOfTicket>[0]): Promise<boolean> => {
    const realm = await realms.get(impersonator.realm);
    const session = realm && (await visitors.sessionIn(request, realm));
    return session?.sessionId === impersonator.sessionId && session.impersonator === null;
  };

  /** Starts the session, or shows a question first if `asks` is true. */
  const open = async (request: FastifyRequest, reply: FastifyReply, token: string, asks = false) => {
    const { visitor, realmId } = request;
    const { realm, session } = visitor;
    const ticket = await lookAtTicket(db, realmId, token, clock.now());
    if (!ticket) return visitors.showMessage(request, reply, 410, "impersonation-gone");
    if (!(await isOwnBrowser(request, ticket))) return visitors.showMessage(request, reply, 403, "impersonation-elsewhere");
    if (asks) {
      const form = { ...visitors.formOf(request, reply), action: `/realms/${realmId}/impersonation`, hidden: { ticket: token } };
      return sendPage(reply, 200, renderImpersonation({ ...form, account: ticket.username }));
    }
    const origin = { realm: realmId, actor: actorOfTicket(ticket, realmId), ...requestSource(request) };
    const opening = {
      token,
      policy: realm.settings.sessions,
      sourceIp: request.ip,
      userAgent: request.headers["user-agent"] ?? null,
      previous: session,
    };
    const started = await work
      .transact(origin, (ctx) => openTicket(ctx, opening))
      .catch((error) => {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        logFailure(request, error);
        return error;
      });
    if (started instanceof AppError)
      return visitors.showMessage(request, reply, started.status, started.status === 410 ? "impersonation-gone" : "impersonation-refused");
    if (session?.sessionId === ticket.impersonator.sessionId) visitors.putAside(request, reply, realmId);
    visitors.enter(request, reply, visitor, started);
    return seeOther(reply, loginPath(realmId));
  };

  route(app, "GET", "/impersonation", {
    // HEAD must not use the ticket up.
    exposeHeadRoute: false,
    summary: "Open the link to act as a user",
    description:
      "Works only in the browser of the administrator who requested it, where it starts the session immediately; a program that prefetches links gets a " +
      "page with a button.",
    querystring: Type.Object({ ticket: Type.String({ maxLength: 128 }) }),
    response: {
      200: page("A page that asks for confirmation"),
      303: moved,
      403: page("It is another browser, or the administrator no longer has the permission"),
      410: page("The link no longer works"),
    },
    handler: async (request, reply) => open(request, reply, request.query.ticket, readsAhead(request)),
  });

  route(app, "POST", "/impersonation", {
    summary: "Confirm to act as a user",
    body: ImpersonationForm,
    response: {
      303: moved,
      403: page("The CSRF token is missing or stale, or it is another browser"),
      410: page("The link no longer works"),
    },
    handler: async (request, reply) => open(request, reply, request.body.ticket),
  });

  route(app, "POST", "/impersonation/end", {
    attachValidation: true,
    config: { caller: browser(), csrfUnless: ({ visitor }) => visitor.session === null || visitor.session.impersonator === null },
    summary: "Stop acting as a user",
    description: "The administrator's own session of the realm is restored in the browser in which it was.",
    body: EndImpersonationForm,
    response: { 303: moved, 403: page("The CSRF token is missing or stale") },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { realm, session } = visitor;
      if (session === null || session.impersonator === null) return seeOther(reply, loginPath(realm.realmId));
      const back = await request.transact((ctx) => stopImpersonating(ctx, session, visitors.tokenAside(request, realm.realmId)));
      visitors.leave(reply, visitor, back);
      return seeOther(reply, loginPath(session.impersonatedFrom?.realm ?? realm.realmId));
    },
  });
};

/** Tells whether a browser or a proxy prefetches the page. */
const readsAhead = ({ headers }: FastifyRequest): boolean =>
  [headers["sec-purpose"], headers.purpose, headers["x-moz"], headers["x-purpose"]].some((value) =>
    /prefetch|preview/i.test(String(value ?? "")),
  );
