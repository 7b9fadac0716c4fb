// The audit trail: append-only, written in the transaction of the change. Owns `audit_events`.
// Requests only insert; forwarders read committed rows.
export { catalogue, categories, eventTypes, splitNames } from "./catalogue.ts";
export { type ErasedPerson, eraseFromTrail, hadUser, namesPerson, newPseudonym } from "./erasure.store.ts";
export { createForwarder, type Forwarder, forgetForwarder } from "./forwarder.ts";
export { applyRetention, hasUnforwarded, RETENTION_JOB, scheduleRetention } from "./retention.store.ts";
export { auditConfigRoutes, eventRoutes } from "./routes.ts";
export type { AuditEventRecord } from "./schema.ts";
export { ownEventsOf, type SignInEvent, signInsOf } from "./sign-ins.store.ts";
export { columns as eventColumns, type EventRow, insertEvents, toEvent, toEventRecord } from "./store.ts";
export { foreign, lockCursor, moveCursor, type Position, readStream } from "./stream.store.ts";
export { httpReceiver, transports } from "./transports.ts";
