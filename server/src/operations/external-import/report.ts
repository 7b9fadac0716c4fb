/** A pattern of the source, such as `clients[].attributes.saml.encrypt`, and how often it occurred. */
interface Counted {
  readonly path: string;
  count: number;
}

interface Unmapped extends Counted {
  readonly reason: string;
  /** The first occurrence, such as `clients[shop]` or `users[3]`, without its value. */
  readonly first: string;
}

/** The members of one kind of object that are carried over, or left out on purpose. Any other member is unmapped. */
export interface Known {
  readonly mapped: readonly string[];
  readonly ignored?: readonly string[];
  /** Members that are reported separately, in more detail. */
  readonly apart?: readonly string[];
  /** Members whose names begin with one of these are left out on purpose, too. */
  readonly ignoredPrefixes?: readonly string[];
}

const NO_PLACE = "This has no place here";
/** The most patterns in a list. A file with more unknown members is not the export that it seemed to be. */
const MAX_PATTERNS = 2_000;

/** Counts the members of an export by pattern, in a list for each thing that can become of them. */
export class Report {
  readonly #mapped = new Map<string, Counted>();
  readonly #ignored = new Map<string, Counted>();
  readonly #unmapped = new Map<string, Unmapped>();
  readonly #choices: string[] = [];

  /** Sorts the members of an object into the three lists. */
  members(
    pattern: string,
    at: string,
    value: Readonly<Record<string, unknown>>,
    { mapped, ignored = [], apart = [], ignoredPrefixes = [] }: Known,
  ): void {
    for (const [name, member] of Object.entries(value)) {
      if (saysNothing(member) || apart.includes(name)) continue;
      const path = pattern === "" ? name : `${pattern}.${name}`;
      if (mapped.includes(name)) count(this.#mapped, path, 1);
      else if (ignored.includes(name) || ignoredPrefixes.some((prefix) => name.startsWith(prefix))) count(this.#ignored, path, 1);
      else this.unmapped(path, NO_PLACE, at);
    }
  }

  mapped(path: string, times = 1): void {
    count(this.#mapped, path, times);
  }

  ignored(path: string, times = 1): void {
    count(this.#ignored, path, times);
  }

  unmapped(path: string, reason: string, first: string): void {
    const key = `${path}\u0000${reason}`;
    const known = this.#unmapped.get(key);
    if (known) known.count++;
    else if (this.#unmapped.size < MAX_PATTERNS) this.#unmapped.set(key, { path, reason, count: 1, first: first.slice(0, 200) });
  }

  /** Adds a decision that only an administrator can take. */
  choice(text: string): void {
    if (!this.#choices.includes(text)) this.#choices.push(text);
  }

  get() {
    const sorted = <T extends Counted>(all: Map<string, T>): T[] =>
      [...all.values()].sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
    return {
      mapped: sorted(this.#mapped),
      ignored: sorted(this.#ignored),
      unmapped: sorted(this.#unmapped),
      choices: this.#choices,
    };
  }
}

function count(all: Map<string, Counted>, path: string, times: number): void {
  const known = all.get(path);
  if (known) known.count += times;
  else if (all.size < MAX_PATTERNS) all.set(path, { path, count: times });
}

/** Tells whether a value counts as absent: other systems also write members that are not set. */
function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false || value === "false") return true;
  return typeof value === "object" && Object.values(value).every((member) => typeof member === "object" && saysNothing(member));
}
