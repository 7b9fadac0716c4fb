import { oncePer } from "../../../kernel/once.ts";
import { hmac, safeEqual, type Vault } from "../../../kernel/vault.ts";

/** The cookie with the interaction that a browser was sent to. Its path is limited to the page of the interaction. */
export const INTERACTION_COOKIE = "gh__interaction";
export const RESUME_COOKIE = "gh__resume";

/** The interface by which the engine signs cookies. */
export interface CookieKeys {
  sign(data: string): string;
  verify(data: string, signature: string): boolean;
  index(data: string, signature: string): number;
}

/**
 * Signs the values of these cookies, which are also in the database, so that a reader of the database (a backup, a replica) cannot continue
 * the request of another user.
 */
export const cookieKeys = oncePer((vault: Vault): CookieKeys => {
  const key = vault.derive("oidc cookies");
  const sign = (data: string) => hmac(key, data);
  const verify = (data: string, signature: string) => safeEqual(sign(data), signature);
  return { sign, verify, index: (data, signature) => (verify(data, signature) ? 0 : -1) };
});

/** Tells whether the browser has the signed cookie of this interaction, for its page or for the path that resumes the request. */
export function wasSentTo(
  vault: Vault,
  cookies: Readonly<Record<string, string | undefined>>,
  uid: string,
  name: typeof INTERACTION_COOKIE | typeof RESUME_COOKIE,
): boolean {
  return cookies[name] === uid && cookieKeys(vault).verify(`${name}=${uid}`, cookies[`${name}.sig`] ?? "");
}
