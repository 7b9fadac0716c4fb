/** One thing that is wrong with the configuration. `message` never repeats a value that may be secret. */
export interface ConfigProblem {
  /** The setting as the reference names it, or the unknown name itself. */
  readonly setting: string;
  /** The value's source, in words: `environment variable GATEHOUSE_PORT`. */
  readonly source: string;
  readonly message: string;
}

/** All errors at once: five mistakes must not take five starts. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ setting, source, message }) => `  - ${setting} (${source}): ${message}`);
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    super([`The configuration has ${count}:`, ...lines].join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}
