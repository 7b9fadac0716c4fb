import { didYouMean } from "../kernel/suggest.ts";
import { type Command, type Option, UsageError } from "./command.ts";
import { type CommandName, commandNames, entryOf, isCommand, optionsOf } from "./commands.ts";

export const run: Command = async (call) => {
  const [command] = call.args;
  if (command !== undefined && !isCommand(command)) {
    throw new UsageError(`There is no command "${command}".${didYouMean(command, commandNames)}`);
  }
  const help = command === undefined ? overview() : commandHelp(command);
  call.print(help.data, help.text);
  return 0;
};

/** Returns the short form of the help, which is shown after a mistake. */
export function usage(command: string | null): string {
  if (command === null || !isCommand(command)) return overview().text;
  return [...usageLines(command).map((line) => `Usage: ${line}`), `More: gatehouse help ${command}`].join("\n");
}

function overview() {
  const rows = commandNames.map((name): Row => {
    const { actions = {}, args = [], summary } = entryOf(name);
    return [[name, Object.keys(actions).join("|"), ...args].filter((word) => word !== "").join(" "), summary];
  });
  const lines = ["Gatehouse, a multi-tenant identity provider.", "", "Usage: gatehouse <command> [flags]", "", ...table(rows)];
  lines.push("", 'Every command takes --json and --help. "gatehouse help <command>" says more.');
  return { data: { commands: commandNames.map((name) => commandHelp(name).data) }, text: lines.join("\n") };
}

export function commandHelp(command: CommandName) {
  const entry = entryOf(command);
  const actions = Object.entries(entry.actions ?? {});
  const lines = [`${entry.summary}.`, "", ...usageLines(command).map((line) => `Usage: ${line}`)];
  for (const [name, { summary, options = [] }] of actions) {
    lines.push("", `${name}: ${summary}.`, ...table(options.map(optionRow)));
  }
  lines.push("", "Flags:", ...table(optionsOf(entry, null).map(optionRow)));
  const data = {
    command,
    summary: entry.summary,
    usage: usageLines(command),
    actions: actions.map(([name, { summary, options = [] }]) => ({ name, summary, options: options.map(optionData) })),
    options: optionsOf(entry, null).map(optionData),
  };
  return { data, text: lines.join("\n") };
}

function usageLines(command: CommandName): string[] {
  const { actions, args = [] } = entryOf(command);
  const forms = actions ? Object.entries(actions).map(([name, shape]) => [name, ...(shape.args ?? [])]) : [args];
  return forms.map((words) => ["gatehouse", command, ...words, "[flags]"].join(" "));
}

const optionData = ({ name, value, doc }: Option) => ({ name: `--${name}`, takesValue: value !== null, description: doc });

type Row = readonly [left: string, right: string];

const optionRow = ({ name, value, doc }: Option): Row => [`--${name}${value === null ? "" : ` <${value}>`}`, doc];

function table(rows: readonly Row[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
