import type { FastifyReply, FastifyRequest } from "fastify";
import { clock } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import { asAppError, logFailure } from "../../platform/http/index.ts";
import { type RealmSnapshot, type RealmSnapshots, unknownRealm } from "../../tenancy/realms/index.ts";
import {
  type Locale,
  type LoginView,
  languageLinks,
  messageKindOf,
  messagesOf,
  type PageFrame,
  pickLocale,
  renderLogin,
  renderMessage,
  sendPage,
} from "../pages/index.ts";
import { type Cookies, type Csrf, type LiveSession, resolveSession, type StartedSession } from "../sessions/index.ts";

interface VisitorParts {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly csrf: Csrf;
  readonly cookies: Cookies;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The realm of the path, once the gate has let the request in. */
    realm: RealmSnapshot;
    /** Of routes that declare `browser()`, `link()` or `session()` on a page. */
    visitor: Visitor;
  }
}

/** What a request to a page of the realm knows of its visitor. */
export interface Visitor {
  readonly realm: RealmSnapshot;
  readonly session: LiveSession | null;
  readonly preSession: string;
  /** What a sign-in in progress in this browser may be bound to: `preSession`, and those before the last sign-ins. */
  readonly preSessions: readonly string[];
  /** What CSRF tokens of this visitor are bound to. */
  readonly binding: string;
  /** By which the browser is known again to users who have signed in with it. */
  readonly deviceToken: string | null;
  /** The identity provider that this browser signed in at last, and the one that a typed name led it to a moment ago. */
  readonly lastProvider: string | null;
  readonly ledTo: string | null;
  /** The language that was chosen on one of our pages. */
  readonly language: string | undefined;
}

interface AskedFor {
  readonly return_to?: string;
  readonly interaction?: string;
  readonly lang?: string;
}

/** What the pages of signing in and out share: who is looking, in which language, and the page with its CSRF token. */
export function createVisitors({ db, realms, csrf, cookies }: VisitorParts) {
  const realmOf = (request: FastifyRequest) => realms.get((request.params as { realm: string }).realm);

  const sessionOf = (realm: RealmSnapshot, token: string | undefined) =>
    resolveSession(db, realm.realmId, token, realm.settings.sessions, clock.now());

  /** This browser's session of a realm, which need not be the path's. */
  const sessionIn = (request: FastifyRequest, realm: RealmSnapshot) => sessionOf(realm, cookies.sessionToken(request, realm.realmId));

  /** The session that an administrator has put aside to act as a user. */
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

  /** The token to put into a page: the visitor's own if it fits, else a new one. */
  const tokenFor = (request: FastifyRequest, reply: FastifyReply, { binding }: Pick<Visitor, "binding">): string => {
    const known = cookies.csrf(request);
    if (csrf.fits(known, binding)) return known!;
    const made = csrf.issue(binding);
    cookies.setCsrf(reply, made);
    return made;
  };

  /** A session begins in this browser: its cookie, a CSRF token that fits it, and a new pre-session. */
  const enter = (request: FastifyRequest, reply: FastifyReply, { realm: { realmId } }: Visitor, session: StartedSession): void => {
    cookies.setSession(reply, realmId, session.token, session.maxAge);
    cookies.renewPreSession(request, reply, realmId);
    cookies.setCsrf(reply, csrf.issue(session.sessionId));
  };

  /** The session of this browser is over; `back` is the one that goes on in its place. */
  const leave = (reply: FastifyReply, { realm: { realmId }, preSession }: Visitor, back: StartedSession | null = null): void => {
    cookies.clearAside(reply, realmId);
    if (back) cookies.setSession(reply, realmId, back.token, back.maxAge);
    else cookies.clearSession(reply, realmId);
    cookies.setCsrf(reply, csrf.issue(back?.sessionId ?? preSession));
  };

  /** The session of an administrator, for when they have stopped acting as a user. */
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

  /** What every page of the realm has. While an administrator plays the user, that is said on each of them. */
  const frameOf = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
    const { realm, session } = visitor;
    const frame = { branding: realm.settings, locale: localeOf(request, realm) } satisfies PageFrame;
    if (session === null || session.impersonator === null) return frame;
    const action = `/realms/${realm.realmId}/impersonation/end`;
    return { ...frame, impersonation: { account: session.username, csrf: tokenFor(request, reply, visitor), action } };
  };

  /** The same for a page with its own address, where it can be had in every language. `kept`: what that address says besides. */
  const frameAt = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, path: string, kept: Record<string, string> = {}) => {
    const languages = languageLinks((lang) => `${path}?${new URLSearchParams({ ...kept, lang })}`);
    return { ...frameOf(request, reply, visitor), languages };
  };

  /** The page for a user who is signed in already. */
  const showSignedIn = (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    view: Pick<LoginView, "signedInAs" | "continueUrl" | "logoutAction">,
  ) => {
    const { realm } = visitor;
    const path = `/realms/${realm.realmId}/login`;
    const html = renderLogin({
      ...frameOf(request, reply, visitor),
      csrf: tokenFor(request, reply, visitor),
      languages: languageLinks((language) => `${path}?${new URLSearchParams({ ...carried(request), lang: language })}`),
      ...view,
    });
    return sendPage(reply, 200, html, { logoUrl: realm.settings.logoUrl });
  };

  /** A form whose CSRF token is missing or of another session: nothing was done. */
  const showStale = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
    const { realm } = visitor;
    const frame = frameOf(request, reply, visitor);
    const { csrfTitle: title, csrfText: text, continue: label } = messagesOf(frame.locale);
    tokenFor(request, reply, visitor);
    const back = { href: `/realms/${realm.realmId}/login`, label };
    const html = renderMessage({ ...frame, kind: "forbidden", title, text, back, requestId: request.id });
    return sendPage(reply, 403, html, { logoUrl: realm.settings.logoUrl });
  };

  /** What the pages of one sign-in hand on from one to the next. */
  const carried = (request: FastifyRequest): Record<string, string> => {
    const asked = { ...(request.query as AskedFor), ...((request.body ?? {}) as AskedFor) };
    return Object.fromEntries(
      (["return_to", "interaction"] as const).flatMap((name) => (typeof asked[name] === "string" ? [[name, asked[name]]] : [])),
    );
  };

  /** The page for errors: every failure of a route whose errors are pages. */
  const showFailure = async (cause: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const error = asAppError(cause);
    logFailure(request, error);
    if (error.code.endsWith(".csrf") && request.visitor) return showStale(request, reply, request.visitor);
    // Without the database there is no branding either; the page must still say what happened.
    const realm = await realmOf(request).catch(() => null);
    const visitor = realm && (await visitorOf(request, reply).catch(() => null));
    const retry = error.headers?.["retry-after"];
    const retryAfterSeconds = retry === undefined ? {} : { retryAfterSeconds: Number(retry) };
    const frame = visitor ? frameOf(request, reply, visitor) : { branding: realm?.settings ?? null, locale: localeOf(request, realm) };
    const html = renderMessage({
      ...frame,
      kind: !realm && error.status === 404 ? "unknown-realm" : messageKindOf(error.status),
      ...textOfCode(error.code, frame.locale),
      // Nothing is wrong with the server, so there is nothing to look up.
      ...(realm && error.code === "interactions.gone" ? expired(frame.locale, realm) : { requestId: request.id }),
      ...(realm && error.code === "broker_logout.refused" && logoutRefused(frame.locale, realm)),
      ...retryAfterSeconds,
    });
    return sendPage(reply.headers(error.headers ?? {}), error.status, html, {
      logoUrl: realm?.settings.logoUrl ?? null,
      ...retryAfterSeconds,
    });
  };

  return {
    sessionIn,
    sessionAside,
    tokenAside: cookies.ownToken,
    visitorOf,
    tokenFor,
    enter,
    leave,
    putAside,
    /** The browser is known again to the user who signed in with it. */
    rememberDevice: cookies.setDevice,
    rememberProvider: cookies.setLastProvider,
    rememberLed: cookies.setLedTo,
    localeOf,
    frameOf,
    frameAt,
    carried,
    showSignedIn,
    showStale,
    showFailure,
  };
}

/** Refusals that have their own text on a page. */
const TEXTS: Readonly<Record<string, "deviceSameText" | "deviceWeakText" | "deviceNotYouText" | "samlDeniedText" | "samlRefusedText">> = {
  "devices.same_browser": "deviceSameText",
  "devices.weak_session": "deviceWeakText",
  "devices.impersonated": "deviceNotYouText",
  "saml.denied": "samlDeniedText",
  "saml.refused": "samlRefusedText",
};
const textOfCode = (code: string, locale: Locale) => (TEXTS[code] ? { text: messagesOf(locale)[TEXTS[code]] } : {});

/** A repeated parameter counts as omitted: the error page is rendered by it, too. */
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A sign-in that is none any more: one can begin again. */
function expired(locale: Locale, { realmId }: RealmSnapshot) {
  const { expiredTitle: title, expiredText: text, signInAgain: label } = messagesOf(locale);
  return { title, text, back: { href: `/realms/${realmId}/login`, label } };
}

/** A logout of an identity provider that was refused: the user may still be signed in here. */
function logoutRefused(locale: Locale, { realmId }: RealmSnapshot) {
  const { brokerLogoutRefusedTitle: title, brokerLogoutRefusedText: text, signOut: label } = messagesOf(locale);
  return { title, text, back: { href: `/realms/${realmId}/logout`, label } };
}

export type Visitors = ReturnType<typeof createVisitors>;

/** What routes of pages are made of. */
export interface PageParts {
  readonly db: Db;
  readonly visitors: Visitors;
}
