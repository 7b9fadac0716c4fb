import { Worker } from "node:worker_threads";
import { SECOND } from "../../kernel/clock.ts";

/** The time that an idle thread is kept. It is long enough for people who sign in one after another, and short enough to free an idle server's memory. */
const KEEP_IDLE = 10 * SECOND;

/** A thread that computes one hash at a time. */
interface Thread {
  readonly worker: Worker;
  /** Settles the running check. */
  settle: { resolve: (belongs: boolean) => void; reject: (error: unknown) => void } | undefined;
  ending: NodeJS.Timeout | undefined;
}

const idle: Thread[] = [];

/** Tells whether the password belongs to a well-formed bcrypt hash. Each running check has its own thread; the caller's semaphore bounds their number. */
export async function verifyBcrypt(password: Buffer, encoded: string): Promise<boolean> {
  const thread = idle.pop() ?? startThread();
  clearTimeout(thread.ending);
  // A thread that computes keeps the process alive; an idle one does not.
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
  // The worker is beside this file in the sources, and beside its bundle in the build.
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

/** Ends an idle thread. It leaves the list first, so that a new check does not get a thread that is ending. */
function endIdle(thread: Thread): void {
  idle.splice(idle.indexOf(thread), 1);
  void thread.worker.terminate();
}
