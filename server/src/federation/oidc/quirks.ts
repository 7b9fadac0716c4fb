import { createHmac } from "node:crypto";
import type { ProviderSnapshot } from "../providers/snapshot.ts";
import { UpstreamError } from "./metadata.ts";

type Claims = Readonly<Record<string, unknown>>;

/** What one provider does otherwise than OpenID Connect says. */
export interface Quirks {
  /** There is an ID token. Without one, the profile that the access token opens says who has signed in. */
  readonly idToken: boolean;
  /** The ID token brings the nonce back. */
  readonly nonce: boolean;
  /** The value of `prompt` that asks for a new sign-in, where `login` is refused. */
  readonly freshPrompt?: string;
  /** Parameters for the authorization request. */
  parameters?(provider: ProviderSnapshot): Readonly<Record<string, string>>;
  /** The issuer that a token must name. */
  issuer?(provider: ProviderSnapshot, claims: Claims): string;
  /** What the link is made of. */
  subject?(claims: Claims, provider: ProviderSnapshot): string | null;
  /** Where the profile is read, and what it is asked with. */
  profileUrl?(url: string, provider: ProviderSnapshot, accessToken: string): string;
  /** Addresses are read elsewhere: which of them counts. */
  readonly emailsPath?: string;
  /** Whether an address is the user's for certain, by this provider's own rules. */
  isVerified?(claims: Claims): boolean;
  /** Who may not sign in although the provider says who they are. */
  refuse?(provider: ProviderSnapshot, claims: Claims): string | null;
}

const isTrue = (value: unknown): boolean => value === true || value === "true";
export const saysVerified = (claims: Claims): boolean => isTrue(claims.email_verified);
/** A greater number was rounded when it was parsed: two users would have the same. */
const text = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : Number.isSafeInteger(value) ? String(value) : null;

const standard: Quirks = { idToken: true, nonce: true };
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad";

export const quirksOf: Readonly<Record<string, Quirks>> = {
  oidc: standard,
  oauth2: { idToken: false, nonce: false, subject: (claims, { config }) => text(claims[String(config.subjectClaim)]) },
  google: {
    ...standard,
    freshPrompt: "select_account",
    parameters: ({ config }) => (typeof config.hostedDomain === "string" ? { hd: config.hostedDomain } : {}),
    // An address elsewhere may have changed hands since Google looked at it.
    isVerified: (claims) => saysVerified(claims) && (typeof claims.hd === "string" || /@gmail\.com$/i.test(String(claims.email))),
    refuse: ({ config }, { hd }) => (config.hostedDomain !== undefined && hd !== config.hostedDomain ? "domain" : null),
  },
  github: { idToken: false, nonce: false, subject: ({ id }) => text(id), emailsPath: "/emails" },
  microsoft: {
    ...standard,
    // The keys of all tenants are the same: the issuer, with the tenant that the token names, is what tells them apart.
    issuer: ({ config }, { tid }) => String(config.issuer).replaceAll("{tenant}", () => String(tid)),
    subject: ({ tid, oid }) => (text(tid) === null || text(oid) === null ? null : `${tid}/${oid}`),
    // nOAuth: an administrator of any tenant writes any address into it.
    isVerified: ({ xms_edov: edov }) => isTrue(edov) || edov === 1 || edov === "1",
    refuse: ({ config }, { tid }) => (isAllowedTenant(config, String(tid)) ? null : "tenant"),
  },
  apple: { ...standard, parameters: () => ({ response_mode: "form_post" }) },
  // An administrator of a GitLab of one's own can write any address; `trustEmail` says whether that is believed.
  gitlab: standard,
  linkedin: { ...standard, nonce: false },
  facebook: {
    ...{ idToken: false, nonce: false, subject: ({ id }) => text(id), isVerified: () => false },
    profileUrl(url, { secrets: { clientSecret } }, accessToken) {
      const profile = new URL(url);
      if (clientSecret !== undefined)
        profile.searchParams.set("appsecret_proof", createHmac("sha256", clientSecret).update(accessToken).digest("hex"));
      return profile.href;
    },
  },
};

function isAllowedTenant(config: Readonly<Record<string, unknown>>, tid: string): boolean {
  const { tenant, allowedTenants } = config as { tenant: string; allowedTenants: readonly string[] };
  if (allowedTenants.length > 0 && !allowedTenants.includes(tid)) return false;
  if (tenant === "common") return true;
  if (tenant === "organizations") return tid !== CONSUMERS;
  return tid === (tenant === "consumers" ? CONSUMERS : tenant);
}

/** Of GitHub's list: the address that is both primary and verified, and no other. */
export function primaryAddress(json: string): string | null {
  let list: unknown;
  try {
    list = JSON.parse(json);
  } catch {
    // Refused below.
  }
  if (!Array.isArray(list)) throw new UpstreamError("userinfo", "The provider did not answer with a list of addresses.");
  const found = list.find((each: { primary?: unknown; verified?: unknown } | null) => each?.primary === true && each.verified === true);
  return text((found as { email?: unknown } | undefined)?.email);
}
