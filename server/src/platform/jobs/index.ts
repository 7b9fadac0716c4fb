// Work that happens after a commit, at least once: a table, a lease, backoff, dead letters. Owns `jobs`.
// Enqueue inside the transaction whose outcome the job depends on; handlers must bear being run twice.
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
