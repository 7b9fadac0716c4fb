import Type, { type Static } from "typebox";

export const Consent = Type.Object(
  {
    clientId: Type.String({ description: "The application, by its OAuth client id" }),
    scopes: Type.Array(Type.String(), { description: "What it may know and do" }),
    grantedAt: Type.Integer({ description: "Epoch milliseconds" }),
    updatedAt: Type.Integer({ description: "Epoch milliseconds: when scopes were last added" }),
  },
  { $id: "Consent" },
);
export type Consent = Static<typeof Consent>;
