import type { FastifyInstance } from "fastify";
import { AppError } from "../../kernel/errors.ts";
import { sendProblem } from "./problem.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Served however busy the server is: probes must not take a busy node for a dead one. */
    servedAlways?: boolean;
  }
}

export interface LoadLimits {
  /** Requests that are being answered at once. 0: no limit. */
  readonly maxInFlight: number;
  /** The event loop may run this late, on average over about a second. 0: no limit. */
  readonly maxLoopDelayMs: number;
}

const SAMPLE_MS = 250;
/** The weight of the latest sample: one long pause alone (a garbage collection) is forgotten after a few. */
const LATEST = 0.3;
const RETRY_SECONDS = 2;

const overloaded = () =>
  new AppError("server.overloaded", 503, "The server is busy at this moment. Please try again in a few seconds.", {
    headers: { "retry-after": String(RETRY_SECONDS) },
  });

/**
 * Sheds load before anything else is done for a request: a request that is refused at once costs next to nothing, one that waits costs
 * memory, and its caller has given up by the time it is answered.
 */
export function shedLoad(app: FastifyInstance, { maxInFlight, maxLoopDelayMs }: LoadLimits): void {
  let inFlight = 0;
  let delayMs = 0;
  if (maxLoopDelayMs > 0) {
    let due = performance.now() + SAMPLE_MS;
    const sampling = setInterval(() => {
      const now = performance.now();
      delayMs += LATEST * (Math.max(0, now - due) - delayMs);
      due = now + SAMPLE_MS;
    }, SAMPLE_MS).unref();
    app.addHook("onClose", async () => clearInterval(sampling));
  }
  const isOverloaded = () => (maxInFlight > 0 && inFlight >= maxInFlight) || (maxLoopDelayMs > 0 && delayMs > maxLoopDelayMs);
  app.addHook("onRequest", (request, reply, done) => {
    if (request.routeOptions.config?.servedAlways === true) return done();
    // Without the pages' own error handlers: they would read the database.
    if (isOverloaded()) return void sendProblem(reply, request, overloaded());
    inFlight += 1;
    // Also if the caller has disconnected.
    reply.raw.once("close", () => {
      inFlight -= 1;
    });
    done();
  });
}
