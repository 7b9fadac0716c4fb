/** 0: done. 1: failed. 2: wrong usage; of a comparison: there are differences. */
export type ExitCode = 0 | 1 | 2;

export interface Option {
  readonly name: string;
  /** The value's placeholder in the help; null for a switch. */
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

/** One line of the command list. */
export interface CommandEntry extends Shape {
  /** The words that may follow. A command with actions takes exactly one of them, which takes the arguments. */
  readonly actions?: Readonly<Record<string, Shape>>;
  /** True when it takes the flags of the configuration (`--config`, `--port`, …). */
  readonly readsConfig?: boolean;
}

export interface Invocation {
  readonly command: string;
  readonly action: string | null;
  readonly args: readonly string[];
  /** The given values by option name; a switch is `true`. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly json: boolean;
  /** Settled once the template of the embedded database is there, when a build beside this command makes one. */
  readonly template?: Promise<void> | undefined;
  /** To stdout: `data` with `--json`, else the text. */
  print(data: unknown, text: string): void;
  /** To stderr, always as text: progress and remarks that are no part of the answer. */
  note(text: string): void;
}

export type Command = (call: Invocation) => Promise<ExitCode>;

/** Wrong usage: the usage text goes to stderr, exit code 2 (1 of commands where 2 says that something would change). */
export class UsageError extends Error {
  /** The command whose usage helps, if one was recognised. */
  readonly command: string | null;

  constructor(message: string, command: string | null = null) {
    super(message);
    this.name = "UsageError";
    this.command = command;
  }
}
