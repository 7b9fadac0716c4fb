/** What a step means to the list that it stands in. */
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

/** How people sign in: a tree of steps. */
export interface Flow {
  readonly alias: string;
  readonly displayName: string;
  readonly builtIn: boolean;
  readonly steps: readonly Step[];
  /** 0 for a built-in one as it ships. */
  readonly version: number;
}

export const isSubFlow = (step: Step): step is SubFlow => "steps" in step;
