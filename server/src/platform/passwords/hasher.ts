import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { hash, type ParsedHashOptions, parseOptions, verify } from "@node-rs/argon2";
import { AppError } from "../../kernel/errors.ts";
import { createSemaphore, SemaphoreFull } from "../../kernel/semaphore.ts";
import { readForeignHash } from "./foreign.ts";

/** The cost of one hash. */
export interface HashParams {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly parallelism: number;
}

export interface PasswordHasher {
  /** Returns a PHC string with a new salt. Refuses text that cannot be a password with 400 `password.policy`. */
  hash(password: string): Promise<string>;
  /** Tells whether the password belongs to the hash, which is ours or that of another system. An unreadable hash matches no password. */
  verify(encoded: string, password: string): Promise<boolean>;
  /** Costs as much as `verify` and never succeeds, for users that do not exist or have no password. */
  verifyNothing(password: string): Promise<false>;
  /** Tells whether the hash was made elsewhere or at another cost than today's, so that the next sign-in should replace it. */
  needsRehash(encoded: string): boolean;
  /** Tells whether a call would be refused at this moment, for callers that have other work to do first. */
  isOverloaded(): boolean;
  stats(): { running: number; waiting: number };
}

/** Far more than any policy allows (128 characters by default), and far less than what would take long to normalise and hash. */
const MAX_PASSWORD_BYTES = 1024;

// OWASP's first choice for Argon2id, and the default of decisions.md: 19 MiB, two passes, one lane.
const DEFAULT_PARAMS: HashParams = { memoryKiB: 19 * 1024, passes: 2, parallelism: 1 };
const OUTPUT_BYTES = 32;
const SALT_BYTES = 16;
// A shorter output has so few values that a wrong password may match.
const MIN_OUTPUT_BYTES = 16;
// `Algorithm.Argon2id` and `Version.V0x13`: the package declares const enums, which isolated modules cannot read.
const ARGON2ID = 2;
const VERSION_19 = 1;
// A stored or imported hash determines its own cost. Beyond this one it is an attack on the server and not a hash.
const CEILING: HashParams = { memoryKiB: 256 * 1024, passes: 16, parallelism: 16 };
/** A request that would wait longer is refused at once: after this time the person would have pressed the button again. */
const MAX_WAIT_MS = 2000;
/** The assumed time of a hash until some were measured. */
const ASSUMED_MS = 30;
/** The weight of the latest hash in the average. A machine that becomes busy is noticed after a few hashes. */
const LATEST = 0.2;
/** The longest queue, even if hashes are cheap: each waiting request takes memory. */
const MAX_WAITING = 10_000;

/** Thrown by a hasher whose queue is full. Callers that check `isOverloaded` before other work throw it themselves. */
export const overloaded = (cause?: unknown) =>
  new AppError("auth.overloaded", 503, "Too many people are signing in at this moment. Please try again in a few seconds.", {
    cause,
    headers: { "retry-after": "2" },
  });
export const isOverloaded = (error: unknown): error is AppError => error instanceof AppError && error.code === "auth.overloaded";

/**
 * Returns the bytes to hash, or null if the text cannot be a password.
 *
 * The text is normalised to NFC, because one keyboard produces "é" as one code point and another as two, and both must work (RFC 8265 §4.2, OpaqueString). It
 * is not NFKC, which maps characters that people can distinguish ("①" and "1") to the same one and so weakens passwords.
 */
function passwordBytes(password: string): Buffer | null {
  // Normalisation makes a text at most a few times shorter, so a text of this length cannot fit.
  if (password.length > 4 * MAX_PASSWORD_BYTES) return null;
  // A lone surrogate has no UTF-8 form: Node would write U+FFFD, and different passwords would become the same.
  if (!password.isWellFormed()) return null;
  const bytes = Buffer.from(password.normalize("NFC"), "utf8");
  return bytes.length > MAX_PASSWORD_BYTES ? null : bytes;
}

/** Returns the hash's parameters, or null if this server should not compute it. */
function readable(phc: string): ParsedHashOptions | null {
  let parsed: ParsedHashOptions;
  try {
    parsed = parseOptions(phc);
  } catch {
    // This is not a PHC string: the caller treats it as a hash that no password matches.
    return null;
  }
  const { memoryCost, timeCost, parallelism, outputLen } = parsed;
  const isPayable = memoryCost <= CEILING.memoryKiB && timeCost <= CEILING.passes && parallelism <= CEILING.parallelism;
  return isPayable && outputLen >= MIN_OUTPUT_BYTES ? parsed : null;
}

/** Tells whether `verify` can ever succeed with the hash, for importers of hashes that another system made. */
export const isKnownHash = (encoded: string): boolean => readable(encoded) !== null || readForeignHash(encoded) !== null;

export function createPasswordHasher(
  options: { concurrency?: number; maxQueue?: number; maxWaitMs?: number; params?: Partial<HashParams> } = {},
): PasswordHasher {
  const { concurrency = availableParallelism(), maxWaitMs = MAX_WAIT_MS } = options;
  let averageMs = ASSUMED_MS;
  // The last in a queue of n waits for n hashes, which the permits share.
  const maxQueue = options.maxQueue ?? (() => Math.min(MAX_WAITING, Math.floor((maxWaitMs * concurrency) / averageMs)));
  const params: HashParams = { ...DEFAULT_PARAMS, ...options.params };
  const argon2 = {
    algorithm: ARGON2ID,
    version: VERSION_19,
    memoryCost: params.memoryKiB,
    timeCost: params.passes,
    parallelism: params.parallelism,
    outputLen: OUTPUT_BYTES,
  };
  const semaphore = createSemaphore({ permits: concurrency, maxWaiting: maxQueue });
  const decoy = hashOfNothing(params);

  const measured = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    try {
      return await work();
    } finally {
      averageMs += LATEST * (performance.now() - began - averageMs);
    }
  };

  const queued = <T>(work: () => Promise<T>): Promise<T> =>
    semaphore
      .run(() => measured(work))
      .catch((error: unknown) => {
        throw error instanceof SemaphoreFull ? overloaded(error) : error;
      });

  const check = async (encoded: string, password: string): Promise<boolean> => {
    const bytes = passwordBytes(password);
    // No stored hash can belong to this text. Known and unknown users get the same answer, at no cost.
    if (bytes === null) return false;
    if (await checkBytes(encoded, bytes)) return true;
    // Other systems hash the typed text without normalising it.
    const typed = Buffer.from(password, "utf8");
    return !typed.equals(bytes) && typed.length <= MAX_PASSWORD_BYTES && checkBytes(encoded, typed);
  };

  const checkBytes = async (encoded: string, bytes: Buffer): Promise<boolean> => {
    if (readable(encoded)) return queued(() => verify(encoded, bytes));
    const foreign = readForeignHash(encoded);
    // An unreadable hash costs as much as a readable one, so that the time does not reveal which users have one.
    if (!foreign) return queued(() => verify(decoy, bytes));
    return queued(async () => {
      const belongs = await foreign.verify(bytes);
      if (foreign.cheap) await verify(decoy, bytes);
      return belongs;
    });
  };

  return {
    async hash(password) {
      const bytes = passwordBytes(password);
      if (bytes === null) {
        throw new AppError(
          "password.policy",
          400,
          `A password has at most ${MAX_PASSWORD_BYTES} bytes of valid Unicode text. Please choose a shorter one.`,
        );
      }
      return queued(() => hash(bytes, argon2));
    },
    verify: check,
    async verifyNothing(password) {
      await check(decoy, password);
      return false;
    },
    needsRehash(encoded) {
      const made = readable(encoded);
      return (
        made === null ||
        made.algorithm !== ARGON2ID ||
        made.version !== VERSION_19 ||
        made.memoryCost !== params.memoryKiB ||
        made.timeCost !== params.passes ||
        made.parallelism !== params.parallelism ||
        made.outputLen < OUTPUT_BYTES
      );
    },
    isOverloaded: semaphore.isFull,
    stats: semaphore.stats,
  };
}

/**
 * Returns a well-formed hash of no known password. Its output is random: a check costs the same as with a real hash, no password matches, and the start need
 * not compute one.
 */
function hashOfNothing({ memoryKiB, passes, parallelism }: HashParams): string {
  const field = (length: number) => randomBytes(length).toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${field(SALT_BYTES)}$${field(OUTPUT_BYTES)}`;
}
