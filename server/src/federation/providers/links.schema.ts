import Type, { type Static } from "typebox";
import { nullable } from "../../platform/http/index.ts";

const time = Type.Integer({ description: "A time in epoch milliseconds" });

export const LinkedAccount = Type.Object(
  {
    alias: Type.String({ description: "The alias of the identity provider" }),
    displayName: Type.String(),
    protocol: Type.String(),
    subject: Type.String({ description: "The provider's identifier of the account" }),
    username: nullable(Type.String(), "The provider's name of the account, at the last sign-in"),
    linkedAt: time,
    lastUsedAt: nullable(time),
    enabled: Type.Boolean({ description: "True when the provider is enabled" }),
    tokensKept: Type.Boolean({ description: "True when tokens of the provider are kept for the user (`storeTokens`)" }),
  },
  { $id: "LinkedAccount" },
);
export type LinkedAccount = Static<typeof LinkedAccount>;
