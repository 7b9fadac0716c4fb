import { createHmac } from "node:crypto";
import { clock, SECOND } from "../../kernel/clock.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import type { Binding } from "./access-token.ts";
import type { RecordPayload } from "./records/payload.ts";
import type { NewRecord } from "./records/records.store.ts";

/** The `model` of the record of a refresh token. */
export const REFRESH_TOKEN = "RefreshToken";

export interface IssuedRefreshToken {
  readonly token: string;
  readonly record: NewRecord;
}

export interface RefreshTokenSource {
  readonly realm: string;
  /** The payload of the code, request or refresh token that it replaces. */
  readonly from: RecordPayload & { readonly accountId: string; readonly clientId: string; readonly grantId: string };
  /** The grant type and binding of the first token of a family, or null if `from` is a refresh token that is rotated. */
  readonly first: { readonly gty: string; readonly binding: Binding } | null;
  /** The refresh token that is rotated. */
  readonly replaces?: string | undefined;
  /** The lifetime in seconds. */
  readonly lifetime: number;
}

/** RFC 6749 §1.5: makes an opaque value, stored as a hash. A narrowed scope or resource applies to one request, not to the next token. */
export function issueRefreshToken({ realm, from, first, replaces, lifetime }: RefreshTokenSource): IssuedRefreshToken {
  const now = clock.now();
  const iat = Math.floor(now / SECOND);
  const token = replaces === undefined ? randomToken() : successorOf(replaces, from);
  const { jkt, "x5t#S256": thumbprint } = first ? first.binding : from;
  const payload = {
    kind: REFRESH_TOKEN,
    iat,
    exp: iat + lifetime,
    iiat: from.iiat ?? iat,
    accountId: from.accountId,
    clientId: from.clientId,
    grantId: from.grantId,
    acr: from.acr,
    amr: from.amr,
    authTime: from.authTime,
    claims: from.claims,
    nonce: from.nonce,
    resource: from.resource,
    scope: from.scope,
    sessionUid: from.sessionUid,
    sid: from.sid,
    rar: from.rar,
    gty: first ? first.gty : refreshed(from.gty),
    seed: randomToken(),
    rotations: first ? 0 : (from.rotations ?? 0) + 1,
    jkt,
    "x5t#S256": thumbprint,
  } as RecordPayload;
  const { grantId, clientId } = from;
  const [recordId, expiresAt] = [sha256(token), now + lifetime * SECOND];
  return { token, record: { realm, model: REFRESH_TOKEN, recordId, payload, grantId, clientId, userCode: null, expiresAt } };
}

/**
 * Returns the one successor of a refresh token. A token that is repeated because the response was lost has the same successor, and a second
 * holder does not remain unnoticed. Only the seed is stored, so neither the database nor the token alone reveals the successor.
 */
const successorOf = (token: string, { seed }: RecordPayload): string =>
  seed === undefined ? randomToken() : createHmac("sha256", seed).update(token).digest("base64url");

const refreshed = (gty = ""): string => (gty.endsWith("refresh_token") ? gty : `${gty} refresh_token`.trim());
