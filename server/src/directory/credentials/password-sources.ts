import { AppError } from "../../kernel/errors.ts";
import { NO_ID } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { PasswordHasher } from "../../platform/passwords/index.ts";
import { findPassword } from "./passwords.store.ts";

export interface PasswordQuestion {
  readonly realm: string;
  /** The user of a typed login name; null: none. */
  readonly userId: string | null;
  readonly login: string;
  readonly password: string;
  /**
   * Counts the attempt for an account that a source found by a name that no user has: directories ignore blanks, for example, and many spellings
   * lead to one account. False: its password must not be tried now.
   */
  attempted(account: FoundAccount): Promise<boolean>;
}

export interface FoundAccount {
  /** The user that the account is here; null: none yet. */
  readonly userId: string | null;
  /** Identifies the account in the realm. */
  readonly id: string;
}

/** `unknown`: not this source's user, ask the next. A source that knows the user decides. */
export type PasswordAnswer =
  | {
      readonly verdict: "right";
      readonly userId: string;
      /** The hash it was checked against, where that is ours: it must still be the user's when the session starts. */
      readonly checked?: string;
      /** When that password was set. */
      readonly setAt?: number;
      /** The hash should be replaced by a current one. */
      readonly outdated?: boolean;
      /** The source wants it replaced, and takes a new one from here. */
      readonly mustChange?: boolean;
      /** In the transaction that accepts it. */
      accepted?(ctx: Ctx): Promise<void>;
    }
  /** Right, but to be replaced first, which cannot be done here. */
  | { readonly verdict: "elsewhere"; readonly userId: string }
  | { readonly verdict: "wrong" }
  | { readonly verdict: "unknown" };

/** A source cannot be asked now. */
class SourceUnavailable extends AppError {
  /** Nothing is known about the password, and it is the user's own directory that is silent: the attempt is not counted. */
  readonly isUncounted: boolean;

  constructor(cause: unknown, isUncounted: boolean) {
    super("auth.directory_unavailable", 503, "Passwords of this account cannot be checked at the moment. Please try again soon.", {
      cause,
      headers: { "retry-after": String(UNAVAILABLE_SECONDS) },
    });
    this.isUncounted = isUncounted;
  }
}

/** The directory of a user who is here does not answer. */
export const directoryUnavailable = (cause?: unknown): AppError => new SourceUnavailable(cause, true);

/**
 * The answer to a wrong password, and to a name that no user has, while a directory does not answer that might know the name. It is the one that
 * users of that directory get, so that it does not reveal which names are local; but it is an attempt.
 */
export const nothingKnown = (cause?: unknown): AppError => new SourceUnavailable(cause, false);

export const isUnavailable = (error: unknown): error is AppError => error instanceof SourceUnavailable;
export const isUncounted = (error: unknown): boolean => !(error instanceof SourceUnavailable) || error.isUncounted;

export const UNAVAILABLE_SECONDS = 10;

/** The sources that check passwords, asked in turn. */
export interface PasswordSource {
  readonly name: string;
  check(question: PasswordQuestion): Promise<PasswordAnswer>;
  /** Asks for a name as if no user had it, after another source found its password wrong. Throws where that cannot be done now. */
  probe?(question: PasswordQuestion): Promise<void>;
}

/** Our own hashes. Asked last: for an unknown login name it takes the time of a wrong password. */
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
