import Type, { type Static } from "typebox";

export const PreviewRequest = Type.Object(
  {
    userId: Type.String({ format: "uuid", description: "The user that the tokens would be about" }),
    scope: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: "As the application would send it; by default the client's default scopes with `openid`",
      }),
    ),
    resource: Type.Optional(
      Type.String({ maxLength: 2048, description: "The API that the access token would be for (RFC 8707); by default the realm itself" }),
    ),
  },
  { $id: "TokenPreviewRequest", additionalProperties: false },
);
export type PreviewRequest = Static<typeof PreviewRequest>;

const claims = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

export const TokenPreview = Type.Object(
  {
    scopes: Type.Array(Type.String(), { description: "The scopes that the access token would have" }),
    allowed: Type.Boolean({ description: "True when the user may use the client at all (`allowedRoles`, `allowedGroups`)" }),
    accessToken: claims("The payload of the access token"),
    idToken: Type.Union([claims("The payload of the ID token"), Type.Null()], { description: "Null without the scope `openid`" }),
    userinfo: Type.Union([claims("The answer of userinfo"), Type.Null()], { description: "Null without the scope `openid`" }),
  },
  { $id: "TokenPreview", description: "Claims only: nothing is signed or stored, and nothing here is a token" },
);
export type TokenPreview = Static<typeof TokenPreview>;
