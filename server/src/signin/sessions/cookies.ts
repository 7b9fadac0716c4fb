import type { FastifyReply, FastifyRequest } from "fastify";
import { DAY, SECOND } from "../../kernel/clock.ts";
import { randomToken } from "../../kernel/vault.ts";
import { CSRF_COOKIE } from "./csrf.ts";

// No realm's name holds an underscore, so these cannot be some realm's session cookie.
/** Before anybody has signed in, this is what a CSRF token is bound to. */
const PRE_SESSION_COOKIE = "gh__pre";
const LANGUAGE_COOKIE = "gh__lang";
const A_YEAR = (365 * DAY) / SECOND;
const sessionCookie = (realm: string) => `gh_${realm}`;
const deviceCookie = (realm: string) => `gh__device_${realm}`;
const asideCookie = (realm: string) => `gh__own_${realm}`;

export interface Cookies {
  sessionToken(request: FastifyRequest, realm: string): string | undefined;
  setSession(reply: FastifyReply, realm: string, token: string, maxAge: number | null): void;
  clearSession(reply: FastifyReply, realm: string): void;
  /** The administrator's own cookie, put aside in this browser while they play somebody of the same realm. */
  ownToken(request: FastifyRequest, realm: string): string | undefined;
  putAside(reply: FastifyReply, realm: string, token: string): void;
  clearAside(reply: FastifyReply, realm: string): void;
  csrf(request: FastifyRequest): string | undefined;
  setCsrf(reply: FastifyReply, token: string): void;
  /** The browser's pre-session id, made now if it has none. */
  preSession(request: FastifyRequest, reply: Pick<FastifyReply, "setCookie">): string;
  /** By which a browser is known again to a user who has signed in with it before. */
  device(request: FastifyRequest, realm: string): string | undefined;
  setDevice(reply: FastifyReply, realm: string, token: string): void;
  /** The language that the visitor chose on one of our pages. */
  language(request: FastifyRequest): string | undefined;
  setLanguage(reply: FastifyReply, language: string): void;
}

/** `secure` when the base URL is https: a browser would not keep the cookies on plain http. */
export function createCookies(secure: boolean): Cookies {
  const hidden = { httpOnly: true, sameSite: "lax", path: "/", secure } as const;
  return {
    sessionToken: (request, realm) => request.cookies[sessionCookie(realm)],
    setSession: (reply, realm, token, maxAge) =>
      void reply.setCookie(sessionCookie(realm), token, { ...hidden, ...(maxAge !== null && { maxAge }) }),
    clearSession: (reply, realm) => void reply.clearCookie(sessionCookie(realm), hidden),
    ownToken: (request, realm) => request.cookies[asideCookie(realm)],
    putAside: (reply, realm, token) => void reply.setCookie(asideCookie(realm), token, { ...hidden, path: `/realms/${realm}` }),
    clearAside: (reply, realm) => void reply.clearCookie(asideCookie(realm), { ...hidden, path: `/realms/${realm}` }),
    csrf: (request) => request.cookies[CSRF_COOKIE],
    // Scripts of our own pages must read it: that is what makes it a proof that the page is ours.
    setCsrf: (reply, token) => void reply.setCookie(CSRF_COOKIE, token, { sameSite: "lax", path: "/", secure }),
    preSession(request, reply) {
      const known = request.cookies[PRE_SESSION_COOKIE];
      if (known && /^[A-Za-z0-9_-]{43}$/.test(known)) return known;
      const made = randomToken();
      reply.setCookie(PRE_SESSION_COOKIE, made, hidden);
      return made;
    },
    device: (request, realm) => request.cookies[deviceCookie(realm)],
    setDevice: (reply, realm, token) =>
      void reply.setCookie(deviceCookie(realm), token, { ...hidden, path: `/realms/${realm}`, maxAge: A_YEAR }),
    language: (request) => request.cookies[LANGUAGE_COOKIE],
    setLanguage: (reply, language) => void reply.setCookie(LANGUAGE_COOKIE, language, { ...hidden, maxAge: A_YEAR }),
  };
}
