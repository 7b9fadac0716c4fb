import type { BrokeredSignIn } from "../../federation/index.ts";
import { type Factor, levelOf, type SessionProof } from "../sessions/index.ts";

/** A step that counts. */
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

/** An account at an identity provider that is to be linked to the user, once they have proven to be the user. */
export interface PendingLink {
  readonly alias: string;
  readonly protocol: string;
  readonly providerId: string;
  readonly subject: string;
  readonly username: string | null;
  /** The address that an organization's provider verified. */
  readonly email?: string;
  /**
   * The user has confirmed the address, or an administrator says that it is theirs. Otherwise mail to it proves nothing: anyone could have registered
   * it.
   */
  readonly isConfirmed: boolean;
  /** They may continue with a new account instead. */
  readonly mayCreate: boolean;
  /** The flow to continue afterwards, and the step that redirected to the provider. */
  readonly flow: string;
  readonly flowVersion: number;
  readonly step: PassedStep;
  readonly proven: boolean;
  /** The provider's answer. The sign-in's own `brokered` is another provider's where that one proves the account; links of an earlier release have only it. */
  readonly brokered?: BrokeredSignIn;
}

/** The progress of a sign-in: the `state` of its interaction. It survives a restart, and belongs to one browser. */
export interface Progress {
  readonly flow: string;
  /** The version of the flow's definition: a changed flow begins again. */
  readonly flowVersion: number;
  /** The name that was typed. */
  readonly login: string | null;
  readonly userId: string | null;
  readonly passed: readonly PassedStep[];
  /** The chosen alternative. */
  readonly chosen: string | null;
  /** Data that steps store, by path. */
  readonly data: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly remember: boolean;
  /** The session whose proofs are carried over; the sign-in restarts if it ends. */
  readonly sessionId?: string;
  /** The user gave a second factor and chose not to be asked for one in this browser for a while. */
  readonly trust?: boolean;
  /** The identity provider that the typed name led to, once; null where a provider was looked for without a name. */
  readonly home?: { readonly alias: string; readonly login: string | null };
  readonly link?: PendingLink;
  /** The identity provider that it came by, last. */
  readonly brokered?: BrokeredSignIn;
  /** The step that the browser left for another site with, and the hash of what it has to bring back; none once it has. */
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

/** The provider whose account waits for the proof, and cannot be the proof itself. */
export const toBeLinked = ({ link }: Progress): string | null => (link?.proven === false ? link.alias : null);

/** The answer of the provider whose account is to be linked. */
export const linkedBy = ({ link, brokered }: Progress): BrokeredSignIn => (link?.brokered ?? brokered)!;

/** The user is authenticated, by any step. */
export const isProven = ({ passed }: Progress): boolean => passed.some(({ factor }) => factor !== null);

/** RFC 8176: what was used, and `mfa` where it was more than one kind. */
export function amrOf({ passed }: Pick<Progress, "passed">): string[] {
  const methods = new Set(passed.flatMap(({ amr }) => amr));
  if (levelOf(passed) === "2") methods.add("mfa");
  return [...methods];
}

/** The authenticator by which a session that is there counts. */
export const SESSION = "cookie";
const FROM_SESSION = "session:";

/** The proofs of a session, carried over into a sign-in. */
export const carriedFrom = (proofs: readonly SessionProof[]): PassedStep[] =>
  proofs.map((proof) => ({ ...proof, path: `${FROM_SESSION}${proof.authenticator}` }));

/** Passed in this sign-in, not in one before. */
export const isNew = ({ path, authenticator }: PassedStep): boolean => !path.startsWith(FROM_SESSION) && authenticator !== SESSION;

const PASSWORD = new Set(["username-password", "password"]);

/** Tells whether a step of this kind is carried over from the session, and is not asked again. */
export function isCarried({ passed, sessionId }: Progress, authenticator: string): boolean {
  if (sessionId === undefined) return false;
  if (authenticator === "username") return true;
  const names = PASSWORD.has(authenticator) ? PASSWORD : new Set([authenticator]);
  return passed.some((step) => step.path.startsWith(FROM_SESSION) && names.has(step.authenticator));
}

/** The proofs that the session records. */
export const toProofs = ({ flow, passed }: Progress): SessionProof[] =>
  passed
    .filter(({ authenticator }) => authenticator !== SESSION)
    .map((step) => ({ ...step, flow: step.flow ?? flow }))
    .map(({ flow: of, authenticator, factor, amr, at }) => ({ flow: of, authenticator, factor, amr, at }));

/** The step is passed: its findings are kept, its own data is dropped. */
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
