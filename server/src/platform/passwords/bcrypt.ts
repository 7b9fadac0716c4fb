import { Worker } from "node:worker_threads";
import { SECOND } from "../../kernel/clock.ts";

/** Long enough for people who sign in one after another, short enough that an idle server holds no memory for it. */
const KEEP_IDLE = 10 * SECOND;

/** A thread that computes one hash at a time. */
interface Thread {
  readonly worker: Worker;
  /** Settles the running check. */
  settle: { resolve: (belongs: boolean) => void; reject: (error: unknown) => void } | undefined;
  ending: NodeJS.Timeout | undefined;
}

const idle: Thread[] = [];

/**
 * Tells whether the password belongs to a well-formed bcrypt hash. Each running check has its own thread; the caller's semaphore
 * bounds how many there are.
 */
export async function verifyBcrypt(password: Buffer, encoded: string): Promise<boolean> {
  const thread = idle.pop() ?? startThread();
  clearTimeout(thread.ending);
  // While it computes, the process waits for it; an idle one keeps no process alive.
  thread.worker.ref();
  const belongs = await new Promise<boolean>((resolve, reject) => {
    thread.settle = { resolve, reject };
    thread.worker.postMessage({ password: password.toString("utf8"), encoded });
  });
  thread.settle = undefined;
  thread.worker.unref();
  thread.ending = setTimeout(() => endIdle(thread), KEEP_IDLE).unref();
  idle.push(thread);
  return belongs;
}

function startThread(): Thread {
  // Beside this file in the sources, and beside its bundle in the build.
  const worker = new Worker(new URL("./bcrypt-worker.js", import.meta.url));
  const thread: Thread = { worker, settle: undefined, ending: undefined };
  const ended = (error: unknown) => {
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
    clearTimeout(thread.ending);
    thread.settle?.reject(error);
  };
  worker.on("message", (belongs: boolean) => thread.settle?.resolve(belongs));
  worker.on("error", ended);
  worker.on("exit", () => ended(new Error("The thread that checks bcrypt hashes has stopped")));
  return thread;
}

/** Out of the list first: a check that comes while it ends gets another. */
function endIdle(thread: Thread): void {
  idle.splice(idle.indexOf(thread), 1);
  void thread.worker.terminate();
}
