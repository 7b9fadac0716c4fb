// Work that happens after a commit, at least once: a table, a lease, backoff, dead letters. Owns `jobs`.
// Enqueue inside the transaction whose outcome the job depends on; handlers must bear being run twice.
export { type Enqueue, enqueue, queueDepth } from "./store.ts";
export { createJobWorker, type JobHandlers, type JobWorker } from "./worker.ts";
