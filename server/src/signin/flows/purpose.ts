/** The rules of a flow by its purpose. */
export interface PurposeRules {
  /** True if the user is identified before the flow begins. */
  readonly startsNamed: boolean;
  /** True if the flow must authenticate the user. */
  readonly mustProve: boolean;
  readonly mayAskNothing: boolean;
  /** The allowed authenticators. Null means all. */
  readonly only: readonly string[] | null;
}

const signIn: PurposeRules = { startsNamed: false, mustProve: true, mayAskNothing: false, only: null };

export const DEFAULT_DIRECT_FLOW = "direct-grant";
export const STEP_UP = "step-up";

/** The authenticators that the password grant can answer without a page. */
export const directlyAnswered: readonly string[] = ["username-password", "username", "password", "totp"];

export const purposes = {
  "sign-in": signIn,
  "direct-grant": { ...signIn, only: directlyAnswered },
  "step-up": { ...signIn, startsNamed: true },
  "first-broker-login": { ...signIn, startsNamed: true },
  "reset-credentials": signIn,
  registration: { startsNamed: true, mustProve: false, mayAskNothing: true, only: null },
} satisfies Record<string, PurposeRules>;

export type Purpose = keyof typeof purposes;

/** Returns the purpose of a flow. A custom flow is for signing in. */
export const purposeOf = (alias: string): Purpose => (Object.hasOwn(purposes, alias) ? (alias as Purpose) : "sign-in");

export const isSignInFlow = (alias: string): boolean => purposeOf(alias) === "sign-in";
