import { createLru } from "../../kernel/lru.ts";
import { hmac, randomToken, safeEqual, type Vault } from "../../kernel/vault.ts";

/** A CSRF token, `random.HMAC(binding, random)`, is valid for one session only. */
export interface Csrf {
  /** Issues a token bound to a session id or, before a sign-in, to the pre-session id. */
  issue(binding: string): string;
  fits(token: string | undefined, binding: string): boolean;
  /** Checks the double submit: the same token is in the cookie and in the request, and it is valid for the binding. */
  accepts(cookie: string | undefined, sent: string | undefined, binding: string): boolean;
}

export const CSRF_COOKIE = "XSRF-TOKEN";
export const CSRF_HEADER = "x-xsrf-token";
const REMEMBERED = 10_000;

export function createCsrf(vault: Vault): Csrf {
  const key = vault.derive("csrf");
  const sign = (binding: string, random: string) => hmac(key, `${random}.${binding}`);
  const verify = (token: string | undefined, binding: string) => {
    const [random, signature, ...rest] = (token ?? "").split(".");
    return Boolean(random && signature && rest.length === 0) && safeEqual(signature!, sign(binding, random!));
  };
  // Every read checks whether its token is still valid, so valid ones are cached.
  const good = createLru<string>(REMEMBERED);
  const fits = (token: string | undefined, binding: string) => {
    if (token !== undefined && good.get(token) === binding) return true;
    const fitting = verify(token, binding);
    if (fitting) good.set(token!, binding);
    return fitting;
  };
  return {
    issue(binding) {
      const random = randomToken();
      return `${random}.${sign(binding, random)}`;
    },
    fits,
    accepts: (cookie, sent, binding) => cookie !== undefined && sent !== undefined && safeEqual(cookie, sent) && verify(cookie, binding),
  };
}
