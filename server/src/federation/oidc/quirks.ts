import type { ProviderSnapshot } from "../providers/provider.ts";
import { UpstreamError } from "./metadata.ts";

type Claims = Readonly<Record<string, unknown>>;

/** The differences between one provider and OpenID Connect. */
export interface Quirks {
  /** There is an ID token. Without one, the profile that the access token opens says who has signed in. */
  readonly idToken: boolean;
  /** The ID token brings the nonce back. */
  readonly nonce: boolean;
  /** The value of `prompt` that asks for a new sign-in, where `login` is refused. */
  readonly freshPrompt?: string;
  /** `max_age` is sent where a new sign-in is needed, so that the ID token says when the user authenticated. */
  readonly asksForAuthTime?: true;
  /** Parameters for the authorization request. */
  parameters?(provider: ProviderSnapshot): Readonly<Record<string, string>>;
  /** The issuer that a token must name. */
  issuer?(provider: ProviderSnapshot, claims: Claims): string;
  /** The subject of the link. */
  subject?(claims: Claims, provider: ProviderSnapshot): string | null;
  /** Authenticates this realm at the token endpoint, where no standard method does. */
  credentials?(provider: ProviderSnapshot): Promise<Readonly<Record<string, string>>>;
  /** Claims that come with the authorization response, unsigned. */
  answerClaims?(answer: Readonly<Record<string, string>>): Claims;
  /** Standard claims from the provider's own members of the profile. */
  profileClaims?(profile: Claims): Claims;
  /** Returns the address of the profile, with the parameters that the provider needs. */
  profileUrl?(url: string, provider: ProviderSnapshot, accessToken: string): string;
  /** Addresses are read elsewhere: which of them counts. */
  readonly emailsPath?: string;
  /** Tells whether an address is the user's for certain, by this provider's own rules. */
  isVerified?(claims: Claims): boolean;
  /** Returns why a user of the provider may not sign in; null: they may. */
  refuse?(provider: ProviderSnapshot, claims: Claims): string | null;
}

export const isTrue = (value: unknown): boolean => value === true || value === "true";
export const saysVerified = (claims: Claims): boolean => isTrue(claims.email_verified);
/** An identifier as text. A number beyond the safe integers was rounded when it was parsed: two users would have the same. */
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
