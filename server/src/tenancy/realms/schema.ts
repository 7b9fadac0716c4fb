import Type, { type Static } from "typebox";
import { creationTime, nullable, shownText } from "../../platform/http/index.ts";

const displayName = nullable(shownText(), "The name that pages and messages show");
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** Tells whether a realm can have this name; otherwise the response is 404 without a database query. */
export const isRealmName = (name: string): boolean => NAME.test(name);

const name = Type.String({
  pattern: NAME.source,
  description: "a realm's name has 1 to 63 lower-case letters, digits and hyphens, and does not start with a hyphen",
  examples: ["acme"],
});

export const Realm = Type.Object(
  {
    realm: name,
    realmId: Type.String({ description: "The same as `realm`" }),
    displayName,
    createdAt: creationTime,
  },
  { $id: "Realm" },
);
export type Realm = Static<typeof Realm>;

export const CreateRealm = Type.Object(
  {
    realm: name,
    displayName: Type.Optional(displayName),
    adminPassword: Type.Optional(
      Type.String({ maxLength: 256, description: "The password of the realm's user `admin`; if omitted, it is generated" }),
    ),
  },
  { $id: "CreateRealm", additionalProperties: false },
);
export type CreateRealm = Static<typeof CreateRealm>;

export const CreatedRealm = Type.Object(
  {
    ...Realm.properties,
    adminPassword: Type.Optional(
      Type.String({ description: "The password of the user `admin`, if it was generated. It is shown only here" }),
    ),
  },
  { $id: "CreatedRealm" },
);
export type CreatedRealm = Static<typeof CreatedRealm>;

export const UpdateRealm = Type.Object(
  {
    realm: Type.Optional(Type.String()),
    realmId: Type.Optional(Type.String()),
    createdAt: Type.Optional(Type.Integer()),
    displayName: Type.Optional(displayName),
  },
  { $id: "UpdateRealm", additionalProperties: false },
);
export type UpdateRealm = Static<typeof UpdateRealm>;
