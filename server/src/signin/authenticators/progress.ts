import type { Factor } from "./authenticator.ts";

/** A step that counts. */
export interface PassedStep {
  /** Where in the flow it stands. */
  readonly path: string;
  readonly authenticator: string;
  readonly factor: Factor | null;
  readonly amr: readonly string[];
  readonly at: number;
}

/** How far a sign-in has come: the `state` of its interaction. It survives a restart, and belongs to one browser. */
export interface Progress {
  readonly flow: string;
  /** Of the flow's definition: after a change of the flow one begins again. */
  readonly flowVersion: number;
  /** The name that was typed. */
  readonly login: string | null;
  readonly userId: string | null;
  readonly passed: readonly PassedStep[];
  /** Which of several ways was chosen. */
  readonly chosen: string | null;
  /** What steps keep, by path. */
  readonly data: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly remember: boolean;
  /** The session that it goes on from, where it does: with that it ends. */
  readonly sessionId?: string;
  /** With a second factor, they said that none has to be asked for in this browser for a while. */
  readonly trust?: boolean;
}

export const freshProgress = (flow: { readonly alias: string; readonly version: number }): Progress => ({
  flow: flow.alias,
  flowVersion: flow.version,
  login: null,
  userId: null,
  passed: [],
  chosen: null,
  data: {},
  remember: false,
});

export const hasPassed = ({ passed }: Progress, path: string): boolean => passed.some((step) => step.path === path);

/** Somebody has proven to be the user, by whatever. */
export const isProven = ({ passed }: Progress): boolean => passed.some(({ factor }) => factor !== null);

/** `2` for two different kinds of proof, `1` for one. */
export function levelOf({ passed }: Pick<Progress, "passed">): "1" | "2" | null {
  const factors = new Set(passed.map(({ factor }) => factor));
  if (factors.has("both") || (factors.has("knowledge") && factors.has("possession"))) return "2";
  return factors.has("knowledge") || factors.has("possession") ? "1" : null;
}

/** RFC 8176: what was used, and `mfa` where it was more than one kind. */
export function amrOf(progress: Pick<Progress, "passed">): string[] {
  const methods = new Set(progress.passed.flatMap(({ amr }) => amr));
  if (levelOf(progress) === "2") methods.add("mfa");
  return [...methods];
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

/** Whoever has a session has proven something once, also where its methods say nothing that we know. */
export const sessionFactor = ({ amr }: { readonly amr: readonly string[] }): Factor => factorOf(amr) ?? "knowledge";

/** The step is passed: what it found out stays, what it kept goes. */
export function withPassed(
  progress: Progress,
  step: PassedStep,
  found: { readonly userId: string | null; readonly login?: string | undefined; readonly remember?: boolean | undefined },
): Progress {
  const { [step.path]: _, ...data } = progress.data;
  return {
    ...progress,
    login: found.login ?? progress.login,
    userId: found.userId ?? progress.userId,
    passed: [...progress.passed, step],
    chosen: null,
    data,
    remember: found.remember ?? progress.remember,
  };
}
