/** The kind of factor. `both` is a device with user verification, such as a passkey with a PIN or fingerprint. */
export type Factor = "knowledge" | "possession" | "both";

/** A passed step, as it is stored in the session. */
export interface SessionProof {
  /** The alias of the flow that asked for it. */
  readonly flow: string;
  readonly authenticator: string;
  readonly factor: Factor | null;
  /** The authentication methods (RFC 8176). */
  readonly amr: readonly string[];
  readonly at: number;
}

type Factors = readonly { readonly factor: Factor | null }[];

/** Returns the level: `2` for two kinds of factor, `1` for one. */
export function levelOf(proofs: Factors): "1" | "2" | null {
  const factors = new Set(proofs.map(({ factor }) => factor));
  if (factors.has("both") || (factors.has("knowledge") && factors.has("possession"))) return "2";
  return factors.has("knowledge") || factors.has("possession") ? "1" : null;
}

/**
 * Returns the authentication context class: `1` for one kind of factor, `2` for two, `0` for impersonation. Sessions of an older release
 * may have none stored.
 */
export const acrOf = ({ acr, impersonator }: { readonly acr: string | null; readonly impersonator: string | null }): string =>
  acr ?? (impersonator === null ? "1" : "0");

/** The methods that prove knowledge. `fed` is an account at an identity provider, which counts as one factor unless it says `mfa`. */
const knowledge = new Set(["pwd", "pin", "kba", "fed"]);
const possession = new Set(["otp", "sms", "email", "hwk", "swk", "pop", "push", "qr", "recovery"]);

/** Returns the kind of factor that these methods prove. */
export function factorOf(amr: readonly string[]): Factor | null {
  const knows = amr.some((method) => knowledge.has(method));
  const has = amr.some((method) => possession.has(method));
  if (amr.includes("mfa") || (knows && has)) return "both";
  return knows ? "knowledge" : has ? "possession" : null;
}

/** The content of the column `proofs`. */
export interface StoredProofs {
  /** The `auth_time` of the sign-in that wrote it. A node of an older release updates `auth_time` without this column. */
  readonly authTime: number;
  readonly passed: readonly SessionProof[];
  /** The known browser of that sign-in. */
  readonly browser?: string;
}

export const storedProofs = (authTime: number, passed: readonly SessionProof[], browser: string | null): StoredProofs => ({
  ...{ authTime, passed },
  ...(browser !== null && { browser }),
});

export const browserOf = (stored: StoredProofs | null, authTime: number): string | null =>
  stored?.authTime === authTime ? (stored.browser ?? null) : null;

/** Returns the proofs of a session. Without current ones they are derived from `amr`, with the time of the sign-in. */
export function proofsOf(stored: StoredProofs | null, { authTime, amr }: { readonly authTime: number; readonly amr: readonly string[] }) {
  if (stored?.authTime === authTime) return stored.passed;
  const proof = { flow: "", at: authTime };
  const others = amr.filter((method) => method !== "pwd" && method !== "mfa");
  const password: SessionProof[] = amr.includes("pwd") ? [{ ...proof, authenticator: "password", factor: "knowledge", amr: ["pwd"] }] : [];
  if (password.length > 0 && others.length === 0 && !amr.includes("mfa")) return password;
  const factor = factorOf(password.length > 0 ? others : amr) ?? (password.length > 0 ? "possession" : "knowledge");
  return [...password, { ...proof, authenticator: "session", factor, amr: others } satisfies SessionProof];
}
