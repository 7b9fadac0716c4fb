import Type, { type Static } from "typebox";
import { ATTRIBUTE_NAME, attributeValue, loginNameMembers } from "../../../directory/users/index.ts";
import { creationTime, nullable } from "../../../platform/http/index.ts";

const text = nullable(Type.String());
const name = nullable(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\p{Cc}]*$" }));
const locale = nullable(
  Type.String({
    maxLength: 35,
    pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
    description: "a language tag as in RFC 5646, such as en or nl-BE",
  }),
);
const attributes = Type.Record(Type.String({ pattern: ATTRIBUTE_NAME }), attributeValue, {
  additionalProperties: false,
  maxProperties: 200,
  description:
    "Other data about you, each a text or a list of texts: the attributes that the realm's user profile shows you, and standard ones such as " +
    "`nickname` and `birthdate`",
});

export const Profile = Type.Object(
  {
    realmId: Type.String(),
    userId: Type.String({ format: "uuid" }),
    username: Type.String(),
    email: text,
    emailVerified: Type.Boolean(),
    pendingEmail: nullable(Type.String(), "A new email address that is not confirmed yet"),
    firstName: text,
    lastName: text,
    locale: text,
    attributes,
    createdAt: creationTime,
  },
  { $id: "Profile" },
);
export type Profile = Static<typeof Profile>;

/** The full state: absent members are emptied, except the username, which remains. */
export const UpdateProfile = Type.Object(
  {
    realmId: Type.Optional(Type.String()),
    userId: Type.Optional(Type.String()),
    createdAt: Type.Optional(Type.Integer()),
    emailVerified: Type.Optional(Type.Boolean()),
    pendingEmail: Type.Optional({
      ...text,
      description: "Null withdraws the new email address: the link that was sent to it stops working",
    }),
    username: Type.Optional(loginNameMembers.username),
    email: Type.Optional(loginNameMembers.email),
    firstName: Type.Optional(name),
    lastName: Type.Optional(name),
    locale: Type.Optional(locale),
    attributes: Type.Optional(attributes),
  },
  { $id: "UpdateProfile", additionalProperties: false },
);
export type UpdateProfile = Static<typeof UpdateProfile>;
