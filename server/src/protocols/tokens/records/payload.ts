import type { AuthorizationDetail } from "../contents/authorization-details.ts";

/** OpenID Connect Core §5.5: claims that were requested one by one. */
export interface RequestedClaims {
  readonly id_token?: Readonly<Record<string, unknown>>;
  readonly userinfo?: Readonly<Record<string, unknown>>;
}

/**
 * What is stored with a code, a refresh token, a device's or a CIBA request. The members are those of the engine, which writes codes and
 * requests; refresh tokens keep its shape for as long as the release before this one may run beside it.
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
  /** Of refresh tokens: the grants it comes from, such as `authorization_code refresh_token`. */
  readonly gty?: string;
  readonly rotations?: number;
  readonly iiat?: number;
  /** What a refresh token of a public client is bound to. */
  readonly jkt?: string;
  readonly "x5t#S256"?: string;
  /** Of codes. */
  readonly codeChallenge?: string;
  readonly codeChallengeMethod?: string;
  readonly redirectUri?: string;
  readonly dpopJkt?: string;
  /** Of requests that were denied. */
  readonly error?: string;
  readonly errorDescription?: string;
  readonly [member: string]: unknown;
}

/** What a user granted, beside the columns of its row. */
export interface GrantPayload {
  readonly openid?: { readonly scope?: string; readonly claims?: readonly string[] };
  /** Scopes by resource. */
  readonly resources?: Readonly<Record<string, string>>;
  readonly rejected?: Pick<GrantPayload, "openid" | "resources">;
  readonly rar?: readonly AuthorizationDetail[];
}

const names = (scope: string | undefined): readonly string[] => (scope ? scope.split(" ") : []);

/** The scopes that were granted for a resource, in that order. */
export function grantedScopes({ resources, rejected }: GrantPayload, resource: string): readonly string[] {
  const refused = new Set(names(rejected?.resources?.[resource]));
  return names(resources?.[resource]).filter((name) => !refused.has(name));
}

/** Of the claims that were requested for an ID token, those that were granted. */
export function grantedClaims({ openid, rejected }: GrantPayload, requested: RequestedClaims | undefined): readonly string[] {
  const refused = new Set(rejected?.openid?.claims);
  const granted = new Set(openid?.claims);
  return Object.keys(requested?.id_token ?? {}).filter((name) => granted.has(name) && !refused.has(name));
}
