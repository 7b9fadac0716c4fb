import type { ProviderSnapshot } from "../providers/provider.ts";
import { UpstreamError } from "./metadata.ts";

type Claims = Readonly<Record<string, unknown>>;

/** The differences between one provider and OpenID Connect. */
export interface Quirks {
  /** True if there is an ID token. Otherwise the profile, read with the access token, tells who signed in. */
  readonly idToken: boolean;
  /** True if the ID token contains the nonce of the request. */
  readonly nonce: boolean;
  /** The value of `prompt` that asks for a new sign-in, where `login` is refused. */
  readonly freshPrompt?: string;
  /** `max_age` is sent if a new sign-in is needed, so that the ID token contains `auth_time`. */
  readonly asksForAuthTime?: true;
  /** Returns further parameters for the authorization request. */
  parameters?(provider: ProviderSnapshot): Readonly<Record<string, string>>;
  /** Returns the issuer that a token must name. */
  issuer?(provider: ProviderSnapshot, claims: Claims): string;
  /** Returns the subject of the link. */
  subject?(claims: Claims, provider: ProviderSnapshot): string | null;
  /** Authenticates this realm at the token endpoint of a provider that supports no standard method. */
  credentials?(provider: ProviderSnapshot): Promise<Readonly<Record<string, string>>>;
  /** Returns claims of the authorization response, which are not signed. */
  answerClaims?(answer: Readonly<Record<string, string>>): Claims;
  /** Returns standard claims, made from the provider's own members of the profile. */
  profileClaims?(profile: Claims): Claims;
  /** Returns the address of the profile, with the parameters that the provider needs. */
  profileUrl?(url: string, provider: ProviderSnapshot, accessToken: string): string;
  /** The path below the profile from which the list of addresses is read; the primary verified one counts. */
  readonly emailsPath?: string;
  /** Tells whether an address certainly belongs to the user, by this provider's own rules. */
  isVerified?(claims: Claims): boolean;
  /** Returns the reason why a user of the provider may not sign in, or null if they may. */
  refuse?(provider: ProviderSnapshot, claims: Claims): string | null;
}

export const isTrue = (value: unknown): boolean => value === true || value === "true";
export const saysVerified = (claims: Claims): boolean => isTrue(claims.email_verified);
/** Returns an identifier as text. Parsing rounds numbers beyond the safe integers, so two users could get the same identifier: such a number is refused. */
export const claimText = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : Number.isSafeInteger(value) ? String(value) : null;

/** The rules of OpenID Connect. */
export const standard: Quirks = { idToken: true, nonce: true };

/** Returns the address in GitHub's list that is both primary and verified. */
export function primaryAddress(json: string): string | null {
  let list: unknown;
  try {
    list = JSON.parse(json);
  } catch {
    // Refused below.
  }
  if (!Array.isArray(list)) throw new UpstreamError("userinfo", "The provider did not answer with a list of addresses.");
  const found = list.find((each: { primary?: unknown; verified?: unknown } | null) => each?.primary === true && each.verified === true);
  return claimText((found as { email?: unknown } | undefined)?.email);
}
