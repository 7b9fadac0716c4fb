/** The result of a policy has three values. UNKNOWN never becomes a permit. */
export type Verdict = "PERMIT" | "DENY" | "UNKNOWN";
export type Strategy = "UNANIMOUS" | "AFFIRMATIVE" | "CONSENSUS";

export const verdictOf = (is: boolean): Verdict => (is ? "PERMIT" : "DENY");

/** Negates a verdict for NEGATIVE logic. UNKNOWN stays UNKNOWN. */
export const negate = (verdict: Verdict): Verdict => (verdict === "UNKNOWN" ? verdict : verdictOf(verdict === "DENY"));

export const all = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes("DENY") ? "DENY" : verdicts.includes("UNKNOWN") ? "UNKNOWN" : "PERMIT";

export const any = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes("PERMIT") ? "PERMIT" : verdicts.includes("UNKNOWN") ? "UNKNOWN" : "DENY";

/** Returns the majority. A tie denies. The result is decided only if no outcome of the unknown ones would change it. */
function most(verdicts: readonly Verdict[]): Verdict {
  const count = (which: Verdict) => verdicts.filter((verdict) => verdict === which).length;
  const [permits, denies, unknown] = [count("PERMIT"), count("DENY"), count("UNKNOWN")];
  if (permits > denies + unknown) return "PERMIT";
  return permits + unknown <= denies ? "DENY" : "UNKNOWN";
}

const strategies = { UNANIMOUS: all, AFFIRMATIVE: any, CONSENSUS: most } as const;

/** Combines verdicts. Without any the result is DENY. */
export const combine = (strategy: Strategy, verdicts: readonly Verdict[]): Verdict =>
  verdicts.length === 0 ? "DENY" : strategies[strategy](verdicts);
