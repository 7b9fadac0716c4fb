import Type, { type Static } from "typebox";
import { creationTime, nullable, oneOf, visibleName } from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";

const agentStatuses = ["CREATED", "ACTIVE", "SUSPENDED", "REVOKED"] as const;
export type AgentStatus = (typeof agentStatuses)[number];

const name = visibleName("an agent's name", "Invoice assistant");
const description = nullable(Type.String({ minLength: 1, maxLength: 1000 }), "The purpose of the agent");
const ownerUserId = nullable(Type.String({ format: "uuid" }), "The user who is responsible for the agent");
const clientId = nullable(
  Type.String({ minLength: 1, maxLength: 255 }),
  "The OAuth client id of its client. Once set, it cannot be changed",
);
const scopes = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 200,
  uniqueItems: true,
  description: "The scopes that a token of its client may have. If empty, all scopes of the client",
});
const time = (what: string) => nullable(Type.Integer(), `The time ${what}`);
const expiresAt = time(
  "when it expires, in epoch milliseconds. Its client gets no tokens afterwards, and its existing tokens are not valid. If null, it does not expire",
);

export const Agent = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    realmId: Type.String(),
    name: Type.String(),
    description: nullable(Type.String()),
    ownerUserId,
    clientId: nullable(Type.String()),
    scopes: Type.Array(Type.String()),
    status: oneOf(agentStatuses),
    createdAt: creationTime,
    activatedAt: time("of its last activation, in epoch milliseconds"),
    expiresAt,
    lastUsedAt: time(
      "when its client last got a token, in its own name or to act for a user, in epoch milliseconds. Written every few seconds",
    ),
    lastReviewedAt: time("of the last attestation, in epoch milliseconds"),
    reviewDueAt: time("when the next attestation is due, in epoch milliseconds. Null until the agent is activated"),
  },
  { $id: "Agent" },
);
export type Agent = Static<typeof Agent>;

const optional = {
  description: Type.Optional(description),
  ownerUserId: Type.Optional(ownerUserId),
  clientId: Type.Optional(clientId),
  scopes: Type.Optional(scopes),
  expiresAt: Type.Optional(expiresAt),
};

export const CreateAgent = Type.Object({ name, ...optional }, { $id: "CreateAgent", additionalProperties: false });
export type CreateAgent = Static<typeof CreateAgent>;

const { id, realmId, status, createdAt, activatedAt, lastUsedAt, lastReviewedAt, reviewDueAt } = Type.Partial(Agent).properties;

/** The full state: a member that is left out returns to its default, but no agent leaves its client. */
export const UpdateAgent = Type.Object(
  { ...{ id, realmId, status, createdAt, activatedAt, lastUsedAt, lastReviewedAt, reviewDueAt }, name, ...optional },
  { $id: "UpdateAgent", additionalProperties: false },
);
export type UpdateAgent = Static<typeof UpdateAgent>;

export const AgentQuery = listQuery({
  status: Type.Optional(oneOf(agentStatuses)),
  ownerUserId: Type.Optional(Type.String({ format: "uuid" })),
});
export type AgentQuery = Static<typeof AgentQuery>;
