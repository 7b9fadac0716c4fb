import type { BrokeredSignIn } from "../../federation/index.ts";
import { type Factor, levelOf, type SessionProof } from "../sessions/index.ts";

/** A step that counts as passed. */
export interface PassedStep {
  /** The position in the flow. */
  readonly path: string;
  readonly authenticator: string;
  readonly factor: Factor | null;
  readonly amr: readonly string[];
  readonly at: number;
  /** The flow of a step that is carried over from the session. */
  readonly flow?: string;
}

/** An account at an identity provider that is to be linked to the user, once they have proven that the account here is theirs. */
export interface PendingLink {
  readonly alias: string;
  readonly protocol: string;
  readonly providerId: string;
  readonly subject: string;
  readonly username: string | null;
  /** The address that an organization's provider verified. */
  readonly email?: string;
  /**
   * True if the user has confirmed the address, or an administrator says that it is theirs. Otherwise mail to it proves nothing, because
   * anyone could have registered it.
   */
  readonly isConfirmed: boolean;
  /** True if the user may continue with a new account instead. */
  readonly mayCreate: boolean;
  /** The flow to continue afterwards, and the step that redirected to the provider. */
  readonly flow: string;
  readonly flowVersion: number;
  readonly step: PassedStep;
  readonly proven: boolean;
  /**
   * The provider's answer. `brokered` of the sign-in belongs to another provider if that one authenticates the user. Links of an earlier
   * release have only `brokered`.
   */
  readonly brokered?: BrokeredSignIn;
}

/** The progress of a sign-in, which is the `state` of its interaction. It survives a restart, and belongs to one browser. */
export interface Progress {
  readonly flow: string;
  /** The version of the flow's definition. If the flow has changed, the sign-in begins again. */
  readonly flowVersion: number;
  /** The name that was typed. */
  readonly login: string | null;
  readonly userId: string | null;
  readonly passed: readonly PassedStep[];
  /** The path of the alternative that the user chose. */
  readonly chosen: string | null;
  /** The data that steps store, by path. */
  readonly data: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly remember: boolean;
  /** The session whose proofs are carried over. The sign-in restarts if it ends. */
  readonly sessionId?: string;
  /** True if the user gave a second factor and chose not to be asked for one in this browser for a while. */
  readonly trust?: boolean;
  /** The identity provider that the typed name led to, which happens once. Its login is null if the user searched for the provider. */
  readonly home?: { readonly alias: string; readonly login: string | null };
  readonly link?: PendingLink;
  /** The answer of the last identity provider in this sign-in. */
  readonly brokered?: BrokeredSignIn;
  /** The step with which the browser left for another site, and the hash of the state that it must bring back, until it has. */
  readonly left?: { readonly path: string; readonly hash?: string };
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

/** Returns the alias of the provider whose account waits for the proof, and cannot be the proof itself. */
export const toBeLinked = ({ link }: Progress): string | null => (link?.proven === false ? link.alias : null);

/** Returns the answer of the provider whose account is to be linked. */
export const linkedBy = ({ link, brokered }: Progress): BrokeredSignIn => (link?.brokered ?? brokered)!;

/** Tells whether the user is authenticated, by any step. */
export const isProven = ({ passed }: Progress): boolean => passed.some(({ factor }) => factor !== null);

/** Returns the authentication methods (RFC 8176), with `mfa` if they are of more than one factor. */
export function amrOf({ passed }: Pick<Progress, "passed">): string[] {
  const methods = new Set(passed.flatMap(({ amr }) => amr));
  if (levelOf(passed) === "2") methods.add("mfa");
  return [...methods];
}

/** The authenticator that lets an existing session count. */
export const SESSION = "cookie";
const FROM_SESSION = "session:";

/** Carries the proofs of a session over into a sign-in. */
export const carriedFrom = (proofs: readonly SessionProof[]): PassedStep[] =>
  proofs.map((proof) => ({ ...proof, path: `${FROM_SESSION}${proof.authenticator}` }));

/** Tells whether the step was passed in this sign-in, and not in an earlier one. */
export const isNew = ({ path, authenticator }: PassedStep): boolean => !path.startsWith(FROM_SESSION) && authenticator !== SESSION;

const PASSWORD = new Set(["username-password", "password"]);

/** Tells whether a step of this kind is carried over from the session, and is not asked again. */
export function isCarried({ passed, sessionId }: Progress, authenticator: string): boolean {
  if (sessionId === undefined) return false;
  if (authenticator === "username") return true;
  const names = PASSWORD.has(authenticator) ? PASSWORD : new Set([authenticator]);
  return passed.some((step) => step.path.startsWith(FROM_SESSION) && names.has(step.authenticator));
}

/** Returns the proofs that the session records. */
export const toProofs = ({ flow, passed }: Progress): SessionProof[] =>
  passed
    .filter(({ authenticator }) => authenticator !== SESSION)
    .map((step) => ({ ...step, flow: step.flow ?? flow }))
    .map(({ flow: of, authenticator, factor, amr, at }) => ({ flow: of, authenticator, factor, amr, at }));

/** Marks the step as passed: keeps its results, and drops its own data. */
export function withPassed(
  progress: Progress,
  step: PassedStep,
  found: {
    readonly userId: string | null;
    readonly login?: string | undefined;
    readonly remember?: boolean | undefined;
    readonly brokered?: BrokeredSignIn | undefined;
  },
): Progress {
  const { left: _left, data: kept, ...rest } = progress;
  const { [step.path]: _, ...data } = kept;
  return {
    ...rest,
    login: found.login ?? progress.login,
    userId: found.userId ?? progress.userId,
    passed: [...progress.passed, step],
    chosen: null,
    data,
    remember: found.remember ?? progress.remember,
    ...(found.brokered && { brokered: found.brokered }),
  };
}
