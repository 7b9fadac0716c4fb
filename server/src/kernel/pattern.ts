/**
 * Regular expressions that are matched in time proportional to the length of the text, whatever the pattern (Thompson's construction). With an engine that
 * backtracks, an administrator or the value of a claim could stop the server. A pattern matches the whole value. It may have characters, `.`, classes, `\d \w
 * \s`, groups, `|`, `* + ?` and `{n,m}`; references and lookaround are refused.
 */
export const MAX_PATTERN = 255;
export const MAX_SUBJECT = 1024;
const MAX_STATES = 2_000;

/**
 * The states that the patterns of one request may visit, with all its values. An ordinary pattern visits a few for each character; the largest one visits two
 * million for one value.
 */
export interface PatternEffort {
  left: number;
}
export const newEffort = (): PatternEffort => ({ left: 2_000_000 });
/** The share of one value. */
const MOST_FOR_VALUE = 200_000;

class PatternError extends Error {}

type Test = (char: string) => boolean;
type State =
  | { readonly kind: "char"; readonly test: Test; next: number }
  | { readonly kind: "split"; next: number; other: number }
  | { readonly kind: "end" };

type Node =
  | { readonly kind: "char"; readonly test: Test }
  | { readonly kind: "all" | "any"; readonly nodes: readonly Node[] }
  | { readonly kind: "repeat"; readonly node: Node; readonly least: number; readonly most: number };

/** Tells whether a text matches. Null means that it takes too much effort to find out. */
export type Pattern = (text: string, effort: PatternEffort) => boolean | null;

/** Throws `PatternError` if the pattern cannot be used. */
export function compilePattern(source: string): Pattern {
  const states: State[] = [{ kind: "end" }];
  const start = build(parse(source), 0, states);
  const program = programOf(states, start);
  return (text, effort) => run(program, text, effort);
}

/** Returns the reason why the pattern cannot be used, as a continuation of its name, or null if it can be used. */
export function patternFault(source: string): string | null {
  try {
    compilePattern(source);
    return null;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.message;
  }
}

/** Adds the states of `node`, which lead to `next`, and returns the first of them. */
function build(node: Node, next: number, states: State[]): number {
  const add = (state: State): number => {
    if (states.length >= MAX_STATES) throw new PatternError("repeats too much");
    return states.push(state) - 1;
  };
  switch (node.kind) {
    case "char":
      return add({ kind: "char", test: node.test, next });
    case "all":
      return node.nodes.reduceRight((after, each) => build(each, after, states), next);
    case "any":
      return node.nodes.map((each) => build(each, next, states)).reduce((one, other) => add({ kind: "split", next: one, other }));
    case "repeat": {
      let after = next;
      if (node.most === Number.POSITIVE_INFINITY) {
        const loop = { kind: "split" as const, next: 0, other: next };
        after = add(loop);
        loop.next = build(node.node, after, states);
      } else
        for (let optional = node.least; optional < node.most; optional++)
          after = add({ kind: "split", next: build(node.node, after, states), other: next });
      for (let needed = 0; needed < node.least; needed++) after = build(node.node, after, states);
      return after;
    }
  }
}

const [SPLIT, END] = [-1, -2];

/** The states in arrays, because a run visits each of them for every character. */
interface Program {
  readonly start: number;
  readonly next: Int32Array;
  readonly other: Int32Array;
  /** The number of the state's test, or `SPLIT` or `END`. Copies of a repeated part share their tests. */
  readonly testOf: Int32Array;
  readonly tests: readonly Test[];
}

function programOf(states: readonly State[], start: number): Program {
  const tests = [...new Set(states.flatMap((state) => (state.kind === "char" ? [state.test] : [])))];
  const numbers = new Map(tests.map((test, number) => [test, number]));
  return {
    start,
    tests,
    next: Int32Array.from(states, (state) => (state.kind === "end" ? 0 : state.next)),
    other: Int32Array.from(states, (state) => (state.kind === "split" ? state.other : 0)),
    testOf: Int32Array.from(states, (state) => (state.kind === "char" ? numbers.get(state.test)! : state.kind === "split" ? SPLIT : END)),
  };
}

/** Each character visits a state at most once, and is compared by a test at most once. */
function run({ start, next, other, testOf, tests }: Program, text: string, effort: PatternEffort): boolean | null {
  const allowed = Math.min(MOST_FOR_VALUE, effort.left);
  let visits = 0;
  // The step in which a state was reached last, and the verdict of a test about the character of the step.
  const reachedIn = new Uint32Array(next.length);
  const verdicts = new Uint8Array(tests.length);
  const [UNKNOWN, HOLDS, FAILS] = [0, 1, 2];
  let current = new Int32Array(next.length);
  let following = new Int32Array(next.length);
  let count = 0;
  let step = 1;
  const open: number[] = [];
  const reach = (state: number) => {
    open.push(state);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reachedIn[at] === step) continue;
      reachedIn[at] = step;
      visits += 1;
      if (testOf[at] === SPLIT) open.push(next[at]!, other[at]!);
      else following[count++] = at;
    }
  };
  reach(start);
  for (const char of text) {
    [current, following] = [following, current];
    const reached = count;
    count = 0;
    step += 1;
    verdicts.fill(UNKNOWN);
    visits += tests.length + reached;
    if (visits > allowed) {
      effort.left -= allowed;
      return null;
    }
    for (let each = 0; each < reached; each++) {
      const state = current[each]!;
      const test = testOf[state]!;
      if (test === END) continue;
      if (verdicts[test] === UNKNOWN) verdicts[test] = tests[test]!(char) ? HOLDS : FAILS;
      if (verdicts[test] === HOLDS) reach(next[state]!);
    }
    if (count === 0) break;
  }
  effort.left -= visits;
  // The end is the first state.
  return reachedIn[0] === step;
}

const CLASSES: Readonly<Record<string, RegExp>> = { d: /^\d$/, D: /^\D$/u, w: /^\w$/, W: /^\W$/u, s: /^\s$/, S: /^\S$/u };
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function parse(source: string): Node {
  const chars = [...source.replace(/^\^/, "").replace(/(?<!\\)\$$/, "")];
  let at = 0;
  const refuse = (why: string): never => {
    throw new PatternError(why);
  };

  function alternatives(depth: number): Node {
    if (depth > 20) refuse("has groups that are nested too deeply");
    const nodes = [sequence(depth)];
    while (chars[at] === "|") {
      at++;
      nodes.push(sequence(depth));
    }
    return nodes.length === 1 ? nodes[0]! : { kind: "any", nodes };
  }
  function sequence(depth: number): Node {
    const nodes: Node[] = [];
    while (at < chars.length && chars[at] !== "|" && chars[at] !== ")") nodes.push(repeated(one(depth)));
    return { kind: "all", nodes };
  }
  function one(depth: number): Node {
    const char = chars[at++]!;
    if (char === "(") {
      if (chars[at] === "?") {
        if (chars[at + 1] !== ":") refuse("has a group that looks ahead or behind, or is named: use plain groups");
        at += 2;
      }
      const inner = alternatives(depth + 1);
      if (chars[at++] !== ")") refuse("has a group without its end");
      return inner;
    }
    if (char === "[") return { kind: "char", test: charClass() };
    if (char === ".") return { kind: "char", test: (each) => each !== "\n" };
    if (char === "\\") return { kind: "char", test: escaped() };
    if ("*+?{}]".includes(char)) refuse(`has a ${char} that repeats or closes nothing`);
    if ("^$".includes(char)) refuse(`has a ${char} inside: it always matches the whole value`);
    return { kind: "char", test: (each) => each === char };
  }
  function repeated(node: Node): Node {
    const char = chars[at];
    const ranges: Record<string, readonly [number, number]> = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] };
    let range = char === undefined ? undefined : ranges[char];
    if (range) at++;
    else if (char === "{") range = bounds();
    if (!range) return node;
    // A lazy quantifier matches the same whole values, so it makes no difference.
    if (chars[at] === "?") at++;
    if (["*", "+", "{"].includes(chars[at] ?? "")) refuse("has two quantifiers in a row");
    return { kind: "repeat", node, least: range[0], most: range[1] };
  }
  function bounds(): readonly [number, number] {
    const end = chars.indexOf("}", at);
    const [, least, comma, most] = /^\{(\d{1,4})(,)?(\d{1,4})?\}$/.exec(chars.slice(at, end + 1).join("")) ?? [];
    if (end < 0 || least === undefined) refuse("has a { that is not {n}, {n,} or {n,m}: write \\{ for the character");
    at = end + 1;
    const range = [Number(least), most === undefined ? (comma ? Infinity : Number(least)) : Number(most)] as const;
    if (range[1] < range[0]) refuse("has {n,m} with m below n");
    return range;
  }
  function escaped(): Test {
    const char = chars[at++] ?? refuse("ends with a \\");
    const known = CLASSES[char];
    if (known) return (each) => known.test(each);
    if (/[0-9a-zA-Z]/.test(char) && !(char in ESCAPES)) refuse(`has \\${char}, which is not known here`);
    const literal = ESCAPES[char] ?? char;
    return (each) => each === literal;
  }
  function charClass(): Test {
    const isNegated = chars[at] === "^";
    if (isNegated) at++;
    const tests: Test[] = [];
    for (let first = true; chars[at] !== "]" || first; first = false) {
      const from = chars[at++] ?? refuse("has a [ without its end");
      if (from === "\\") {
        tests.push(escaped());
        continue;
      }
      if (chars[at] === "-" && chars[at + 1] !== "]" && chars[at + 1] !== undefined) {
        const to = chars[at + 1]!;
        at += 2;
        if (to === "\\" || to < from) refuse("has a range in [] whose end is before its start");
        tests.push((each) => each >= from && each <= to && [...each].length === 1);
      } else tests.push((each) => each === from);
    }
    at++;
    return (each) => tests.some((test) => test(each)) !== isNegated;
  }

  const node = alternatives(0);
  if (at < chars.length) refuse("has a ) without its start");
  return node;
}
