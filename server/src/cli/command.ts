/** 0 means done and 1 failed. 2 means wrong usage or, for a comparison, that there are differences. */
export type ExitCode = 0 | 1 | 2;

export interface Option {
  readonly name: string;
  /** The value's placeholder in the help. Null for a switch. */
  readonly value: string | null;
  readonly doc: string;
}

/** The arguments and options of a command, or of one of its actions. */
export interface Shape {
  readonly summary: string;
  /** Names of positional arguments, as shown in the usage: `[command]` is optional, `<name>` is not. */
  readonly args?: readonly string[];
  readonly options?: readonly Option[];
}

/** A command with its line in the list of commands. */
export interface CommandEntry extends Shape {
  /** The words that may follow. A command with actions takes exactly one of them, and the action takes the arguments. */
  readonly actions?: Readonly<Record<string, Shape>>;
  /** True if it takes the flags of the configuration (`--config`, `--port`, …). */
  readonly readsConfig?: boolean;
}

export interface Invocation {
  readonly command: string;
  readonly action: string | null;
  readonly args: readonly string[];
  /** The given values by option name; a switch is `true`. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly json: boolean;
  /** Settled once the template of the embedded database exists, if a build beside this command is making one. */
  readonly template?: Promise<void> | undefined;
  /** Prints the answer to stdout: `data` with `--json`, otherwise the text. */
  print(data: unknown, text: string): void;
  /** Prints progress and remarks, which are not part of the answer, to stderr, always as text. */
  note(text: string): void;
}

export type Command = (call: Invocation) => Promise<ExitCode>;

/** Wrong usage: the usage text goes to stderr, with exit code 2 (1 for commands whose 2 means that something would change). */
export class UsageError extends Error {
  /** The command whose usage is shown, if one was recognised. */
  readonly command: string | null;

  constructor(message: string, command: string | null = null) {
    super(message);
    this.name = "UsageError";
    this.command = command;
  }
}
