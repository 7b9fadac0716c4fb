import type { FastifyInstance } from "fastify";
import { AppError } from "../../kernel/errors.ts";
import { sendProblem } from "./problem.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Serves the route however busy the server is: a probe must not take a busy node for a dead one. */
    servedAlways?: boolean;
  }
}

export interface LoadLimits {
  /** The most requests that are served at the same time. 0 means no limit. */
  readonly maxInFlight: number;
  /** The longest delay of the event loop, as an average over about a second. 0 means no limit. */
  readonly maxLoopDelayMs: number;
}

const SAMPLE_MS = 250;
/** The weight of the latest sample. A single long pause (a garbage collection) is forgotten after a few samples. */
const LATEST = 0.3;
const RETRY_SECONDS = 2;

const overloaded = () =>
  new AppError("server.overloaded", 503, "The server is busy at this moment. Please try again in a few seconds.", {
    headers: { "retry-after": String(RETRY_SECONDS) },
  });

/**
 * Sheds load before anything else is done for a request. A request that is refused at once costs next to nothing. One that waits costs memory, and its caller
 * has given up before the answer.
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
    // The error handlers of pages are bypassed, because they would read the database.
    if (isOverloaded()) return void sendProblem(reply, request, overloaded());
    inFlight += 1;
    // This event also comes if the caller has disconnected.
    reply.raw.once("close", () => {
      inFlight -= 1;
    });
    done();
  });
}
