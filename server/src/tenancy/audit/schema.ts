import Type, { type Static } from "typebox";
import { actorKinds } from "../../platform/context.ts";
import { nullable, oneOf } from "../../platform/http/index.ts";
import { Instant } from "../../platform/paging/index.ts";
import { categories, describedTypes, eventTypes } from "./catalogue.ts";

const text = nullable(Type.String());

export const AuditEventRecord = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    ts: Type.String({ format: "date-time" }),
    kind: Type.Literal("audit"),
    category: oneOf(categories),
    type: Type.Unsafe<string>({ type: "string", enum: [...eventTypes], description: `The event's type.\n\n${describedTypes}` }),
    realm: Type.String(),
    actor: Type.String({ description: "The username, or `master/<name>` across realms" }),
    actorKind: nullable(
      oneOf(actorKinds),
      "The kind of the actor. `administrator`: an administrator of `master`, in another realm. `anonymous`: not authenticated; the name is the one that was entered or " +
        "presented. Null if an earlier release recorded the event",
    ),
    sourceIp: text,
    resourceType: text,
    resourceId: text,
    outcome: oneOf(["SUCCESS", "FAILURE"]),
    detail: text,
    impersonator: text,
    requestId: nullable(
      Type.String({ format: "uuid" }),
      "The number of the request that caused the event, as on error pages and in the header `x-request-id`. Null if a job or a command caused it, or if it was " +
        "recorded by an earlier release",
    ),
  },
  { $id: "AuditEvent" },
);
export type AuditEventRecord = Static<typeof AuditEventRecord>;

export const EventPage = Type.Object(
  { items: Type.Array(AuditEventRecord), total: Type.Integer(), page: Type.Integer(), size: Type.Integer() },
  { $id: "AuditEventPage" },
);
export type EventPage = Static<typeof EventPage>;

const typeNames = Type.String({ minLength: 1, maxLength: 4096 });
export const EventQuery = Type.Object(
  {
    type: Type.Optional(
      Type.Union([typeNames, Type.Array(typeNames, { maxItems: 100 })], {
        description: `One or several event types, separated by commas or as repeated members: ${eventTypes.join(", ")}`,
      }),
    ),
    actor: Type.Optional(Type.String({ minLength: 1, maxLength: 320, description: "A username or user id" })),
    outcome: Type.Optional(oneOf(["SUCCESS", "FAILURE"])),
    category: Type.Optional(oneOf(categories)),
    resourceType: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    resourceId: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    requestId: Type.Optional(Type.String({ format: "uuid", description: "The request number of an error page, or an `x-request-id`" })),
    from: Instant("The beginning of the period"),
    to: Instant("The end of the period, exclusive"),
    page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
  },
  { additionalProperties: false },
);
export type EventQuery = Static<typeof EventQuery>;

const { from: _from, to: _to, page: _page, size: _size, ...filters } = EventQuery.properties;
export const TailQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "The `cursor` of the last response. Without it the tail begins now" }),
    ),
    ...filters,
  },
  { additionalProperties: false },
);
export type TailQuery = Static<typeof TailQuery>;

export const EventTail = Type.Object(
  {
    items: Type.Array(AuditEventRecord, { description: "Oldest first, in the order in which they were committed: none is skipped" }),
    cursor: Type.String({ description: "Send it as `after` with the next request" }),
    more: Type.Boolean({
      description: "True if there may already be more: send the next request immediately, otherwise a few seconds later",
    }),
  },
  { $id: "AuditEventTail" },
);
export type EventTail = Static<typeof EventTail>;

export const ForwarderState = Type.Object(
  {
    lastMovedAt: nullable(
      Type.String({ format: "date-time" }),
      "The time when the receiver last acknowledged events, or when others were skipped",
    ),
    lagSeconds: Type.Integer({ description: "The age of the oldest event that has not been forwarded yet" }),
    lastError: nullable(Type.String(), "The reason why the last try failed; null if it succeeded"),
  },
  { $id: "AuditForwarderState" },
);
export type ForwarderState = Static<typeof ForwarderState>;

export const AuditConfig = Type.Object(
  {
    enabled: Type.Boolean(),
    transports: Type.Array(Type.String()),
    httpUrl: text,
    httpConfigured: Type.Boolean(),
    authConfigured: Type.Boolean(),
    categories: Type.Array(Type.String()),
    timeoutMs: Type.Integer(),
    forwarder: nullable(ForwarderState, "The HTTP forwarder of all nodes; null if there is none"),
  },
  { $id: "AuditConfig" },
);
export type AuditConfig = Static<typeof AuditConfig>;
