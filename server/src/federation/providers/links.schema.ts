import Type, { type Static } from "typebox";
import { nullable, time } from "../../platform/http/index.ts";

export const LinkedAccount = Type.Object(
  {
    alias: Type.String({ description: "The alias of the identity provider" }),
    displayName: Type.String(),
    protocol: Type.String(),
    subject: Type.String({ description: "The identifier of the account at the provider" }),
    username: nullable(Type.String(), "The name of the account at the provider, at the last sign-in"),
    linkedAt: time,
    lastUsedAt: nullable(time),
    enabled: Type.Boolean({ description: "True when the provider is enabled" }),
    tokensKept: Type.Boolean({ description: "True when tokens of the provider are kept for the user (`storeTokens`)" }),
  },
  { $id: "LinkedAccount" },
);
export type LinkedAccount = Static<typeof LinkedAccount>;
