/** What a flow is for: each has its own beginning and its own end. */
export interface PurposeRules {
  /** It is known beforehand whose sign-in it is. */
  readonly startsNamed: boolean;
  /** At its end the user must be authenticated. */
  readonly mustProve: boolean;
  readonly mayAskNothing: boolean;
  /** The only authenticators that can be answered; null: all. */
  readonly only: readonly string[] | null;
}

const signIn: PurposeRules = { startsNamed: false, mustProve: true, mayAskNothing: false, only: null };

export const DEFAULT_DIRECT_FLOW = "direct-grant";

/** What the password grant brings along: there is no page. */
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

/** A flow that is none of the built-in ones signs people in. */
export const purposeOf = (alias: string): Purpose => (Object.hasOwn(purposes, alias) ? (alias as Purpose) : "sign-in");

export const isSignInFlow = (alias: string): boolean => purposeOf(alias) === "sign-in";
