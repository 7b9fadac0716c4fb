import { createHash } from "node:crypto";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";
import { type BreachRanges, folderRanges, urlRanges } from "./breach-ranges.ts";
import { loadCommonPasswords } from "./common-passwords.ts";

export interface BreachedPasswords {
  /** Tells whether the password is known to have leaked. An unavailable corpus is logged, and the shipped list decides alone. */
  has(password: string): Promise<boolean>;
  /** Throws when the configured corpus is unavailable; null where none is configured. */
  readonly probe: (() => Promise<void>) | null;
  close(): Promise<void>;
}

interface Options {
  /** A folder or URL in the range format of Have I Been Pwned, besides the list that ships. */
  readonly corpus: string | null;
  readonly log: { warn(fields: object, message: string): void };
}

const PREFIX = 5;
/** A user who is refused tries variations: a few ranges are enough. */
const KEPT_RANGES = 32;
const LOG_EVERY = MINUTE;

export function createBreachedPasswords({ corpus, log }: Options): BreachedPasswords {
  // With the first password that is checked: most starts of a server, and most commands, need none.
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

/** For what runs before there is a server, or without one: it asks no server, and knows the list that ships. */
export const shippedBreaches = (): BreachedPasswords => createBreachedPasswords({ corpus: null, log: { warn: () => undefined } });

const open = (corpus: string): BreachRanges => (/^https?:[/][/]/i.test(corpus) ? urlRanges(corpus) : folderRanges(corpus));

/** A count of 0 is padding: a line that is there to hide the size of the range. */
const isListed = (lines: string, suffix: string): boolean => new RegExp(`^${suffix}:0*[1-9]`, "im").test(lines);
