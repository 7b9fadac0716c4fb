import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { defineErrors } from "../../kernel/errors.ts";
import { browser, declare, field, page, redirect, route } from "../../platform/http/index.ts";
import { homePath, loginPath, type PageParts, seeOther } from "../login/index.ts";
import type { Cookies } from "../sessions/index.ts";

const errors = defineErrors("sign_in", {
  impersonated: [403, "Only the users themselves can change their password: stop impersonating the user first"],
});

/** Mounted under /realms/:realm. The page itself is the one of the required action. */
export const changePasswordRoutes: FastifyPluginAsyncTypebox<PageParts> = async (app, { visitors }) => {
  declare(app, { tags: ["Sign-in"], caller: browser(), errors: "page" });

  route(app, "GET", "/account-password", {
    // Each visit begins something.
    config: { limit: "signIns" },
    summary: "Start a password change",
    description: "For users who signed in within the last ten minutes, with the second factor if they have one. Other users sign in first.",
    response: {
      303: redirect("Redirects to the page, or to the sign-in page first"),
      403: page("An administrator acts as the user"),
    },
    handler: async (request, reply) => {
      const { realm, session } = request.visitor;
      if (session && session.impersonator !== null) throw errors.impersonated();
      const asked = { actions: ["UPDATE_PASSWORD"], recent: true } as const;
      return visitors.toSignIn(request, reply, { request: asked, returnTo: `/realms/${realm.realmId}/account-password/done` });
    },
  });

  route(app, "GET", "/account-password/done", {
    summary: "Show that the password was changed",
    response: { 200: page("The page"), 303: redirect("No user is signed in. Redirects to the sign-in page") },
    handler: async (request, reply) => {
      const { visitor } = request;
      if (!visitor.session) return seeOther(reply, loginPath(visitor.realm.realmId));
      return visitors.showMessage(request, reply, 200, "password-changed", {
        back: { href: homePath(visitor.realm.realmId), label: "continue" },
      });
    },
  });
};

const REALM = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * Redirects password managers, which send people here (w3c.github.io/webappsec-change-password-url). The address names no realm, so the
 * query may name it. Otherwise it is the only realm in which this browser is signed in, or `master`.
 */
export const wellKnownChangePassword: FastifyPluginAsyncTypebox<{ readonly cookies: Cookies }> = async (app, { cookies }) => {
  route(app, "GET", "/.well-known/change-password", {
    summary: "Redirect to the page for changing the password",
    tags: ["Sign-in"],
    querystring: Type.Object({ realm: field(255) }),
    response: { 303: redirect("Redirects to the page of the realm") },
    handler: async (request, reply) => {
      const { realm } = request.query;
      const signedIn = cookies.realms(request).filter(isRealm);
      const known = [realm ?? "", ...(signedIn.length === 1 ? signedIn : []), "master"].find(isRealm)!;
      return seeOther(reply, `/realms/${known}/account-password`);
    },
  });
};

const isRealm = (name: string): boolean => REALM.test(name);
