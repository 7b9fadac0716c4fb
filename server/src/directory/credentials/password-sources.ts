import { AppError } from "../../kernel/errors.ts";
import { NO_ID } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { PasswordHasher } from "../../platform/passwords/index.ts";
import { findPassword } from "./passwords.store.ts";

export interface PasswordQuestion {
  readonly realm: string;
  /** The user of the typed login name; null if no user has it. */
  readonly userId: string | null;
  readonly login: string;
  readonly password: string;
  /**
   * Counts the attempt for an account that a source found by a name that no user has: directories ignore blanks, for example, so that many spellings
   * lead to one account. Returns false if its password must not be tried now.
   */
  attempted(account: FoundAccount): Promise<boolean>;
}

export interface FoundAccount {
  /** The user of this account; null if there is none yet. */
  readonly userId: string | null;
  /** Identifies the account in the realm. */
  readonly id: string;
}

/** The answer of a source. `unknown` means that the user is not this source's, so the next one is asked. A source that knows the user decides. */
export type PasswordAnswer =
  | {
      readonly verdict: "right";
      readonly userId: string;
      /** The hash that the password was checked against, if it is stored here. It must still be the user's when the session starts. */
      readonly checked?: string;
      /** The time at which that password was set. */
      readonly setAt?: number;
      /** True if the hash should be replaced by one with current parameters. */
      readonly outdated?: boolean;
      /** True if the source demands a new password, and takes it from here. */
      readonly mustChange?: boolean;
      /** Called in the transaction that accepts the password. */
      accepted?(ctx: Ctx): Promise<void>;
    }
  /** The password is right, but must be replaced first, which cannot be done here. */
  | { readonly verdict: "elsewhere"; readonly userId: string }
  | { readonly verdict: "wrong" }
  | { readonly verdict: "unknown" };

/** A source cannot be asked at the moment. */
class SourceUnavailable extends AppError {
  /** True if the user's own directory does not answer, so that nothing is known about the password: the attempt is not counted. */
  readonly isUncounted: boolean;

  constructor(cause: unknown, isUncounted: boolean) {
    super("auth.directory_unavailable", 503, "Passwords of this account cannot be checked at the moment. Please try again soon.", {
      cause,
      headers: { "retry-after": String(UNAVAILABLE_SECONDS) },
    });
    this.isUncounted = isUncounted;
  }
}

/** The directory of an existing user does not answer. */
export const directoryUnavailable = (cause?: unknown): AppError => new SourceUnavailable(cause, true);

/**
 * The answer to a wrong password, and to a name that no user has, while a directory that might know the name does not answer. Users of that directory
 * get the same answer, so it does not reveal which names are local. Unlike theirs, the attempt is counted.
 */
export const nothingKnown = (cause?: unknown): AppError => new SourceUnavailable(cause, false);

export const isUnavailable = (error: unknown): error is AppError => error instanceof SourceUnavailable;
export const isUncounted = (error: unknown): boolean => !(error instanceof SourceUnavailable) || error.isUncounted;

export const UNAVAILABLE_SECONDS = 10;

/** A source that checks passwords. The sources are asked in turn. */
export interface PasswordSource {
  readonly name: string;
  check(question: PasswordQuestion): Promise<PasswordAnswer>;
  /** Asks for a name as if no user had it, after another source found its password wrong. Throws if the source does not answer. */
  probe?(question: PasswordQuestion): Promise<void>;
}

/** The source of the hashes that are stored here. It is asked last: for an unknown login name it takes as long as for a wrong password. */
export const localPasswords = (db: Db, hasher: PasswordHasher): PasswordSource => ({
  name: "local",
  async check({ realm, userId, password }) {
    const credential = await findPassword(db, realm, userId ?? NO_ID);
    if (!credential) {
      await hasher.verifyNothing(password);
      return { verdict: "unknown" };
    }
    if (!(await hasher.verify(credential.hash, password))) return { verdict: "wrong" };
    return {
      verdict: "right",
      userId: userId!,
      checked: credential.hash,
      setAt: credential.createdAt,
      outdated: hasher.needsRehash(credential.hash),
    };
  },
});
