import { type DestinationStream, type Level, type Logger, type LoggerOptions, pino } from "pino";

/** pino's number of `error`. */
const ERROR = 50;

/** An error that is logged without its stack: below the level `error`, failures are expected. */
class Stackless {
  readonly error: Error;
  constructor(error: Error) {
    this.error = error;
  }
}

const { err: serialize } = pino.stdSerializers;

const serializeError = (err: unknown): unknown =>
  err instanceof Stackless ? withoutStacks(serialize(err.error)) : serialize(err as Error);

/** Also of the errors inside it. */
function withoutStacks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStacks);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "stack")
      .map(([name, member]) => [name, member instanceof Error ? withoutStacks(serialize(member)) : withoutStacks(member)]),
  );
}

/** The arguments of `log.warn(…)`, with its error reduced to the message. */
function quiet(said: unknown[]): unknown[] {
  const [first, ...rest] = said;
  if (first instanceof Error) return [{ err: new Stackless(first) }, ...(rest.length > 0 ? rest : [first.message])];
  const err = (first as { err?: unknown } | null | undefined)?.err;
  return err instanceof Error ? [{ ...(first as object), err: new Stackless(err) }, ...rest] : said;
}

/** The server's log: one JSON object a line. */
export function createLog(level: Level | "silent", output: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serializeError },
    hooks: {
      logMethod(said, method, number) {
        method.apply(this, (number < ERROR ? quiet(said) : said) as Parameters<typeof method>);
      },
    },
  };
  return pino(options, output);
}
