import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { browser, declare, link, logFailure, page, redirect } from "../../platform/http/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import type { PageParts, Visitor } from "../login/index.ts";
import { renderImpersonation, sendPage } from "../pages/index.ts";
import { EndImpersonationForm, ImpersonationForm } from "./schema.ts";
import { actorOfTicket, lookAtTicket, openTicket, stopImpersonating } from "./service.ts";

const consumes = ["application/x-www-form-urlencoded"];
const moved = redirect("Go on");

export interface ImpersonationPageParts extends PageParts {
  readonly work: UnitOfWork;
  readonly realms: RealmSnapshots;
}

/** Mounted under /realms/:realm. */
export const impersonationPages: FastifyPluginAsyncTypebox<ImpersonationPageParts> = async (app, { db, work, realms, visitors }) => {
  declare(app, { tags: ["Sign-in"], caller: link(), csrf: "form", errors: "page" });
  app.removeContentTypeParser(["application/json", "text/plain"]);

  const ticketOf = ({ realm }: Visitor, token: string) => lookAtTicket(db, realm.realmId, token, clock.now());
  type Ticket = NonNullable<Awaited<ReturnType<typeof ticketOf>>>;

  const show = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, status: number, state: "gone" | "refused" | "elsewhere") =>
    sendPage(reply, status, renderImpersonation({ ...visitors.frameOf(request, reply, visitor), state }));

  /** Whether this browser holds the session of the administrator who asked: the link works in no other. */
  const isOwnBrowser = async (request: FastifyRequest, { impersonator }: Ticket): Promise<boolean> => {
    const realm = await realms.get(impersonator.realm);
    const session = realm && (await visitors.sessionIn(request, realm));
    return session?.sessionId === impersonator.sessionId && session.impersonator === null;
  };

  const open = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, token: string, ticket: Ticket) => {
    const { realm, session } = visitor;
    const origin = { realm: realm.realmId, actor: actorOfTicket(ticket), sourceIp: request.ip };
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
    if (started instanceof AppError) return show(request, reply, visitor, started.status, started.status === 410 ? "gone" : "refused");
    if (session?.sessionId === ticket.impersonator.sessionId) visitors.putAside(request, reply, realm.realmId);
    visitors.enter(request, reply, visitor, started);
    return reply.header("cache-control", "no-store").redirect(`/realms/${realm.realmId}/login`, 303);
  };

  app.get(
    "/impersonation",
    {
      // HEAD must not use the ticket up.
      exposeHeadRoute: false,
      schema: {
        summary: "Follow the link to act as a user",
        description:
          "Works only in the browser of the administrator who asked for it, where it starts the session at once; what reads ahead gets a " +
          "page with a button.",
        querystring: Type.Object({ ticket: Type.String({ maxLength: 128 }) }),
        response: {
          200: page("A page that asks first"),
          303: moved,
          403: page("Another browser, or the administrator may not any more"),
          410: page("The link no longer works"),
        },
      },
    },
    async (request, reply) => {
      const { visitor } = request;
      const { ticket: token } = request.query;
      const ticket = await ticketOf(visitor, token);
      if (!ticket) return show(request, reply, visitor, 410, "gone") as never;
      if (!(await isOwnBrowser(request, ticket))) return show(request, reply, visitor, 403, "elsewhere") as never;
      if (!readsAhead(request)) return open(request, reply, visitor, token, ticket) as never;
      const html = renderImpersonation({
        ...visitors.frameOf(request, reply, visitor),
        state: "confirm",
        account: ticket.username,
        csrf: visitors.tokenFor(request, reply, visitor),
        action: `/realms/${visitor.realm.realmId}/impersonation`,
        hidden: { ticket: token },
      });
      return sendPage(reply, 200, html) as never;
    },
  );

  app.post(
    "/impersonation",
    {
      schema: {
        summary: "Act as a user, after being asked",
        consumes,
        body: ImpersonationForm,
        response: {
          303: moved,
          403: page("CSRF token missing or stale, or another browser"),
          410: page("The link no longer works"),
        },
      },
    },
    async (request, reply) => {
      const { visitor } = request;
      const { ticket: token } = request.body;
      const ticket = await ticketOf(visitor, token);
      if (!ticket) return show(request, reply, visitor, 410, "gone") as never;
      if (!(await isOwnBrowser(request, ticket))) return show(request, reply, visitor, 403, "elsewhere") as never;
      return open(request, reply, visitor, token, ticket) as never;
    },
  );

  app.post(
    "/impersonation/end",
    {
      attachValidation: true,
      config: { caller: browser(), csrfUnless: ({ visitor }) => visitor.session === null || visitor.session.impersonator === null },
      schema: {
        summary: "Stop acting as a user",
        description: "The administrator's own session of the realm comes back in the browser in which it was.",
        consumes,
        body: EndImpersonationForm,
        response: { 303: moved, 403: page("CSRF token missing or stale") },
      },
    },
    async (request, reply) => {
      const { visitor } = request;
      const { realm, session } = visitor;
      const here = `/realms/${realm.realmId}/login`;
      if (session === null || session.impersonator === null) return reply.redirect(here, 303) as never;
      const back = await request.transact((ctx) => stopImpersonating(ctx, session, visitors.tokenAside(request, realm.realmId)));
      visitors.leave(reply, visitor, back);
      const home = session.impersonatedFrom ? `/realms/${session.impersonatedFrom.realm}/login` : here;
      return reply.header("cache-control", "no-store").redirect(home, 303) as never;
    },
  );
};

/** A browser or a proxy that prefetches. */
const readsAhead = ({ headers }: FastifyRequest): boolean =>
  [headers["sec-purpose"], headers.purpose, headers["x-moz"], headers["x-purpose"]].some((value) =>
    /prefetch|preview/i.test(String(value ?? "")),
  );
