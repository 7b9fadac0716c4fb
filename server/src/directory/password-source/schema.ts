import Type, { type Static } from "typebox";
import { nullable } from "../../platform/http/index.ts";

const url = nullable(Type.String({ minLength: 1, maxLength: 2048 }), "The https address that checks passwords. Null if there is none");
const enabled = Type.Boolean({ description: "True if the source is used" });

export const PasswordSourceRecord = Type.Object(
  { url, enabled, secretSet: Type.Boolean({ description: "True if a secret is stored. The secret is never shown" }) },
  { $id: "PasswordSource" },
);
export type PasswordSourceRecord = Static<typeof PasswordSourceRecord>;

/** The full state; the record that GET shows is valid. */
export const UpdatePasswordSource = Type.Object(
  {
    url,
    enabled: Type.Optional(Type.Boolean({ default: true, description: "True if the source is used" })),
    secret: Type.Optional(
      Type.String({
        ...{ minLength: 16, maxLength: 255, pattern: "^[!-~]+$", writeOnly: true },
        description:
          "signs the requests: 16 to 255 letters, digits and signs of ASCII. If omitted, the stored one is kept; a change of scheme, host or port needs it again",
      }),
    ),
    secretSet: Type.Optional(Type.Boolean()),
  },
  { $id: "UpdatePasswordSource", additionalProperties: false },
);
export type UpdatePasswordSource = Static<typeof UpdatePasswordSource>;
