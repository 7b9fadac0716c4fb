import type { FastifyReply, FastifyRequest } from "fastify";
import { clock, DAY, SECOND } from "../../kernel/clock.ts";
import { randomToken } from "../../kernel/vault.ts";
import { CSRF_COOKIE } from "./csrf.ts";
import type { LiveSession } from "./store.ts";

// Realm names have no underscore, so these names cannot be the session cookie of a realm.
const LANGUAGE_COOKIE = "gh__lang";
const THEME_COOKIE = "gh__theme";
const A_YEAR = (365 * DAY) / SECOND;
const deviceName = (realm: string) => `gh__device_${realm}`;
/** The cookie with the alias of the identity provider that was used last, and nothing else. */
const providerCookie = (realm: string) => `gh__idp_${realm}`;
/** The cookie with the provider that a typed name has just led to. */
const ledCookie = (realm: string) => `gh__led_${realm}`;
/** A browser that returns within this time is asked before it is led on. */
const LED_SECONDS = 120;
const ALIAS = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const asideCookie = (realm: string) => `gh__own_${realm}`;

/** RFC 6265bis §4.1.3.2: the browser accepts such a cookie only from this host, so a sibling host cannot set it. */
const HOST_ONLY = "__Host-";
const sessionName = (realm: string) => `gh_${realm}`;
const preSessionName = (realm: string) => `gh__pre_${realm}`;
const earlierName = (realm: string) => `gh__earlier_${realm}`;
/** The previous release had one pre-session for all realms. It is read for one release. */
const FORMER_PRE_SESSION = "gh__pre";
/** The lifetime of an interaction, in seconds. */
const EARLIER_SECONDS = 30 * 60;
/** Sign-ins in other tabs can be finished after this many newer ones. */
const MAX_EARLIER = 8;
const PRE_SESSION_ID = /^[A-Za-z0-9_-]{43}$/;

/**
 * Marks session tokens of this release: over https they are accepted only in the `__Host-` cookie. The bare name, which a sibling host can
 * set, is accepted only for sessions of the previous release.
 */
const MARK = "s.";
export const newSessionToken = (): string => MARK + randomToken();

type Setter = Pick<FastifyReply, "setCookie">;
type Reader = Pick<FastifyRequest, "cookies" | "headers">;

/** Creates the functions for the cookies of sign-ins. `secure`: the base URL is https. Browsers refuse Secure cookies over http. */
export function createCookies(secure: boolean) {
  const hidden = { httpOnly: true, sameSite: "lax", path: "/", secure } as const;
  const prefix = secure ? HOST_ONLY : "";
  const idIn = (value: string | undefined) => (value !== undefined && PRE_SESSION_ID.test(value) ? value : undefined);
  const aliasIn = (value: string | undefined) => (value !== undefined && ALIAS.test(value) ? value : undefined);
  const ownPreSession = ({ cookies }: Reader, realm: string) => idIn(cookies[prefix + preSessionName(realm)]);
  // A sibling host could set this one, so it is accepted only for same-origin requests, and not stored again.
  const formerPreSession = ({ cookies, headers }: Reader) =>
    !secure || headers["sec-fetch-site"] === "same-origin" ? idIn(cookies[FORMER_PRE_SESSION]) : undefined;
  const earlierIds = ({ cookies }: Reader, realm: string) =>
    (cookies[prefix + earlierName(realm)] ?? "").split(".", MAX_EARLIER).filter((id) => PRE_SESSION_ID.test(id));
  const formerToken = ({ cookies }: Reader, realm: string) => {
    const token = secure ? cookies[sessionName(realm)] : undefined;
    return token?.startsWith(MARK) ? undefined : token;
  };
  const inRealm = (realm: string) => ({ ...hidden, path: `/realms/${realm}` });
  const sessionToken = (request: Reader, realm: string) => request.cookies[prefix + sessionName(realm)] ?? formerToken(request, realm);
  const setSession = (reply: Setter, realm: string, token: string, maxAge: number | null) =>
    void reply.setCookie(prefix + sessionName(realm), token, { ...hidden, ...(maxAge !== null && { maxAge }) });

  return {
    sessionToken,
    setSession,
    clearSession(reply: FastifyReply, realm: string): void {
      reply.clearCookie(prefix + sessionName(realm), hidden);
      if (secure) reply.clearCookie(sessionName(realm), hidden);
    },
    /** Moves a live session from its former cookie name to the current one. */
    moveSession(request: Reader, reply: FastifyReply, { realm, remembered, absoluteExpiry }: LiveSession): void {
      if (!secure || request.cookies[prefix + sessionName(realm)] !== undefined) return;
      const maxAge = remembered ? Math.ceil((absoluteExpiry - clock.now()) / SECOND) : null;
      setSession(reply, realm, sessionToken(request, realm)!, maxAge);
      reply.clearCookie(sessionName(realm), hidden);
    },
    /** Returns the realms for which the browser has a session cookie. */
    realms(request: Reader): string[] {
      const names = Object.keys(request.cookies).map((name) => (name.startsWith(HOST_ONLY) ? name.slice(HOST_ONLY.length) : name));
      return [...new Set(names.flatMap((name) => /^gh_([^_].*)$/.exec(name)?.[1] ?? []))];
    },
    /** Returns the administrator's own session cookie, kept while they impersonate a user of the same realm. */
    ownToken: (request: Reader, realm: string) => request.cookies[asideCookie(realm)],
    putAside: (reply: Setter, realm: string, token: string) => void reply.setCookie(asideCookie(realm), token, inRealm(realm)),
    clearAside: (reply: FastifyReply, realm: string) => void reply.clearCookie(asideCookie(realm), inRealm(realm)),
    csrf: (request: Reader) => request.cookies[CSRF_COOKIE],
    // The cookie is not httpOnly, because scripts of our pages read it. Those of other origins cannot.
    setCsrf: (reply: Setter, token: string) => void reply.setCookie(CSRF_COOKIE, token, { sameSite: "lax", path: "/", secure }),
    /** Returns the browser's pre-session id in the realm, and creates it if missing. Before a sign-in, CSRF tokens are bound to it. */
    preSession(request: Reader, reply: Setter, realm: string): string {
      const known = ownPreSession(request, realm) ?? formerPreSession(request);
      if (known !== undefined) return known;
      const made = randomToken();
      reply.setCookie(prefix + preSessionName(realm), made, hidden);
      return made;
    },
    /** Returns the pre-session ids to which sign-ins in progress may be bound: the current one, and those before the last sign-ins. */
    preSessions(request: Reader, current: string, realm: string): readonly string[] {
      const former = formerPreSession(request);
      return [...new Set([current, ...earlierIds(request, realm), ...(former === undefined ? [] : [former])])];
    },
    /** Renews the pre-session at a sign-in. Sign-ins in other tabs can be finished under the earlier ids. */
    renewPreSession(request: Reader, reply: Setter, realm: string): void {
      const known = ownPreSession(request, realm);
      const earlier = [...(known === undefined ? [] : [known]), ...earlierIds(request, realm)].slice(0, MAX_EARLIER);
      if (earlier.length > 0) reply.setCookie(prefix + earlierName(realm), earlier.join("."), { ...hidden, maxAge: EARLIER_SECONDS });
      reply.setCookie(prefix + preSessionName(realm), randomToken(), hidden);
    },
    /**
     * Returns the token that identifies a browser with which users have signed in before. The name without prefix is that of the previous
     * release, and is read for one release.
     */
    device: (request: Reader, realm: string) => request.cookies[prefix + deviceName(realm)] ?? request.cookies[deviceName(realm)],
    setDevice(reply: FastifyReply, realm: string, token: string): void {
      if (secure) reply.clearCookie(deviceName(realm), inRealm(realm));
      reply.setCookie(prefix + deviceName(realm), token, { ...(secure ? hidden : inRealm(realm)), maxAge: A_YEAR });
    },
    /** Returns the alias of the identity provider that this browser signed in at last. */
    lastProvider: (request: Reader, realm: string) => aliasIn(request.cookies[providerCookie(realm)]),
    setLastProvider(reply: FastifyReply, realm: string, alias: string): void {
      reply.setCookie(providerCookie(realm), alias, { ...inRealm(realm), maxAge: A_YEAR });
      reply.clearCookie(ledCookie(realm), inRealm(realm));
    },
    /** Returns the alias of the provider that a typed name led to a moment ago. */
    ledTo: (request: Reader, realm: string) => aliasIn(request.cookies[ledCookie(realm)]),
    setLedTo: (reply: Setter, realm: string, alias: string) =>
      void reply.setCookie(ledCookie(realm), alias, { ...inRealm(realm), maxAge: LED_SECONDS }),
    /** Returns the language that the visitor chose on one of our pages. */
    language: (request: Reader) => request.cookies[LANGUAGE_COOKIE],
    /** Returns the colour scheme that the visitor chose. */
    theme: (request: Reader) => request.cookies[THEME_COOKIE],
    /** Sets the colour scheme. Null means that of the browser. */
    setTheme(reply: FastifyReply, theme: string | null): void {
      if (theme === null) reply.clearCookie(THEME_COOKIE, hidden);
      else reply.setCookie(THEME_COOKIE, theme, { ...hidden, maxAge: A_YEAR });
    },
    setLanguage: (reply: Setter, language: string) => void reply.setCookie(LANGUAGE_COOKIE, language, { ...hidden, maxAge: A_YEAR }),
  };
}

export type Cookies = ReturnType<typeof createCookies>;
