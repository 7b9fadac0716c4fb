/** What kind of thing was proven. `both`: a device that only its owner can use, such as a passkey that asked for a finger or a PIN. */
export type Factor = "knowledge" | "possession" | "both";

/** A step that was passed, as the session records it. */
export interface SessionProof {
  /** The alias of the flow that asked for it. */
  readonly flow: string;
  readonly authenticator: string;
  readonly factor: Factor | null;
  /** RFC 8176 */
  readonly amr: readonly string[];
  readonly at: number;
}

type Factors = readonly { readonly factor: Factor | null }[];

/** `2` for two different kinds of proof, `1` for one. */
export function levelOf(proofs: Factors): "1" | "2" | null {
  const factors = new Set(proofs.map(({ factor }) => factor));
  if (factors.has("both") || (factors.has("knowledge") && factors.has("possession"))) return "2";
  return factors.has("knowledge") || factors.has("possession") ? "1" : null;
}

const knowledge = new Set(["pwd", "pin", "kba"]);
const possession = new Set(["otp", "sms", "email", "hwk", "swk", "pop", "push", "qr", "recovery"]);

/** What a session's methods had proven, as a step that was passed before. */
export function factorOf(amr: readonly string[]): Factor | null {
  const knows = amr.some((method) => knowledge.has(method));
  const has = amr.some((method) => possession.has(method));
  if (amr.includes("mfa") || (knows && has)) return "both";
  return knows ? "knowledge" : has ? "possession" : null;
}

/** The column `proofs`. */
export interface StoredProofs {
  /** Of the sign-in that wrote it: a node that does not know the column moves `auth_time` on without it. */
  readonly authTime: number;
  readonly passed: readonly SessionProof[];
}

/** The proofs of a session. One that records none has its methods alone; they were shown when it began, and prove something in any case. */
export function proofsOf(stored: StoredProofs | null, { authTime, amr }: { readonly authTime: number; readonly amr: readonly string[] }) {
  if (stored?.authTime === authTime) return stored.passed;
  const proof = { flow: "", at: authTime };
  const others = amr.filter((method) => method !== "pwd" && method !== "mfa");
  const password: SessionProof[] = amr.includes("pwd") ? [{ ...proof, authenticator: "password", factor: "knowledge", amr: ["pwd"] }] : [];
  if (password.length > 0 && others.length === 0 && !amr.includes("mfa")) return password;
  const factor = factorOf(password.length > 0 ? others : amr) ?? (password.length > 0 ? "possession" : "knowledge");
  return [...password, { ...proof, authenticator: "session", factor, amr: others } satisfies SessionProof];
}
