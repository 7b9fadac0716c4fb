import Type, { type Static } from "typebox";
import { requiredActions } from "../../directory/users/index.ts";
import { oneOf } from "../../platform/http/index.ts";

export const SendActionsEmail = Type.Object(
  {
    actions: Type.Array(oneOf(requiredActions), {
      minItems: 1,
      uniqueItems: true,
      description: "The actions that the user is asked to do, in the order of the required actions",
    }),
    clientId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: "The OAuth client id of the application that `redirectUri` belongs to" }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2048,
        description:
          "The address to which the user goes on in the end: one of the client's redirectUris. Without it, a page says that it is done",
      }),
    ),
    lifespanSeconds: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 604_800, default: 43_200, description: "The lifetime of the link: a minute to a week" }),
    ),
  },
  { $id: "SendActionsEmail", additionalProperties: false },
);
export type SendActionsEmail = Static<typeof SendActionsEmail>;
