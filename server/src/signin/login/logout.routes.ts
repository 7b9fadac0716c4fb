import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { prepareUpstreamLogout, recordUpstreamLogout, type UpstreamLogoutParts } from "../../federation/index.ts";
import { newId } from "../../kernel/ids.ts";
import { type LogoutFrame, renderLogout, sendPage } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { field, page, redirect, route } from "../../platform/http/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { interactionErrors } from "../run/index.ts";
import type { EndedSession, LiveSession } from "../sessions/index.ts";
import { homePath, loginPath, seeOther } from "./begin.ts";
import { showSigningOut, signedOutPath, signOutHere } from "./sign-out.ts";
import type { Visitors } from "./visitors.ts";

const members = {
  id_token_hint: field(16_384),
  client_id: field(255),
  post_logout_redirect_uri: field(2048),
  state: field(2048),
  logout_hint: field(1024),
  ui_locales: field(255),
};
const LogoutQuery = Type.Object({ ...members, lang: field(35), posted: field(64) });
const LogoutForm = Type.Object({ _csrf: field(512), ...members }, { $id: "LogoutForm" });
type Params = Readonly<Record<string, string | undefined>>;

/** The parameters of RP-initiated logout. */
export interface LogoutRequest {
  /** The address to go to afterwards. Null means our own page. */
  readonly redirectTo: string | null;
  /** True if the client has proven that it belongs to this session, so that no confirmation is needed. */
  readonly isCertain: boolean;
  /** The client that requests the logout, or null if the request names none. */
  readonly askedBy: string | null;
  /** The home page of that client. Null if the user asked, or if the client has no address to go back to. */
  readonly home: string | null;
  /** The fields that the form carries along. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The logout requests of clients, which the protocols read. */
export interface LogoutRequests {
  /** Throws if the request cannot be trusted. */
  read(realm: string, params: Params, session: LiveSession | null): Promise<LogoutRequest>;
  /** Keeps the form of another site for the GET that follows, because it comes without our cookies. Counts it for its address. */
  keep(realm: string, form: Params, address: string): Promise<string>;
  take(realm: string, id: string): Promise<Params | null>;
  /** Returns the applications of a session with front-channel logout. Must be called before the session ends. */
  frames(realm: string, sessionId: string): Promise<readonly LogoutFrame[]>;
}

/** A logout that takes the browser to the applications, one after the other. */
export interface SingleLogout {
  /**
   * Begins the logout in the transaction that ended the session. Returns the path at which it goes on, or null if no application has to be
   * notified there.
   */
  begin(ctx: Ctx, ended: EndedSession, logout: PendingLogout): Promise<string | null>;
  /** Returns the address of an unfinished logout of one of these browsers. An application may not have returned the browser. */
  resume(realm: string, browsers: readonly string[]): Promise<string | null>;
  /** Tells whether every application of these logouts has confirmed. Waits a moment for applications with a back channel. */
  isComplete(realm: string, logoutIds: readonly string[]): Promise<boolean>;
}

export interface PendingLogout {
  readonly logoutId: string;
  /** The pre-session of the browser that goes on with the logout. Null if there is no browser. */
  readonly browser: string | null;
  /** The address at the end. */
  readonly next: string;
  /** The applications that its last page notifies. */
  readonly frames: readonly LogoutFrame[];
}

export interface LogoutParts extends UpstreamLogoutParts {
  readonly work: UnitOfWork;
  readonly visitors: Visitors;
  readonly logoutRequests: LogoutRequests;
  readonly singleLogout: SingleLogout;
}

export const logoutRoutes: FastifyPluginAsyncTypebox<LogoutParts> = async (app, parts) => {
  const { visitors, logoutRequests, singleLogout } = parts;

  /**
   * Ends the session. Returns how to go on: to applications that have to be notified in the browser, and then to `next`; null if there is
   * nothing to go on to. It returns a function, because a reply that an async function returns is awaited and lost.
   */
  const signOut = async (request: FastifyRequest, reply: FastifyReply, { redirectTo, askedBy }: LogoutRequest) => {
    const { visitor } = request;
    const { realm, session, preSession } = visitor;
    if (!session) return null;
    const last = redirectTo ?? signedOutPath(realm.realmId);
    const frames = await logoutRequests.frames(realm.realmId, session.sessionId);
    const upstream = await prepareUpstreamLogout(parts, realm.realmId, session.sessionId);
    const { path, next } = await signOutHere(parts, { request, reply }, { visitor, session, askedBy }, async (ctx, end) => {
      const ended = await end();
      if (!ended) return { path: null, next: last };
      const browser = preSession;
      // Applications are notified first, because the provider may not send the browser back.
      const next = upstream === null ? last : await recordUpstreamLogout(ctx, parts.vault, upstream, { browser, next: last });
      return { path: await singleLogout.begin(ctx, ended, { logoutId: newId(), browser, next, frames }), next };
    });
    if (path !== null) return () => seeOther(reply, path);
    if (frames.length > 0) return () => showSigningOut(visitors, { request, reply }, visitor, { frames, next });
    return next === last ? null : () => seeOther(reply, next);
  };

  route(app, "GET", "/logout", {
    summary: "Show the logout page",
    description:
      "OpenID Connect RP-Initiated Logout. Asks for confirmation unless `id_token_hint` belongs to the session. `post_logout_redirect_uri` must be registered for the client.",
    querystring: LogoutQuery,
    response: { 200: page("The page that asks for confirmation"), 303: redirect("Signed out. Redirects to the client") },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { realm, session } = visitor;
      const { lang: _lang, posted, ...query } = request.query;
      const asked = posted === undefined ? query : await logoutRequests.take(realm.realmId, posted);
      if (!asked) throw interactionErrors.gone();
      const wanted = await logoutRequests.read(realm.realmId, asked, session);
      if (session && !wanted.isCertain) {
        // A page with a question has an address from which it can be loaded again, in another language too.
        if (posted !== undefined) return seeOther(reply, `/realms/${realm.realmId}/logout?${new URLSearchParams(wanted.fields)}`);
        const html = renderLogout({
          ...visitors.formOf(request, reply, `/realms/${realm.realmId}/logout`, query),
          state: "confirm",
          action: `/realms/${realm.realmId}/logout`,
          hidden: wanted.fields,
          signedInAs: session.username,
          cancelUrl: wanted.home ?? homePath(realm.realmId),
        });
        return sendPage(reply, 200, html, { callbacks: wanted.redirectTo === null ? [] : [wanted.redirectTo] });
      }
      const unfinished = session ? null : await singleLogout.resume(realm.realmId, visitor.preSessions);
      if (unfinished !== null) return seeOther(reply, unfinished);
      const goOn = await signOut(request, reply, wanted);
      if (goOn !== null) return goOn();
      if (wanted.redirectTo !== null) return seeOther(reply, wanted.redirectTo);
      const frame = visitors.frameAt(request, reply, { ...visitor, session: null }, `/realms/${realm.realmId}/logout`);
      const html = renderLogout({ ...frame, state: "done", signInUrl: loginPath(realm.realmId) });
      return sendPage(reply, 200, html);
    },
  });

  route(app, "POST", "/logout", {
    config: { csrf: "form", csrfUnless: (request) => request.visitor.session === null || isOfClient(request.body) },
    // A request without parameters is answered with the page.
    attachValidation: true,
    summary: "Sign out",
    description: "The form of the logout page, with `_csrf`. The form of a client, without it, is answered with the page.",
    body: LogoutForm,
    response: {
      200: page("Signed out. The page notifies applications by frames (Front-Channel Logout) and then continues"),
      303: redirect("Signed out"),
      403: page("The CSRF token is missing or stale"),
    },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { realm, session } = visitor;
      const { _csrf, ...asked } = (request.validationError ? {} : (request.body ?? {})) as Params;
      const path = `/realms/${realm.realmId}/logout`;
      if (!request.validationError && isOfClient(request.body))
        return seeOther(reply, `${path}?posted=${await logoutRequests.keep(realm.realmId, asked, request.ip)}`);
      // No session is visible. If the browser sends its cookies with the GET, the signed-in user is asked.
      if (!session && Object.keys(asked).length === 0) return seeOther(reply, path);
      if (request.validationError) throw request.validationError;
      const wanted = await logoutRequests.read(realm.realmId, asked, session);
      const goOn = await signOut(request, reply, wanted);
      return goOn?.() ?? seeOther(reply, wanted.redirectTo ?? signedOutPath(realm.realmId));
    },
  });
};

/** Tells whether the form is a client's, which asks for the page (OpenID Connect RP-Initiated Logout §2). Our own form has `_csrf`. */
function isOfClient(body: unknown): boolean {
  const { _csrf, ...asked } = (body ?? {}) as Params;
  return _csrf === undefined && Object.keys(asked).length > 0;
}
