/** A fault of the configuration. `message` never repeats a value that may be secret. */
export interface ConfigProblem {
  /** The setting as the reference names it, or the unknown name. */
  readonly setting: string;
  /** The source of the value in words: `environment variable GATEHOUSE_PORT`. */
  readonly source: string;
  readonly message: string;
}

/** All faults at once, so that five mistakes do not take five starts. */
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
