import Type, { type Static } from "typebox";
import { oneOf } from "../../platform/http/index.ts";
import { ENROLLMENT_TOKEN } from "../credentials/index.ts";

const time = Type.Integer({ description: "Epoch milliseconds" });
const label = Type.Union([Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\p{Cc}]*$" }), Type.Null()], {
  description: "How its owner calls it",
});

const members = {
  id: Type.String({ format: "uuid" }),
  type: Type.String({ description: "`password`, `totp`, `passkey`, `push`, `recovery-code`, `enrollment-token`" }),
  label,
  createdAt: time,
  lastUsedAt: Type.Union([time, Type.Null()]),
  expiresAt: Type.Union([time, Type.Null()]),
};

export const Credential = Type.Object(members, { $id: "Credential", description: "Never the secret itself" });
export type Credential = Static<typeof Credential>;

export const CreateCredential = Type.Object(
  {
    type: oneOf([ENROLLMENT_TOKEN], { description: "Other credentials are set up by the user, or by a route of their own" }),
    label: Type.Optional(label),
    expiresIn: Type.Optional(Type.Integer({ minimum: 60, maximum: 604_800, default: 3_600, description: "Seconds" })),
  },
  { $id: "CreateCredential", additionalProperties: false },
);
export type CreateCredential = Static<typeof CreateCredential>;

export const CreatedCredential = Type.Object(
  { ...members, token: Type.String({ description: "For the user's device. Shown here and nowhere else; works once" }) },
  { $id: "CreatedCredential" },
);
export type CreatedCredential = Static<typeof CreatedCredential>;

export const SetPassword = Type.Object(
  {
    newPassword: Type.String({ minLength: 1, maxLength: 1024 }),
    temporary: Type.Optional(
      Type.Boolean({
        default: false,
        description: "The user has to replace it at the next sign-in (`UPDATE_PASSWORD`); otherwise that is not asked any more",
      }),
    ),
  },
  { $id: "SetPassword", additionalProperties: false },
);
