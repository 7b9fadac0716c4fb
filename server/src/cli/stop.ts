import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../app.ts";
import { isRunByNpm } from "../config.ts";
import type { Core } from "../core.ts";

/** A connection that sends no request is closed after this time. */
const IDLE_PATIENCE_MS = 5_000;
const LOOK_AGAIN_MS = 25;
const LOOK_FOR_PARENT_MS = 250;
const parent = process.ppid;

/** Lets running work finish, then ends with code 0; a second signal does not wait. */
export function stopOnSignals(core: Core, server: Server): void {
  const sockets = new Set<Socket>();
  server.app.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(130);
    stopping = true;
    core.log.info({ signal }, "stopping");
    const { shutdownGraceSeconds } = core.config;
    const outOfTime = setTimeout(() => {
      core.log.error(`not done after ${shutdownGraceSeconds} s; ending all the same`);
      core.log.flush(() => process.exit(1));
    }, shutdownGraceSeconds * 1000).unref();
    await drain(server, sockets, shutdownGraceSeconds * 1000);
    // Requests are answered: now running jobs may finish (what does not is left to its lease), then the database closes.
    await server.close();
    await core.close();
    clearTimeout(outOfTime);
    core.log.info("stopped");
  };
  const fail = (error: unknown) => {
    core.log.error({ err: error }, "could not stop cleanly");
    core.log.flush(() => process.exit(1));
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal).catch(fail));
  // npm passes a signal on to its shell, which ends without notifying the server: it would keep running.
  if (!isRunByNpm()) return;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (!stopping) void stop("SIGTERM").catch(fail);
  }, LOOK_FOR_PARENT_MS);
  watch.unref();
}

/**
 * The listening socket closes first: a refused connection is one that a client or a proxy can safely try elsewhere. Requests that have arrived are answered, each
 * with `connection: close`, until none is left. HTTP's own `close` would cut connections that are idle at this
 * moment, on which the next request may already be in progress; so only the listening socket is closed here.
 */
async function drain({ app, drain: sayGoodbye }: Server, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  sayGoodbye();
  const empty = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(app.server, () => resolve());
  });
  const idle = AbortSignal.timeout(Math.min(IDLE_PATIENCE_MS, graceMs / 2));
  let done = false;
  void empty.then(() => {
    done = true;
  });
  while (!done) {
    if (idle.aborted) {
      app.server.closeIdleConnections();
      // For Node, a connection without any request is not idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }
    await Promise.race([empty, sleep(LOOK_AGAIN_MS)]);
  }
}
