import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { renderLogout, sendPage } from "../pages/index.ts";
import { actorOfSession, type Cookies, type Csrf, endSession } from "../sessions/index.ts";
import type { Visitors } from "./visitors.ts";

const LogoutForm = Type.Object({ _csrf: Type.Optional(Type.String({ maxLength: 512 })) }, { $id: "LogoutForm" });
const tags = ["Sign-in"];
const params = Type.Object({ realm: Type.String() });
const page = (description: string) => Type.String({ description });

interface LogoutParts {
  readonly work: UnitOfWork;
  readonly csrf: Csrf;
  readonly cookies: Cookies;
  readonly visitors: Visitors;
}

export const logoutRoutes: FastifyPluginAsyncTypebox<LogoutParts> = async (app, { work, csrf, cookies, visitors }) => {
  app.get(
    "/logout",
    { schema: { summary: "Ask whether to sign out", tags, params, response: { 200: page("The page") } } },
    async (request, reply) => {
      const visitor = await visitors.visitorOf(request, reply);
      const { realm, session } = visitor;
      const frame = visitors.frameOf(request, reply, visitor);
      const html = session
        ? renderLogout({
            ...frame,
            state: "confirm",
            csrf: visitors.tokenFor(request, reply, visitor),
            action: `/realms/${realm.realmId}/logout`,
            signedInAs: session.username,
            cancelUrl: "/",
          })
        : renderLogout({ ...frame, state: "done", signInUrl: `/realms/${realm.realmId}/login` });
      return sendPage(reply, 200, html, { logoUrl: realm.settings.logoUrl });
    },
  );

  app.post(
    "/logout",
    {
      // A missing token is a 403 like a stale one, whatever else the form lacks.
      attachValidation: true,
      schema: {
        summary: "Sign out",
        consumes: ["application/x-www-form-urlencoded"],
        tags,
        params,
        body: LogoutForm,
        response: { 303: Type.Null({ description: "Signed out" }), 403: page("CSRF token missing or stale") },
      },
    },
    async (request, reply) => {
      const visitor = await visitors.visitorOf(request, reply);
      const { realm, session } = visitor;
      if (session) {
        if (!visitors.hasToken(request, visitor)) return visitors.showLogin(request, reply, visitor, 403, { error: "csrf" });
        // Whoever plays somebody and signs out is gone from this browser altogether, not back in a session put aside.
        const own = session.impersonator === null ? null : await visitors.sessionOf(realm, cookies.ownToken(request, realm.realmId));
        for (const each of own ? [session, own] : [session]) {
          const origin = { realm: realm.realmId, actor: actorOfSession(each, realm.realmId), sourceIp: request.ip };
          await work.transact(origin, (ctx) => endSession(ctx, each.sessionId));
        }
        cookies.clearAside(reply, realm.realmId);
      }
      cookies.clearSession(reply, realm.realmId);
      cookies.setCsrf(reply, csrf.issue(visitor.preSession));
      return reply.header("cache-control", "no-store").redirect(`/realms/${realm.realmId}/login?signed_out=1`, 303) as never;
    },
  );
};
