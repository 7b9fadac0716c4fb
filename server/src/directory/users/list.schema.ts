import Type, { type Static } from "typebox";
import { Instant, listQuery } from "../../platform/paging/index.ts";

const attribute = Type.String({
  minLength: 1,
  maxLength: 4352,
  description: "`name:value`, compared exactly. A colon in the name is written `\\:`",
});

/** The filters of a list of users. Without `sort` the users come in the order in which they are found. */
export const UserQuery = listQuery({
  search: Type.Optional(
    Type.String({
      maxLength: 320,
      description: "Prefix of a username, an email address, a first, last or full name (`Ada Love`, `Lovelace A`), or a whole id",
    }),
  ),
  username: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "The whole username, ignoring case" })),
  email: Type.Optional(Type.String({ minLength: 1, maxLength: 320, description: "The whole email address, ignoring case" })),
  emailVerified: Type.Optional(Type.Boolean()),
  attribute: Type.Optional(
    Type.Union([attribute, Type.Array(attribute, { minItems: 1, maxItems: 10 })], {
      description: "`name:value`: users who have the value, alone or among others. If it is repeated, all must match",
    }),
  ),
  enabled: Type.Optional(Type.Boolean()),
  locked: Type.Optional(Type.Boolean({ description: "Users who are locked by an administrator, or temporarily" })),
  source: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: "The source of the account: `local`, `ldap:corp`, `oidc:acme`, exactly" }),
  ),
  role: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "The name or id of a role. Returns the users who were given it directly, oldest first",
    }),
  ),
  group: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: "The id of a group. Returns its own members, oldest first" }),
  ),
  organization: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "The id or alias of an organization. Returns its members, oldest first" }),
  ),
  createdFrom: Instant("The earliest time of creation"),
  createdTo: Instant("The time before which users were created"),
});
export type UserQuery = Static<typeof UserQuery>;
