import Type, { type Static } from "typebox";
import { requiredActions } from "../../directory/users/index.ts";
import { oneOf } from "../../platform/http/index.ts";

export const SendActionsEmail = Type.Object(
  {
    actions: Type.Array(oneOf(requiredActions), {
      minItems: 1,
      uniqueItems: true,
      description: "The actions that the user is asked to complete, in the order of the required actions",
    }),
    clientId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: "The OAuth client id of the application that `redirectUri` belongs to" }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2048,
        description:
          "The address at which the user continues afterwards: one of the client's redirectUris. Without it, a page says that the actions are done",
      }),
    ),
    lifespanSeconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 604_800,
        default: 43_200,
        description: "The lifetime of the link in seconds, from a minute to a week",
      }),
    ),
  },
  { $id: "SendActionsEmail", additionalProperties: false },
);
export type SendActionsEmail = Static<typeof SendActionsEmail>;
