import Type, { type Static } from "typebox";
import { creationTime, nullable } from "../../platform/http/index.ts";
import { scopeName } from "./schema.ts";

const text = nullable(Type.String());
const scopes = Type.Array(Type.String(), {
  description: "The scopes of the resource. If empty, it has no scopes and is shared as a whole",
});

/** A resource that a user owns at a resource server, and may share. */
export const OwnResource = Type.Object(
  {
    resourceId: Type.String({ format: "uuid" }),
    clientId: Type.String({ description: "The client id of the application" }),
    clientName: text,
    name: Type.String(),
    displayName: text,
    type: text,
    iconUri: text,
    scopes,
    createdAt: creationTime,
  },
  { $id: "AccountResource" },
);
export type OwnResource = Static<typeof OwnResource>;

export const Share = Type.Object(
  {
    shareId: Type.String({ format: "uuid" }),
    user: Type.String({
      description: "The username or email address that was entered. The response does not reveal whether such a user exists",
    }),
    scopes,
    createdAt: creationTime,
  },
  { $id: "AccountShare" },
);
export type Share = Static<typeof Share>;

export const ShareRequest = Type.Object(
  {
    userId: Type.String({ format: "uuid" }),
    user: Type.String({ description: "The username of the user who asked" }),
    scopes,
    createdAt: creationTime,
  },
  { $id: "AccountShareRequest" },
);
export type ShareRequest = Static<typeof ShareRequest>;

export const OwnResourceDetails = Type.Object(
  { ...OwnResource.properties, shares: Type.Array(Share), requests: Type.Array(ShareRequest) },
  { $id: "AccountResourceDetails" },
);
export type OwnResourceDetails = Static<typeof OwnResourceDetails>;

export const SharedResource = Type.Object(
  {
    ...OwnResource.properties,
    owner: Type.String({ description: "The owner's username" }),
    scopes: Type.Array(Type.String(), { description: "The scopes that you have" }),
  },
  { $id: "AccountSharedResource" },
);
export type SharedResource = Static<typeof SharedResource>;

export const CreateShare = Type.Object(
  {
    user: Type.String({ minLength: 1, maxLength: 320, description: "A username or email address" }),
    scopes: Type.Optional(
      Type.Array(scopeName, {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: "A selection of the resource's scopes. If omitted, all of them",
      }),
    ),
  },
  { $id: "CreateAccountShare", additionalProperties: false, examples: [{ user: "grace", scopes: ["view"] }] },
);
export type CreateShare = Static<typeof CreateShare>;
