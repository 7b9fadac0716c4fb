import type { FastifyBaseLogger } from "fastify";
import type { Bindings, ChildLoggerOptions } from "pino";

const LEVELS = ["fatal", "error", "warn", "info", "debug", "trace"] as const;
type Say = (...said: unknown[]) => void;

/** The log of one request. Most requests have nothing to say, and making a logger costs more than routing them does. */
class RequestLog {
  readonly #make: () => FastifyBaseLogger;
  #made: FastifyBaseLogger | undefined;

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make;
  }

  get own(): FastifyBaseLogger {
    this.#made ??= this.#make();
    return this.#made;
  }

  get level(): string {
    return this.own.level;
  }

  silent(): void {}

  child(...given: Parameters<FastifyBaseLogger["child"]>): FastifyBaseLogger {
    return this.own.child(...given);
  }
}

for (const level of LEVELS) {
  Object.defineProperty(RequestLog.prototype, level, {
    value(this: RequestLog, ...said: unknown[]) {
      (this.own[level] as Say).call(this.own, ...said);
    },
  });
}

/** Fastify's `childLoggerFactory`. */
export const requestLog = (logger: FastifyBaseLogger, bindings: Bindings, options: ChildLoggerOptions): FastifyBaseLogger =>
  new RequestLog(() => logger.child(bindings, options)) as unknown as FastifyBaseLogger;
