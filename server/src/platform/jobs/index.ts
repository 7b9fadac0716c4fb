// Runs work after a commit, at least once, by a table, a lease, backoff and dead letters. Owns `jobs`.
// Enqueue a job inside the transaction whose outcome it depends on. Handlers must tolerate being run twice.
export { cancelJob, type Enqueue, enqueue, enqueueAll, firstEnqueued, queueDepth, sealPlace } from "./store.ts";
export {
  createJobWorker,
  GiveUp,
  type JobHandler,
  type JobHandlers,
  type JobWorker,
  type RunningJob,
  TryAgain,
  waitAfter,
} from "./worker.ts";
