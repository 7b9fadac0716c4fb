import { ConfigError } from "../config/errors.ts";
import { type Command, type ExitCode, type Invocation, UsageError } from "./command.ts";
import type { CommandName } from "./commands.ts";
import { commandHelp, usage } from "./help.ts";
import { parse } from "./parse.ts";
import { inWords } from "./system-errors.ts";

/** The commands are loaded on demand, so that `version` does not load a database driver. */
const loaders: Readonly<Record<CommandName, () => Promise<{ readonly run: Command }>>> = {
  start: () => import("./start.ts"),
  migrate: () => import("./migrate.ts"),
  admin: () => import("./admin.ts"),
  realm: () => import("./realm.ts"),
  apply: () => import("./apply.ts"),
  diff: () => import("./apply.ts"),
  key: () => import("./key.ts"),
  config: () => import("./config.ts"),
  doctor: () => import("./doctor.ts"),
  healthcheck: () => import("./healthcheck.ts"),
  openapi: () => import("./openapi.ts"),
  version: () => import("./version.ts"),
  help: () => import("./help.ts"),
};

/** Runs a command line and returns its exit code. It never throws. */
export async function runCli(argv: readonly string[], { template }: Pick<Invocation, "template"> = {}): Promise<ExitCode> {
  // The raw words are searched, because a line that cannot be parsed must be answered in the right form as well.
  const json = argv.includes("--json");
  try {
    const parsed = parse(argv);
    const call: Invocation = {
      ...parsed,
      json,
      template,
      print: (data, text) => console.log(json ? JSON.stringify(data, null, 2) : text),
      note: (text) => console.error(text),
    };
    if (parsed.options.help === true && parsed.command !== "help") {
      const help = commandHelp(parsed.command);
      call.print(help.data, help.text);
      return 0;
    }
    const { run } = await loaders[parsed.command]();
    return await run(call);
  } catch (error) {
    return fail(inWords(error), argv, json);
  }
}

/** Tells whether the command's exit code 2 means that something would change: a pipeline must not take a typing mistake for that. */
const showsChanges = ([command, action]: readonly string[]) =>
  command === "apply" || command === "diff" || (command === "realm" && action === "import");

function fail(error: unknown, argv: readonly string[], json: boolean): ExitCode {
  if (error instanceof UsageError) {
    report(json, { error: { code: "usage", message: error.message } }, `${error.message}\n\n${usage(error.command)}`);
    return showsChanges(argv.filter((word) => word !== "--json")) ? 1 : 2;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ConfigError) {
    report(json, { error: { code: "config.invalid", message, problems: error.problems } }, message);
  } else {
    report(json, { error: { code: "failed", message } }, message);
  }
  return 1;
}

/** Writes problems to stderr in either form, so that stdout has only answers. */
function report(json: boolean, data: unknown, text: string): void {
  console.error(json ? JSON.stringify(data, null, 2) : text);
}
