import type { FastifyReply, FastifyRequest } from "fastify";
import { clock } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import type { Db } from "../../platform/db/index.ts";
import { asAppError, logFailure } from "../../platform/http/index.ts";
import { type RealmSnapshot, type RealmSnapshots, unknownRealm } from "../../tenancy/realms/index.ts";
import type { Interaction } from "../interactions/index.ts";
import {
  type LoginError,
  type LoginView,
  languageLinks,
  messageKindOf,
  type PageFrame,
  pickLocale,
  renderLogin,
  renderMessage,
  type ShownApplication,
  sendPage,
} from "../pages/index.ts";
import { type Cookies, type Csrf, type LiveSession, resolveSession } from "../sessions/index.ts";

export interface VisitorParts {
  readonly db: Db;
  readonly realms: RealmSnapshots;
  readonly csrf: Csrf;
  readonly cookies: Cookies;
}

/** What a request to a page of the realm knows of its visitor. */
export interface Visitor {
  readonly realm: RealmSnapshot;
  readonly session: LiveSession | null;
  readonly preSession: string;
  /** What CSRF tokens of this visitor are bound to. */
  readonly binding: string;
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

  const visitorOf = async (request: FastifyRequest, reply: FastifyReply): Promise<Visitor> => {
    const realm = await realmOf(request);
    if (!realm) throw unknownRealm();
    const session = await sessionOf(realm, cookies.sessionToken(request, realm.realmId));
    const preSession = cookies.preSession(request, reply);
    return { realm, session, preSession, binding: session?.sessionId ?? preSession };
  };

  /** The token to put into a page: the visitor's own if it fits, else a new one. */
  const tokenFor = (request: FastifyRequest, reply: FastifyReply, { binding }: Visitor): string => {
    const known = cookies.csrf(request);
    if (csrf.fits(known, binding)) return known!;
    const made = csrf.issue(binding);
    cookies.setCsrf(reply, made);
    return made;
  };

  /** Our forms bring the token back in a field. */
  const hasToken = (request: FastifyRequest, { binding }: Visitor): boolean => {
    const { _csrf } = (request.body ?? {}) as { _csrf?: unknown };
    return csrf.accepts(cookies.csrf(request), typeof _csrf === "string" ? _csrf : undefined, binding);
  };

  const localeOf = (request: FastifyRequest, realm: RealmSnapshot | null) =>
    pickLocale({
      query: (request.query as AskedFor).lang,
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

  const showLogin = (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    status: number,
    {
      interaction,
      ...more
    }: Partial<LoginView> & { error?: LoginError; retryAfterSeconds?: number; interaction?: Interaction | null } = {},
  ) => {
    const { realm } = visitor;
    const path = `/realms/${realm.realmId}/login`;
    const asked = { ...(request.query as AskedFor), ...((request.body ?? {}) as AskedFor) };
    const kept = Object.fromEntries(
      (["return_to", "interaction"] as const).flatMap((name) => (typeof asked[name] === "string" ? [[name, asked[name]]] : [])),
    );
    const application = interaction?.request.application as ShownApplication | undefined;
    const html = renderLogin({
      ...frameOf(request, reply, visitor),
      csrf: tokenFor(request, reply, visitor),
      action: path,
      rememberMe: false,
      // What was typed comes after it.
      ...(application && { application }),
      ...(typeof interaction?.request.loginHint === "string" && { username: cut(interaction.request.loginHint, 320) }),
      hidden: kept,
      languages: languageLinks((language) => `${path}?${new URLSearchParams({ ...kept, lang: language })}`),
      ...more,
    });
    const leadsTo = interaction?.request.formActionOrigins;
    return sendPage(reply, status, html, {
      logoUrl: realm.settings.logoUrl,
      ...(application?.logoUrl && { applicationLogoUrl: application.logoUrl }),
      ...(Array.isArray(leadsTo) && { formActionOrigins: leadsTo.map(String) }),
      ...(more.retryAfterSeconds !== undefined && { retryAfterSeconds: more.retryAfterSeconds }),
    });
  };

  /** Whatever goes wrong on a page is told by a page. */
  const showFailure = async (cause: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const error = asAppError(cause);
    logFailure(request, error);
    // Without the database there is no branding either; the page must still say what happened.
    const realm = await realmOf(request).catch(() => null);
    const visitor = realm && (await visitorOf(request, reply).catch(() => null));
    const retry = error.headers?.["retry-after"];
    const retryAfterSeconds = retry === undefined ? {} : { retryAfterSeconds: Number(retry) };
    const html = renderMessage({
      ...(visitor ? frameOf(request, reply, visitor) : { branding: realm?.settings ?? null, locale: localeOf(request, realm) }),
      kind: !realm && error.status === 404 ? "unknown-realm" : messageKindOf(error.status),
      requestId: request.id,
      ...retryAfterSeconds,
    });
    return sendPage(reply.headers(error.headers ?? {}), error.status, html, {
      logoUrl: realm?.settings.logoUrl ?? null,
      ...retryAfterSeconds,
    });
  };

  return { sessionOf, visitorOf, tokenFor, hasToken, localeOf, frameOf, showLogin, showFailure };
}

export type Visitors = ReturnType<typeof createVisitors>;
