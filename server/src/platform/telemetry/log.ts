import { type DestinationStream, type Level, type Logger, type LoggerOptions, pino } from "pino";
import { SECOND } from "../../kernel/clock.ts";
import { isDatabaseUnavailable } from "../db/index.ts";

/** The number of the level `error` in pino. */
const ERROR = 50;

/** An error that is logged without its stack, because failures below the level `error` are expected. */
class Stackless {
  readonly error: Error;
  constructor(error: Error) {
    this.error = error;
  }
}

const { err: serialize } = pino.stdSerializers;

const serializeError = (err: unknown): unknown =>
  err instanceof Stackless ? withoutStacks(serialize(err.error)) : serialize(err as Error);

/** Removes the stacks, also those of inner errors. */
function withoutStacks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStacks);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "stack")
      .map(([name, member]) => [name, member instanceof Error ? withoutStacks(serialize(member)) : withoutStacks(member)]),
  );
}

/** The error in the arguments of `log.warn(…)`. */
function errorOf([first]: unknown[]): Error | null {
  const err = first instanceof Error ? first : (first as { err?: unknown } | null | undefined)?.err;
  return err instanceof Error ? err : null;
}

/** The arguments of `log.warn(…)`, with its error reduced to the message. */
function quiet(args: unknown[]): unknown[] {
  const [first, ...rest] = args;
  const err = errorOf(args);
  if (!err) return args;
  if (first === err) return [{ err: new Stackless(err) }, ...(rest.length > 0 ? rest : [err.message])];
  return [{ ...(first as object), err: new Stackless(err) }, ...rest];
}

/** After its first line, an error with the same cause is only counted for this time. */
const WINDOW = 10 * SECOND;
/** The most causes that are counted at a time. */
const MAX_CAUSES = 100;

type Write = (args: unknown[]) => void;

/**
 * Counts errors of an unavailable database, when every request and every loop fails by the same cause. The first line is logged at once without stacks; the
 * others are counted and logged as a number.
 */
function createCounter() {
  const counted = new Map<string, { times: number }>();
  const begin = (cause: string, message: string, write: Write) => {
    const count = { times: 0 };
    counted.set(cause, count);
    const close = () => {
      const { times } = count;
      count.times = 0;
      if (times === 0) return void counted.delete(cause);
      write([{ times, seconds: WINDOW / SECOND }, `${message} (again and again, by the same cause)`]);
      setTimeout(close, WINDOW).unref();
    };
    setTimeout(close, WINDOW).unref();
  };
  return (args: unknown[], err: Error, write: Write): void => {
    const message = args.find((part) => typeof part === "string") ?? err.message;
    const cause = `${message}\n${(err as { code?: unknown }).code ?? err.message}`;
    const known = counted.get(cause);
    if (known) {
      known.times += 1;
      return;
    }
    if (counted.size < MAX_CAUSES) begin(cause, message, write);
    write(quiet(args));
  };
}

/** Creates the server's log: one JSON object a line. */
export function createLog(level: Level | "silent", output: DestinationStream): Logger {
  const count = createCounter();
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serializeError },
    hooks: {
      logMethod(args, method, number) {
        const write = (line: unknown[]) => method.apply(this, line as Parameters<typeof method>);
        const err = errorOf(args);
        if (err && isDatabaseUnavailable(err)) count(args, err, write);
        else write(number < ERROR ? quiet(args) : args);
      },
    },
  };
  return pino(options, output);
}
