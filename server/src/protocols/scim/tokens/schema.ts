import Type, { type Static } from "typebox";
import { nullable, oneOf, visibleName } from "../../../platform/http/index.ts";
import { permissions } from "../../../tenancy/permissions/index.ts";

const id = Type.String({ format: "uuid" });
const time = Type.Integer({ minimum: 0, description: "A time in epoch milliseconds" });

const members = {
  name: visibleName("A token's name", "entra"),
  /** The default is the token's name. */
  connection: visibleName(
    "The name of the connection, to which `externalId`s belong (a token that replaces another has the same name),",
    "entra",
  ),
  permissions: Type.Array(oneOf(permissions), {
    minItems: 1,
    uniqueItems: true,
    description: "The permissions of the token. You must hold all of them",
    examples: [["view-users", "manage-users", "manage-organizations"]],
  }),
  organizationId: nullable(
    Type.String({ maxLength: 64 }),
    "The organization whose members the token provisions. It has no access to other users",
  ),
  identityProvider: nullable(
    Type.String({ minLength: 1, maxLength: 255 }),
    "The alias of an identity provider. Users are linked to it by their `externalId`, so that they can sign in through it without confirmation. " +
      "Needs `manage-identity-providers`, and the permissions of the provider's users",
  ),
  trustEmails: Type.Boolean({ description: "True: email addresses that are sent with this token count as confirmed" }),
  expiresAt: nullable(time, "The time when the token expires, in epoch milliseconds. Null if it does not expire"),
};

export const ScimToken = Type.Object(
  {
    id,
    ...members,
    url: Type.String({ format: "uri", description: "The base address for the provisioning client" }),
    createdAt: time,
    lastUsedAt: nullable(time, "The time of the last use, in epoch milliseconds, to the minute"),
  },
  { $id: "ScimToken" },
);
export type ScimToken = Static<typeof ScimToken>;

export const CreatedScimToken = Type.Object(
  { ...ScimToken.properties, token: Type.String({ description: "The token. It is shown only here" }) },
  { $id: "CreatedScimToken" },
);
export type CreatedScimToken = Static<typeof CreatedScimToken>;

export const CreateScimToken = Type.Object(
  {
    name: members.name,
    connection: Type.Optional(members.connection),
    permissions: Type.Optional(members.permissions),
    organizationId: Type.Optional(members.organizationId),
    identityProvider: Type.Optional(members.identityProvider),
    trustEmails: Type.Optional(members.trustEmails),
    expiresAt: Type.Optional(members.expiresAt),
  },
  { $id: "CreateScimToken", additionalProperties: false },
);
export type CreateScimToken = Static<typeof CreateScimToken>;
