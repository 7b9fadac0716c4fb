import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../app.ts";
import { isRunByNpm } from "../config.ts";
import type { Core } from "../core.ts";

/** During a stop, idle connections are closed after this time. */
const IDLE_PATIENCE_MS = 5_000;
const LOOK_AGAIN_MS = 25;
/** During a stop, waiting connections are accepted for at most this long. */
const ACCEPT_PATIENCE_MS = 1_000;
const LOOK_FOR_PARENT_MS = 250;
const parent = process.ppid;

/** Ends the process with code 0 once the running work is finished. A second signal ends it at once. */
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
      core.log.error(`not done after ${shutdownGraceSeconds} s; ending nevertheless`);
      core.log.flush(() => process.exit(1));
    }, shutdownGraceSeconds * 1000).unref();
    await drain(server, sockets, shutdownGraceSeconds * 1000);
    // All requests are answered. Now running jobs may finish (others run again when their lease ends), then the database closes.
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
  // npm passes a signal on to its shell, which ends without notifying the server, and the server would keep running.
  if (!isRunByNpm()) return;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (!stopping) void stop("SIGTERM").catch(fail);
  }, LOOK_FOR_PARENT_MS);
  watch.unref();
}

/**
 * Accepts the connections that wait in the queue of the listening socket, because the system resets them when that is closed. Requests are kept
 * meanwhile: a client that gets its answer may connect anew. Each turn of the event loop looks at the queue, so a turn without a connection finds
 * it empty. Returns a function that serves the kept requests.
 */
async function acceptWaiting(server: NetServer): Promise<() => void> {
  const listeners = server.rawListeners("request") as ((...args: unknown[]) => void)[];
  const kept: unknown[][] = [];
  const keep = (...args: unknown[]) => void kept.push(args);
  let hasAccepted = false;
  const note = () => {
    hasAccepted = true;
  };
  server.removeAllListeners("request").on("request", keep).on("connection", note);
  const patience = AbortSignal.timeout(ACCEPT_PATIENCE_MS);
  // The turn in which the signal arrived may have looked at the queue before.
  await nextTurn();
  do {
    hasAccepted = false;
    await nextTurn();
  } while (hasAccepted && !patience.aborted);
  server.off("connection", note);
  return () => {
    server.off("request", keep);
    for (const listener of listeners) server.on("request", listener);
    for (const args of kept) server.emit("request", ...args);
  };
}

/**
 * Closes the listening socket first: a refused connection is one that a client or a proxy can safely try elsewhere. Requests that have arrived are answered,
 * each with `connection: close`, until none is left. Only the listening socket is closed here, because HTTP's own `close` would also cut connections that are
 * idle at this moment and on which the next request may already be on its way.
 */
async function drain({ app, drain: sayGoodbye }: Server, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const serveKept = await acceptWaiting(app.server);
  sayGoodbye();
  const empty = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(app.server, () => resolve());
  });
  serveKept();
  const idle = AbortSignal.timeout(Math.min(IDLE_PATIENCE_MS, graceMs / 2));
  let done = false;
  void empty.then(() => {
    done = true;
  });
  while (!done) {
    if (idle.aborted) {
      app.server.closeIdleConnections();
      // Node does not count a connection without any request as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }
    await Promise.race([empty, sleep(LOOK_AGAIN_MS)]);
  }
}
