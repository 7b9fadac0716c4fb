import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { onRequestAsyncHookHandler } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import { refuseDirtyText } from "../../platform/http/index.ts";
import { type RealmSnapshots, unknownRealm } from "../../tenancy/realms/index.ts";
import { type Interaction, readInteraction } from "../interactions/index.ts";
import { themeCss, themeVersion } from "../pages/index.ts";
import type { Cookies, Csrf } from "../sessions/index.ts";
import { type LogoutRequests, logoutRoutes } from "./logout.routes.ts";
import { returnTarget } from "./return-target.ts";
import { isOverloaded, type LoginParts, logIn } from "./service.ts";
import { createVisitors, type Visitor } from "./visitors.ts";

export interface LoginRouteParts extends LoginParts {
  readonly realms: RealmSnapshots;
  readonly csrf: Csrf;
  readonly cookies: Cookies;
  readonly baseUrl: string;
  readonly logoutRequests: LogoutRequests;
  /** Refuses an address that posts too often, whatever it posts. */
  readonly limit: onRequestAsyncHookHandler;
}

const params = Type.Object({ realm: Type.String() });
const LoginQuery = Type.Object({
  return_to: Type.Optional(Type.String({ maxLength: 2048, description: "A path of this server to go on to" })),
  interaction: Type.Optional(Type.String({ maxLength: 64 })),
  lang: Type.Optional(Type.String({ maxLength: 35 })),
  signed_out: Type.Optional(Type.String({ maxLength: 8 })),
});

const LoginForm = Type.Object(
  {
    username: Type.String({ maxLength: 1024 }),
    password: Type.String({ maxLength: 8192 }),
    _csrf: Type.Optional(Type.String({ maxLength: 512, description: "The value of the cookie XSRF-TOKEN; 403 without it" })),
    rememberMe: Type.Optional(Type.String({ maxLength: 8 })),
    return_to: Type.Optional(Type.String({ maxLength: 2048 })),
    interaction: Type.Optional(Type.String({ maxLength: 64 })),
    lang: Type.Optional(Type.String({ maxLength: 35 })),
  },
  { $id: "LoginForm" },
);

const tags = ["Sign-in"];
const page = (description: string) => Type.String({ description });
/** Told to whoever meets a full queue; it empties within this. */
const OVERLOAD_SECONDS = 2;

/** Mounted under /realms/:realm. */
export const loginRoutes: FastifyPluginAsyncTypebox<LoginRouteParts> = async (app, parts) => {
  const { realms, csrf, cookies, baseUrl } = parts;
  const visitors = createVisitors(parts);
  const { visitorOf, showLogin } = visitors;
  app.setErrorHandler(visitors.showFailure);
  // These are forms of our own pages; nothing else is taken.
  app.removeContentTypeParser(["application/json", "text/plain"]);

  const interactionOf = (visitor: Visitor, id: string | undefined): Promise<Interaction | null> =>
    id === undefined
      ? Promise.resolve(null)
      : readInteraction({ tx: parts.db, realm: visitor.realm.realmId, now: clock.now() }, id, visitor.preSession);

  app.get(
    "/login",
    {
      schema: {
        summary: "The sign-in page",
        description: "Sets the cookie XSRF-TOKEN.",
        tags,
        params,
        querystring: LoginQuery,
        response: { 200: page("The page") },
      },
    },
    async (request, reply) => {
      const visitor = await visitorOf(request, reply);
      const { lang, return_to, signed_out } = request.query;
      const interaction = await interactionOf(visitor, request.query.interaction);
      if (lang !== undefined) cookies.setLanguage(reply, visitors.localeOf(request, visitor.realm));
      const signedIn = visitor.session && {
        signedInAs: visitor.session.username,
        continueUrl: returnTarget(return_to, baseUrl),
        logoutAction: `/realms/${visitor.realm.realmId}/logout`,
      };
      return showLogin(request, reply, visitor, 200, {
        interaction,
        ...(signedIn && !interaction && signedIn),
        ...(signed_out !== undefined && !signedIn && { notice: "signed-out" }),
      });
    },
  );

  app.post(
    "/login",
    {
      onRequest: parts.limit,
      // Order of refusals: a form without a token that fits is a 403, whatever else is wrong with it.
      attachValidation: true,
      schema: {
        summary: "Sign in",
        description:
          "303 to `return_to` with the session's cookie; 401 with the page when name or password are wrong; 429 after too many attempts.",
        consumes: ["application/x-www-form-urlencoded"],
        tags,
        params,
        body: LoginForm,
        response: {
          303: Type.Null({ description: "Signed in" }),
          401: page("Wrong name or password"),
          403: page("CSRF token missing or stale"),
        },
      },
    },
    async (request, reply) => {
      const visitor = await visitorOf(request, reply);
      const { realm, session } = visitor;
      const isValid = request.validationError === undefined;
      const { username, password, rememberMe } = isValid ? request.body : { username: "", password: "" };
      const typed = { username: cut(username, 320), rememberMe: rememberMe === "true" || rememberMe === "on" };
      if (!visitors.hasToken(request, visitor)) return showLogin(request, reply, visitor, 403, { ...typed, error: "csrf" });
      if (!isValid) throw request.validationError;
      refuseDirtyText(request.body);
      const interaction = await interactionOf(visitor, request.body.interaction);
      const shown = { ...typed, interaction };

      const result = await logIn(parts, {
        realm,
        login: username,
        password,
        remember: typed.rememberMe,
        sourceIp: request.ip,
        userAgent: request.headers["user-agent"] ?? null,
        previous: session,
        interaction,
      }).catch((error) => {
        if (isOverloaded(error)) return { outcome: "overloaded" } as const;
        throw error;
      });

      if (result.outcome === "refused") return showLogin(request, reply, visitor, 401, { ...shown, error: "credentials" });
      if (result.outcome === "overloaded")
        return showLogin(request, reply, visitor, 503, { ...shown, error: "overloaded", retryAfterSeconds: OVERLOAD_SECONDS });
      if (result.outcome === "wait")
        return showLogin(request, reply, visitor, 429, { ...shown, error: "locked-out", retryAfterSeconds: result.retryAfterSeconds });
      cookies.setSession(reply, realm.realmId, result.session.token, result.session.maxAge);
      cookies.setCsrf(reply, csrf.issue(result.session.sessionId));
      return reply
        .header("cache-control", "no-store")
        .redirect(interaction?.returnTo ?? returnTarget(request.body.return_to, baseUrl), 303) as never;
    },
  );

  await app.register(logoutRoutes, { work: parts.work, csrf, cookies, visitors, logoutRequests: parts.logoutRequests });

  app.get(
    "/theme.css",
    { schema: { summary: "The realm's style sheet", tags, params, response: { 200: Type.String() } } },
    async (request, reply) => {
      const realm = await realms.get(request.params.realm);
      if (!realm) throw unknownRealm();
      const etag = `"${themeVersion(realm.settings)}"`;
      reply.headers({ etag, "cache-control": "public, max-age=300", "x-content-type-options": "nosniff" });
      if (request.headers["if-none-match"] === etag) return reply.code(304 as 200).send("");
      return reply.type("text/css; charset=utf-8").send(themeCss(realm.settings));
    },
  );
};
