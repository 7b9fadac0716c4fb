/** The requirement of a step in its list. */
export const requirements = ["REQUIRED", "ALTERNATIVE", "CONDITIONAL", "DISABLED"] as const;
export type Requirement = (typeof requirements)[number];

export interface AuthenticatorStep {
  readonly authenticator: string;
  readonly requirement: Requirement;
  readonly config: Readonly<Record<string, unknown>>;
}

export interface SubFlow {
  readonly alias: string;
  readonly requirement: Requirement;
  readonly steps: readonly Step[];
}

export type Step = AuthenticatorStep | SubFlow;

/** An authentication flow: a tree of steps. */
export interface Flow {
  readonly alias: string;
  readonly displayName: string;
  readonly builtIn: boolean;
  readonly steps: readonly Step[];
  /** The version of the flow. 0 is a built-in flow without changes. */
  readonly version: number;
}

export const isSubFlow = (step: Step): step is SubFlow => "steps" in step;

/** Returns the steps that ask an authenticator, those of sub-flows included. */
export const authenticatorSteps = (steps: readonly Step[]): AuthenticatorStep[] =>
  steps.flatMap((step) => (isSubFlow(step) ? authenticatorSteps(step.steps) : [step]));

/** Returns the same steps, each with its path in a request. */
export const stepsByPath = (steps: readonly Step[], at = "steps"): [AuthenticatorStep, string][] =>
  steps.flatMap((step, index): [AuthenticatorStep, string][] =>
    isSubFlow(step) ? stepsByPath(step.steps, `${at}.${index}.steps`) : [[step, `${at}.${index}`]],
  );

/** Returns the flow's steps with each one that asks an authenticator replaced, those of sub-flows included. */
export const mapSteps = (steps: readonly Step[], change: (step: AuthenticatorStep) => Step): Step[] =>
  steps.map((step) => (isSubFlow(step) ? { ...step, steps: mapSteps(step.steps, change) } : change(step)));
