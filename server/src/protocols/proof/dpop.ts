import { hash } from "node:crypto";
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWTPayload, jwtVerify } from "jose";
import { clock, SECOND } from "../../kernel/clock.ts";
import { OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import { proofAlgs } from "../../tenancy/keys/index.ts";
import { isFirst } from "../tokens/index.ts";

/** The highest age in seconds. */
const MAX_AGE = 5 * 60;
/** The number of seconds by which the client's clock may be ahead of ours. */
const SKEW = 60;
const MAX_LENGTH = 8 * 1024;

export interface DpopProof {
  /** The thumbprint (RFC 7638) of the key that signed the proof. */
  readonly jkt: string;
  readonly jti: string;
  /** The time, in epoch milliseconds, until which its `iat` is recent. */
  readonly until: number;
}

export interface ProvenRequest {
  /** The value of the DPoP header. */
  readonly proof: string;
  readonly method: string;
  /** The endpoint's URLs, without a query. */
  readonly urls: readonly string[];
  /** The access token that comes with the proof, or undefined at the token endpoint. */
  readonly accessToken?: string;
  readonly algs?: readonly string[] | null;
}

/** RFC 9449 §4.3: verifies a proof. There are no server nonces: `iat` limits the age of a proof, and `jti` prevents its replay. */
export async function verifyDpopProof({ proof, method, urls, accessToken, algs }: ProvenRequest): Promise<DpopProof> {
  const refuse = oauthErrors.invalidDpopProof;
  if (proof.length > MAX_LENGTH) throw refuse("the DPoP proof is too long");
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...(algs ?? proofAlgs)],
      typ: "dpop+jwt",
      currentDate: new Date(clock.now()),
    });
    const reason = reasonAgainst(payload, method, urls, accessToken);
    if (reason !== null) throw refuse(reason);
    return { jkt: await calculateJwkThumbprint(protectedHeader.jwk!), jti: payload.jti!, until: (payload.iat! + MAX_AGE) * SECOND };
  } catch (cause) {
    if (cause instanceof OAuthError) throw cause;
    // The proof is malformed: an unreadable key, or an invalid signature.
    if (cause instanceof errors.JOSEError || cause instanceof TypeError || cause instanceof DOMException || cause instanceof SyntaxError)
      throw refuse("invalid DPoP key binding", { cause });
    throw cause;
  }
}

function reasonAgainst(payload: JWTPayload, method: string, urls: readonly string[], accessToken: string | undefined): string | null {
  const { iat, jti, nonce, htm, htu, ath } = payload as JWTPayload & Record<"nonce" | "htm" | "htu" | "ath", unknown>;
  if (typeof iat !== "number" || !iat) return "DPoP proof must have a iat number property";
  if (typeof jti !== "string" || !jti) return "DPoP proof must have a jti string property";
  if (nonce !== undefined) return "DPoP nonces are not supported";
  const age = Math.floor(clock.now() / SECOND) - iat;
  if (age >= MAX_AGE || age < -SKEW) return "DPoP proof iat is not recent enough";
  if (htm !== method) return "DPoP proof htm mismatch";
  const address = typeof htu === "string" ? addressOf(htu) : null;
  if (!urls.some((url) => new URL(url).href === address)) return "DPoP proof htu mismatch";
  if (accessToken !== undefined && ath !== hash("sha256", accessToken, "base64url")) return "DPoP proof ath mismatch";
  return null;
}

/** RFC 9449 §4.3: normalises `htu`, which is compared without query and fragment. */
function addressOf(htu: string): string | null {
  if (!URL.canParse(htu)) return null;
  const url = new URL(htu);
  url.hash = "";
  url.search = "";
  return url.href;
}

/** RFC 9449 §11.1: returns false for a replayed proof. */
export const isFirstUse = (db: Db, realm: string, clientId: string, { jti, until }: DpopProof): Promise<boolean> => {
  const key = { realm, model: "DpopProof", recordId: sha256(JSON.stringify([clientId, jti])) };
  return isFirst(db, key, until);
};
