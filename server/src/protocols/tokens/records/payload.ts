import type { SessionProof } from "../../../signin/sessions/index.ts";
import type { AuthorizationDetail } from "../contents/authorization-details.ts";

/** The individually requested claims (OpenID Connect Core §5.5). */
export interface RequestedClaims {
  readonly id_token?: Readonly<Record<string, unknown>>;
  readonly userinfo?: Readonly<Record<string, unknown>>;
}

/**
 * The payload of a code, a refresh token, a device or a CIBA request. The engine defines the members of codes and requests. Refresh tokens
 * keep that shape while the previous release may run beside this one.
 */
export interface RecordPayload {
  readonly kind?: string;
  readonly iat?: number;
  readonly exp?: number;
  readonly clientId?: string;
  readonly accountId?: string;
  readonly grantId?: string;
  readonly scope?: string;
  readonly resource?: string | readonly string[];
  readonly acr?: string;
  readonly amr?: readonly string[];
  readonly authTime?: number;
  readonly nonce?: string;
  readonly sid?: string;
  readonly sessionUid?: string;
  readonly claims?: RequestedClaims;
  readonly rar?: readonly AuthorizationDetail[];
  /** The grant types that issued a refresh token, such as `authorization_code refresh_token`. */
  readonly gty?: string;
  readonly rotations?: number;
  /** The seed of a refresh token. Its successor is derived from the seed and the token itself. */
  readonly seed?: string;
  readonly iiat?: number;
  /** The binding of a public client's refresh token. */
  readonly jkt?: string;
  readonly "x5t#S256"?: string;
  /** These members are only in authorization codes. */
  readonly codeChallenge?: string;
  readonly codeChallengeMethod?: string;
  readonly redirectUri?: string;
  readonly dpopJkt?: string;
  /** These members are only in denied requests. */
  readonly error?: string;
  readonly errorDescription?: string;
  readonly [member: string]: unknown;
}

/** The content of a grant that is not in columns. */
export interface GrantPayload {
  readonly openid?: { readonly scope?: string; readonly claims?: readonly string[] };
  /** The scopes by resource. */
  readonly resources?: Readonly<Record<string, string>>;
  readonly rejected?: Pick<GrantPayload, "openid" | "resources">;
  readonly rar?: readonly AuthorizationDetail[];
  /** The user's proofs and their time, in a grant that was made without a session and without a page. */
  readonly proven?: { readonly at: number; readonly proofs: readonly SessionProof[] };
}

const names = (scope: string | undefined): readonly string[] => (scope ? scope.split(" ") : []);

/** Returns the scopes granted for a resource, in their order. */
export function grantedScopes({ resources, rejected }: GrantPayload, resource: string): readonly string[] {
  const refused = new Set(names(rejected?.resources?.[resource]));
  return names(resources?.[resource]).filter((name) => !refused.has(name));
}

/** Returns the claims requested for an ID token that are granted. */
export function grantedClaims({ openid, rejected }: GrantPayload, requested: RequestedClaims | undefined): readonly string[] {
  const refused = new Set(rejected?.openid?.claims);
  const granted = new Set(openid?.claims);
  return Object.keys(requested?.id_token ?? {}).filter((name) => granted.has(name) && !refused.has(name));
}
