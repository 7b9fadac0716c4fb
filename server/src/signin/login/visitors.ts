import type { FastifyReply, FastifyRequest } from "fastify";
import { clock } from "../../kernel/clock.ts";
import {
  assetHref,
  type LoginView,
  languageLinks,
  type MessageKind,
  type MessageView,
  messageKindOf,
  nonceOf,
  type PageFrame,
  pickLocale,
  renderLogin,
  renderMessage,
  sendPage,
  THEMES,
} from "../../pages/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { asAppError, logFailure, logShownError, notFound } from "../../platform/http/index.ts";
import type { RateLimiter } from "../../platform/rate-limit/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { Mailbox } from "../../tenancy/messaging/index.ts";
import { type RealmSnapshot, type RealmSnapshots, unknownRealm } from "../../tenancy/realms/index.ts";
import { type Cookies, type Csrf, resolveSession, type StartedSession, stepUpPath } from "../sessions/index.ts";
import { accountPath, loginPath, type SignInStart, seeOther, toSignIn } from "./begin.ts";
import { leaveByPage } from "./leave.ts";
import { isLocal } from "./local.ts";
import { type MessageCopies, messagePath, type ShownMessage } from "./message-copies.ts";
import { KINDS, onwards } from "./refusal-pages.ts";
import type { Visitor } from "./visitor.ts";

export type { Exchange, Visitor } from "./visitor.ts";

interface VisitorParts {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly csrf: Csrf;
  readonly cookies: Cookies;
  readonly mailbox: Mailbox | null;
  readonly copies: MessageCopies;
  readonly work: UnitOfWork;
  readonly limiter: RateLimiter;
}

interface AskedFor {
  readonly return_to?: string;
  readonly interaction?: string;
  readonly lang?: string;
}

/** Creates what the pages of signing in and out share: the visitor, the language, and the page with its CSRF token. */
export function createVisitors({ db, realms, csrf, cookies, mailbox, copies, ...begin }: VisitorParts) {
  /** Finds the realm of the path. A request for an unknown address has no parameters. */
  const realmOf = async (request: FastifyRequest) => {
    const name = (request.params as { realm?: string } | undefined)?.realm ?? /^\/realms\/([^/?]+)/.exec(request.url)?.[1];
    return name === undefined ? null : ((await realms.get(name)) ?? null);
  };

  const sessionOf = (realm: RealmSnapshot, token: string | undefined) =>
    resolveSession(db, realm.realmId, token, realm.settings.sessions, clock.now());

  /** Finds this browser's session of a realm, which need not be the realm of the path. */
  const sessionIn = (request: FastifyRequest, realm: RealmSnapshot) => sessionOf(realm, cookies.sessionToken(request, realm.realmId));

  /** Finds the session that an administrator has put aside to impersonate a user. */
  const sessionAside = (request: FastifyRequest, realm: RealmSnapshot) => sessionOf(realm, cookies.ownToken(request, realm.realmId));

  const visitorOf = async (request: FastifyRequest, reply: FastifyReply, known?: RealmSnapshot): Promise<Visitor> => {
    if (request.visitor) return request.visitor;
    const realm = known ?? (await realmOf(request));
    if (!realm) throw unknownRealm();
    const session = await sessionIn(request, realm);
    if (textOf((request.query as AskedFor).lang) !== undefined) cookies.setLanguage(reply, localeOf(request, realm));
    if (session) cookies.moveSession(request, reply, session);
    const preSession = cookies.preSession(request, reply, realm.realmId);
    const preSessions = cookies.preSessions(request, preSession, realm.realmId);
    const deviceToken = cookies.device(request, realm.realmId) ?? null;
    const lastProvider = cookies.lastProvider(request, realm.realmId) ?? null;
    const ledTo = cookies.ledTo(request, realm.realmId) ?? null;
    const language = cookies.language(request);
    const binding = session?.sessionId ?? preSession;
    return { realm, session, preSession, preSessions, binding, deviceToken, lastProvider, ledTo, language };
  };

  /** Returns the CSRF token for a page: the visitor's own if it fits, otherwise a new one. */
  const tokenFor = (request: FastifyRequest, reply: FastifyReply, { binding }: Pick<Visitor, "binding">): string => {
    const known = cookies.csrf(request);
    if (csrf.fits(known, binding)) return known!;
    const made = csrf.issue(binding);
    cookies.setCsrf(reply, made);
    return made;
  };

  /** Begins a session in this browser: sets its cookie, a CSRF token that fits it, and a new pre-session. */
  const enter = (request: FastifyRequest, reply: FastifyReply, { realm: { realmId } }: Visitor, session: StartedSession): void => {
    cookies.setSession(reply, realmId, session.token, session.maxAge);
    cookies.renewPreSession(request, reply, realmId);
    cookies.setCsrf(reply, csrf.issue(session.sessionId));
  };

  /** Removes the cookie of the session that ended. `back` is the session that continues in its place. */
  const leave = (reply: FastifyReply, { realm: { realmId }, preSession }: Visitor, back: StartedSession | null = null): void => {
    cookies.clearAside(reply, realmId);
    if (back) cookies.setSession(reply, realmId, back.token, back.maxAge);
    else cookies.clearSession(reply, realmId);
    cookies.setCsrf(reply, csrf.issue(back?.sessionId ?? preSession));
  };

  /** Puts the session of an administrator aside until they stop impersonating a user. */
  const putAside = (request: FastifyRequest, reply: FastifyReply, realm: string): void => {
    const own = cookies.sessionToken(request, realm);
    if (own !== undefined) cookies.putAside(reply, realm, own);
  };

  const localeOf = (request: FastifyRequest, realm: RealmSnapshot | null) =>
    pickLocale({
      query: textOf((request.query as { lang?: unknown }).lang),
      cookie: cookies.language(request),
      acceptLanguage: request.headers["accept-language"],
      realmDefault: realm?.settings.defaultLocale ?? "en",
    });

  const themeOf = (request: FastifyRequest) => THEMES.find((theme) => theme === cookies.theme(request));

  /** Returns the page that replaces a redirect to another site, if one is needed. */
  const leavingBy = (request: FastifyRequest, reply: FastifyReply) =>
    leaveByPage(request, reply, () => ({
      ...{ branding: request.realm.settings, locale: localeOf(request, request.realm), theme: themeOf(request) },
    }));

  /** Returns the frame of every page of the realm. It shows when an administrator impersonates the user. */
  const frameOf = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
    const { realm, session } = visitor;
    const frame = {
      ...{ branding: realm.settings, locale: localeOf(request, realm), theme: themeOf(request) },
      scripts: [{ src: assetHref("forms.js"), nonce: nonceOf(request) }],
      mailbox: mailbox?.isUsed(realm.realmId) && isLocal(request) ? `/realms/${realm.realmId}/mailbox` : undefined,
    } satisfies PageFrame;
    if (session === null || session.impersonator === null) return frame;
    const action = `/realms/${realm.realmId}/impersonation/end`;
    return { ...frame, impersonation: { account: session.username, csrf: tokenFor(request, reply, visitor), action } };
  };

  /** Returns the frame of a page with its own address, with links to its languages. `kept` holds further parameters of that address. */
  const frameAt = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, path: string, kept: Record<string, string> = {}) => {
    const languages = languageLinks((lang) => `${path}?${new URLSearchParams({ ...kept, lang })}`);
    return { ...frameOf(request, reply, visitor), languages };
  };

  /** Returns the frame of a page that can be loaded again from its address. */
  const frameHere = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
    const [path = "", query = ""] = request.url.split("?", 2);
    const { lang: _, ...kept } = Object.fromEntries(new URLSearchParams(query));
    return frameAt(request, reply, visitor, path, kept);
  };

  /** Returns the frame of a message that may not be requested again, such as the answer to a form. Its signed copy has other languages. */
  const frameOfMessage = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, message: ShownMessage): PageFrame => {
    const shown = copies.sign(message, visitor.preSession);
    return shown === null
      ? frameOf(request, reply, visitor)
      : frameAt(request, reply, visitor, messagePath(visitor.realm.realmId), { shown });
  };

  /** Returns the properties of every page with a form. With a `path`, the page offers the other languages at that address. */
  const formOf = (request: FastifyRequest, reply: FastifyReply, path?: string, kept?: Record<string, string>) => {
    const { visitor } = request;
    const frame = path === undefined ? frameOf(request, reply, visitor) : frameAt(request, reply, visitor, path, kept);
    return { ...frame, csrf: tokenFor(request, reply, visitor) };
  };

  /** Shows the page for a user who is signed in already. */
  const showSignedIn = (
    request: FastifyRequest,
    reply: FastifyReply,
    view: Pick<LoginView, "signedInAs" | "continueUrl" | "logoutAction">,
  ) =>
    sendPage(reply, 200, renderLogin({ ...formOf(request, reply, loginPath(request.visitor.realm.realmId), carried(request)), ...view }));

  /** Shows a page that says what happened, and where to go on. */
  const showMessage = (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    kind: MessageKind,
    more: Omit<MessageView, keyof PageFrame | "kind"> = {},
  ) => {
    const { visitor } = request;
    const view = { kind, ...more };
    const frame = request.method === "GET" ? frameHere(request, reply, visitor) : frameOfMessage(request, reply, visitor, { status, view });
    return sendPage(reply, status, renderMessage({ ...frame, ...view }));
  };

  /** Shows the signed copy of a message, in the browser that saw it. */
  const showCopy = (request: FastifyRequest, reply: FastifyReply, shown: string) => {
    const copy = copies.read(shown, request.visitor.preSessions);
    if (copy === null) throw notFound();
    return showMessage(request, reply, copy.status, copy.view.kind, copy.view);
  };

  /** Shows a message with a link to the sign-in page. */
  const showMessageBeforeSignIn = (request: FastifyRequest, reply: FastifyReply, status: number, kind: MessageKind) =>
    showMessage(request, reply, status, kind, { back: { href: loginPath(request.visitor.realm.realmId), label: "signIn" } });

  /** Refuses a form whose CSRF token is missing or belongs to another session. Nothing was done. */
  const showStale = (request: FastifyRequest, reply: FastifyReply) => {
    tokenFor(request, reply, request.visitor);
    // From a form of the account, the user goes back to the account.
    const own = accountPath(request.visitor.realm.realmId);
    const href = request.url.startsWith(own) ? own : loginPath(request.visitor.realm.realmId);
    const back = { href, label: "continue" } as const;
    return showMessage(request, reply, 403, "stale", { back, requestId: request.id });
  };

  /** Returns the parameters that the pages of a sign-in pass on. */
  const carried = (request: FastifyRequest): Record<string, string> => {
    const asked = { ...(request.query as AskedFor), ...((request.body ?? {}) as AskedFor) };
    return Object.fromEntries(
      (["return_to", "interaction"] as const).flatMap((name) => (typeof asked[name] === "string" ? [[name, asked[name]]] : [])),
    );
  };

  /** Shows the error page for every failure of a route whose errors are pages. */
  const showFailure = async (cause: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const error = asAppError(cause);
    logFailure(request, error);
    if (error.code.endsWith(".csrf") && request.visitor) return showStale(request, reply);
    // A page that needs more proof leads to the sign-in at once, which leads back to the page.
    if (error.stepUpUrl !== undefined && request.realm) {
      const query = new URLSearchParams({ return_to: request.url });
      return seeOther(reply, `${stepUpPath(request.realmId)}?${query}`);
    }
    // Without the database there is no branding either. The page must still say what happened.
    const realm = await realmOf(request).catch(() => null);
    const visitor = realm && (await visitorOf(request, reply).catch(() => null));
    const retry = error.headers?.["retry-after"];
    const retryAfterSeconds = retry === undefined ? {} : { retryAfterSeconds: Number(retry) };
    // An application asked for it, so its developers are told why.
    const isOfClient = error.code.startsWith("oidc.logout_");
    if (error.status < 500 && error.code !== "request.not_found") logShownError(request, { error: error.code, reason: error.message });
    const view: ShownMessage["view"] = {
      kind: !realm && error.status === 404 ? "unknown-realm" : (KINDS[error.code] ?? messageKindOf(error.status)),
      ...(isOfClient && { kind: "oidc-error", details: { error: "invalid_request", description: error.message } }),
      ...(realm && onwards(error, realm.realmId)),
      // An expired sign-in is no fault of the server, so there is nothing to look up.
      ...(!(realm && error.code === "interactions.gone") && { requestId: request.id }),
      ...retryAfterSeconds,
    };
    // An address without a page can be requested again. Any other request would be sent once more.
    const framed = error.code === "request.not_found" ? frameHere : frameOfMessage;
    const frame = visitor
      ? framed(request, reply, visitor, { status: error.status, view })
      : { branding: realm?.settings ?? null, locale: localeOf(request, realm), theme: themeOf(request) };
    return sendPage(reply.headers(error.headers ?? {}), error.status, renderMessage({ ...frame, ...view }), {
      logoUrl: realm?.settings.logoUrl ?? null,
      ...retryAfterSeconds,
    });
  };

  return {
    sessionIn,
    sessionAside,
    tokenAside: cookies.ownToken,
    visitorOf,
    toSignIn: (request: FastifyRequest, reply: FastifyReply, input: SignInStart) => toSignIn(begin, request, reply, input),
    tokenFor,
    enter,
    leave,
    putAside,
    /** Remembers the browser for the user who signed in with it. */
    rememberDevice: cookies.setDevice,
    rememberProvider: cookies.setLastProvider,
    rememberLed: cookies.setLedTo,
    localeOf,
    leaveByPage: leavingBy,
    frameOf,
    frameAt,
    formOf,
    carried,
    showSignedIn,
    showMessage,
    showCopy,
    showMessageBeforeSignIn,
    showFailure,
  };
}

/** Returns undefined for a repeated parameter, so that it counts as omitted: the error page calls this too. */
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export type Visitors = ReturnType<typeof createVisitors>;

export interface PageParts {
  readonly db: Db;
  readonly visitors: Visitors;
}
