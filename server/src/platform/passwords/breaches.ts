import { createHash } from "node:crypto";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";
import { type BreachRanges, folderRanges, urlRanges } from "./breach-ranges.ts";
import { loadCommonPasswords } from "./common-passwords.ts";

export interface BreachedPasswords {
  /** Tells whether the password is known to have leaked. If the corpus is unavailable, this is logged, and only the shipped list is checked. */
  has(password: string): Promise<boolean>;
  /** Throws if the configured corpus is unavailable. Null if none is configured. */
  readonly probe: (() => Promise<void>) | null;
  close(): Promise<void>;
}

interface Options {
  /** A folder or URL in the range format of Have I Been Pwned, in addition to the list that ships. */
  readonly corpus: string | null;
  readonly log: { warn(fields: object, message: string): void };
}

const PREFIX = 5;
/** The number of ranges that are kept. A refused user tries variations, so a few are enough. */
const KEPT_RANGES = 32;
const LOG_EVERY = MINUTE;

export function createBreachedPasswords({ corpus, log }: Options): BreachedPasswords {
  // The list is loaded for the first password that is checked, because most starts of a server, and most commands, check none.
  let isCommon: ReturnType<typeof loadCommonPasswords> | undefined;
  const ranges = corpus === null ? null : open(corpus);
  const kept = createLru<string>(KEPT_RANGES);
  let loggedAt = Number.NEGATIVE_INFINITY;

  const linesOf = async (source: BreachRanges, prefix: string): Promise<string> => {
    const known = kept.get(prefix);
    if (known !== undefined) return known;
    const lines = await source.range(prefix);
    kept.set(prefix, lines);
    return lines;
  };

  return {
    async has(password) {
      const sha1 = createHash("sha1").update(password.normalize("NFC")).digest();
      isCommon ??= loadCommonPasswords();
      if (isCommon(sha1)) return true;
      if (!ranges) return false;
      const hex = sha1.toString("hex").toUpperCase();
      try {
        return isListed(await linesOf(ranges, hex.slice(0, PREFIX)), hex.slice(PREFIX));
      } catch (err) {
        if (clock.now() - loggedAt >= LOG_EVERY) {
          loggedAt = clock.now();
          log.warn({ err }, "the corpus of breached passwords is unavailable; only the shipped list is checked");
        }
        return false;
      }
    },
    probe: ranges && (() => ranges.probe()),
    close: async () => ranges?.close(),
  };
}

/** Returns a check by the shipped list alone, for code that runs before or without a server. It sends no request. */
export const shippedBreaches = (): BreachedPasswords => createBreachedPasswords({ corpus: null, log: { warn: () => undefined } });

const open = (corpus: string): BreachRanges => (/^https?:[/][/]/i.test(corpus) ? urlRanges(corpus) : folderRanges(corpus));

/** Tells whether the lines contain the suffix. A line with count 0 is padding, which hides the size of the range. */
const isListed = (lines: string, suffix: string): boolean => new RegExp(`^${suffix}:0*[1-9]`, "im").test(lines);
