import Type, { type Static } from "typebox";
import { creationTime, nullable, oneOf, shownText } from "../../platform/http/index.ts";

export const assignments = ["DEFAULT", "OPTIONAL", "NONE"] as const;

const name = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: "^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$", // RFC 6749 §3.3
  description: "a scope's name is printable ASCII without spaces, quotes and backslashes; it cannot be changed",
  examples: ["orders:read"],
});
const description = nullable(Type.String({ maxLength: 1000 }));
const consentText = nullable(
  shownText(),
  "The text on the consent page. If null, the page shows its own text for the scopes that it knows, otherwise the description or the name",
);
const assignment = oneOf(assignments, {
  description:
    "The requests that get the scope. DEFAULT: those that name no scopes. OPTIONAL: those that name it. NONE: those that name it, if the client lists it",
});

export const ClientScopeClaim = Type.Object(
  { claimId: Type.String({ format: "uuid" }), name: Type.String() },
  { $id: "ClientScopeClaim", additionalProperties: false },
);

export const ClientScope = Type.Object(
  {
    realmId: Type.String(),
    scopeId: Type.String({ format: "uuid" }),
    name: Type.String(),
    description,
    consentText,
    assignment,
    builtIn: Type.Boolean({ description: "True if the protocol itself defines the scope. It cannot be deleted" }),
    claims: Type.Array(ClientScopeClaim, { description: "The claim mappers that it includes" }),
    createdAt: creationTime,
  },
  { $id: "ClientScope" },
);
export type ClientScope = Static<typeof ClientScope>;

export const CreateClientScope = Type.Object(
  {
    name,
    description: Type.Optional(description),
    consentText: Type.Optional(consentText),
    assignment: Type.Optional(oneOf(assignments, { default: "OPTIONAL" })),
  },
  { $id: "CreateClientScope", additionalProperties: false },
);
export type CreateClientScope = Static<typeof CreateClientScope>;

/** The full state. Claims are attached and detached one by one. */
export const UpdateClientScope = Type.Object(
  { ...Type.Partial(ClientScope).properties, assignment: CreateClientScope.properties.assignment },
  { $id: "UpdateClientScope", additionalProperties: false },
);
export type UpdateClientScope = Static<typeof UpdateClientScope>;
