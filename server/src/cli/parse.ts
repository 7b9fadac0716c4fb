import { parseArgs } from "node:util";
import { didYouMean } from "../kernel/suggest.ts";
import { type CommandEntry, type Invocation, type Shape, UsageError } from "./command.ts";
import { type CommandName, commandNames, entryOf, isCommand, optionsOf } from "./commands.ts";

type Parsed = Pick<Invocation, "action" | "args" | "options"> & { readonly command: CommandName };

const SHORT: ReadonlyMap<string, string> = new Map([
  ["-h", "--help"],
  ["-v", "--version"],
  ["-f", "--file"],
]);

/** Parses a command line. An argument that does not fit leads to a UsageError, which names the valid ones. */
export function parse(given: readonly string[]): Parsed {
  const argv = given.map((word) => SHORT.get(word) ?? word);
  const [first, ...rest] = argv.filter((word) => word !== "--json");
  if (first === undefined) throw new UsageError("No command was given.");
  if (first === "--help") return parse(["help", ...rest]);
  if (first === "--version") return parse(["version", ...rest]);
  if (first.startsWith("-")) throw new UsageError(`The command comes first, then its flags: gatehouse <command> ${first}`);
  if (!isCommand(first)) throw new UsageError(`There is no command "${first}".${didYouMean(first, commandNames)}`);
  return parseCommand(first, entryOf(first), rest);
}

function parseCommand(command: CommandName, entry: CommandEntry, words: readonly string[]): Parsed {
  const [action = null, ...rest] = entry.actions ? words : [null, ...words];
  if (entry.actions && action !== "--help") checkAction(command, Object.keys(entry.actions), action);
  const chosen = action === "--help" ? null : action;
  const { options, args } = readWords(command, entry, chosen, action === "--help" ? words : (rest as string[]));
  if (options.help !== true) checkArgs(command, (chosen !== null && entry.actions?.[chosen]) || entry, args);
  return { command, action: chosen, args, options };
}

function checkAction(command: CommandName, actions: readonly string[], action: string | null): void {
  if (action !== null && actions.includes(action)) return;
  const known = `It takes: ${actions.join(", ")}.`;
  if (action === null || action.startsWith("-")) throw new UsageError(`"gatehouse ${command}" needs an action. ${known}`, command);
  throw new UsageError(`"gatehouse ${command}" has no "${action}".${didYouMean(action, actions) || ` ${known}`}`, command);
}

function readWords(command: CommandName, entry: CommandEntry, action: string | null, words: readonly string[]) {
  const known = new Map(optionsOf(entry, action).map((option) => [option.name, option]));
  const { tokens } = parseArgs({
    args: [...words],
    // Strict mode is off, because its messages do not suggest similar names.
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      [...known.values()].map(({ name, value }) => [name, { type: value === null ? "boolean" : "string" } as const]),
    ),
  });
  const options: Record<string, string | boolean> = {};
  const args: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") args.push(token.value);
    if (token.kind !== "option") continue;
    const option = known.get(token.name);
    if (!option) {
      const names = [...known.keys()].map((name) => `--${name}`);
      throw new UsageError(`"gatehouse ${command}" has no flag ${token.rawName}.${didYouMean(token.rawName, names)}`, command);
    }
    if (option.value === null) {
      if (token.value !== undefined) throw new UsageError(`--${token.name} takes no value.`, command);
      options[token.name] = true;
    } else {
      // Without the equals sign the next word is taken as the value, even if it is a flag. A dash alone stands for standard input.
      const missing = token.value === undefined || token.value === "" || (!token.inlineValue && /^-./.test(token.value));
      if (missing) throw new UsageError(`--${token.name} needs a value: --${token.name}=<${option.value}>`, command);
      options[token.name] = token.value as string;
    }
  }
  return { options, args };
}

function checkArgs(command: CommandName, { args: names = [] }: Shape, args: readonly string[]): void {
  const required = names.filter((name) => name.startsWith("<"));
  if (args.length < required.length) throw new UsageError(`"gatehouse ${command}" needs ${required[args.length]}.`, command);
  if (args.length > names.length) throw new UsageError(`"gatehouse ${command}" takes no argument "${args[names.length]}".`, command);
}
