import Type, { type Static } from "typebox";

const text = Type.Union([Type.String(), Type.Null()]);
const maybeTime = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

export const AccountApplication = Type.Object(
  {
    clientId: Type.String({ description: "The application's OAuth client id" }),
    name: text,
    clientUri: text,
    logoUri: text,
    firstParty: Type.Boolean({ description: "One of the realm's own applications: it asks for no consent" }),
    scopes: Type.Array(Type.String(), { description: "What it may know and do" }),
    consentedAt: maybeTime("Epoch milliseconds: since when it is allowed for good; null: it never asked"),
    active: Type.Boolean({ description: "It can get tokens at this moment" }),
    offline: Type.Boolean({ description: "It can do so also when you are not signed in" }),
    lastUsedAt: maybeTime("Epoch milliseconds: when it last got tokens that it can renew; null: none of these are left"),
  },
  { $id: "AccountApplication" },
);
export type AccountApplication = Static<typeof AccountApplication>;
