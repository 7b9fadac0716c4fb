import Type, { type Static } from "typebox";
import { creationTime, nullable, visibleName } from "../../platform/http/index.ts";
import { requiredActionList } from "./required-actions.schema.ts";

const username = visibleName("a username", "ada");
/** An email address; the format is checked by `isMailAddress`. */
export const mailAddress = Type.String({ format: "idn-email", maxLength: 254 });
const email = nullable(mailAddress);
/** The members that are login names. */
export const loginNameMembers = { username, email };
export const attributeValue = Type.Union([
  Type.String({ maxLength: 4096 }),
  Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 100 }),
]);
export const ATTRIBUTE_NAME = "^[A-Za-z0-9_.:-]{1,128}$";
const attributes = Type.Record(Type.String({ pattern: ATTRIBUTE_NAME }), attributeValue, {
  additionalProperties: false,
  maxProperties: 100,
  description: "A text or a list of texts by name; `firstName`, `lastName`, `phoneNumber`, `locale` and `externalId` have a meaning",
});
const roles = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 1000,
  description: "The names of the realm roles that were given to the user directly",
});

export const User = Type.Object(
  {
    realmId: Type.String(),
    userId: Type.String({ format: "uuid" }),
    username: Type.String(),
    email: nullable(Type.String()),
    emailVerified: Type.Boolean({
      description:
        "The address is known to be the user's. A PUT with another address returns it to false; a PATCH that names it is about the address it brings",
    }),
    enabled: Type.Boolean(),
    locked: Type.Boolean({
      description:
        "Locked by an administrator, or temporarily after too many failed attempts. A PUT may repeat a temporary lock, which still lapses; a PATCH that names it locks the user for good",
    }),
    mfaEnabled: Type.Boolean({ description: "True when the user has a second factor" }),
    roles: Type.Array(Type.String()),
    attributes: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
    source: Type.String({
      description:
        "The source of the account: `local`, `ldap:<alias>` or `ad:<alias>` of a directory, `oidc:<alias>` (or `saml:`, …) of an identity provider. " +
        "A directory's own members (`username`, `email`, `firstName`, `lastName`) are changed there (409 `users.from_directory`)",
    }),
    createdAt: creationTime,
  },
  { $id: "User" },
);
export type User = Static<typeof User>;

export const CreateUser = Type.Object(
  {
    username,
    email: Type.Optional(email),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    emailVerified: Type.Optional(Type.Boolean({ default: false })),
    attributes: Type.Optional(attributes),
    roles: Type.Optional(roles),
  },
  { additionalProperties: false },
);
export type CreateUser = Static<typeof CreateUser>;

/** A new user with the password and the required actions of the first sign-in. */
export const CreateUserToSignIn = Type.Object(
  {
    ...CreateUser.properties,
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: "The password, which is checked as by `PUT …/password`. It is never shown again",
      }),
    ),
    temporary: Type.Optional(
      Type.Boolean({ description: "The user has to replace the `password` at the first sign-in (`UPDATE_PASSWORD`)" }),
    ),
    requiredActions: Type.Optional(requiredActionList),
  },
  { $id: "CreateUser", additionalProperties: false },
);
export type CreateUserToSignIn = Static<typeof CreateUserToSignIn>;

/** The full state of a user. Members that decide access have no default. */
export const UpdateUser = Type.Object(
  {
    realmId: Type.Optional(Type.String()),
    userId: Type.Optional(Type.String()),
    source: Type.Optional(Type.String()),
    createdAt: Type.Optional(Type.Integer()),
    mfaEnabled: Type.Optional(Type.Boolean()),
    username,
    email: Type.Optional(email),
    emailVerified: Type.Optional(Type.Boolean()),
    enabled: Type.Boolean(),
    locked: Type.Boolean(),
    attributes: Type.Optional(attributes),
    roles,
  },
  { $id: "UpdateUser", additionalProperties: false },
);
export type UpdateUser = Static<typeof UpdateUser>;
