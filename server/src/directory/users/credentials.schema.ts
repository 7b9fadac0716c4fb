import Type, { type Static } from "typebox";
import { nullable, oneOf } from "../../platform/http/index.ts";
import { ENROLLMENT_TOKEN, PASSKEY, RECOVERY_CODE, TOTP } from "../credentials/index.ts";

const time = Type.Integer({ description: "Epoch milliseconds" });
const label = nullable(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\p{Cc}]*$" }), "The name that its owner gave it");

const members = {
  id: Type.String({ format: "uuid" }),
  type: Type.String({ description: "`password`, `totp`, `passkey`, `push`, `recovery-code`, `enrollment-token`" }),
  label,
  createdAt: time,
  lastUsedAt: nullable(time),
  expiresAt: nullable(time),
  remaining: Type.Optional(Type.Integer({ description: "Recovery codes: how many are left" })),
  turnedOffAt: Type.Optional(
    Type.Integer({
      description: "Passkeys: epoch milliseconds since which it lets nobody in, because its counter went back: there may be a copy of it",
    }),
  ),
};

export const Credential = Type.Object(members, { $id: "Credential", description: "Never the secret itself" });
export type Credential = Static<typeof Credential>;

export const CreateCredential = Type.Object(
  {
    type: oneOf([ENROLLMENT_TOKEN], { description: "Other credentials are set up by the user, or by a separate route" }),
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

/** Credentials that users create for themselves. */
export const CreateOwnCredential = Type.Object(
  {
    ...CreateCredential.properties,
    type: oneOf([ENROLLMENT_TOKEN, RECOVERY_CODE, PASSKEY, TOTP], {
      description:
        "`recovery-code` makes a new set, and ends the one before; it takes no other member. `passkey` answers 200 with `options` for " +
        "`navigator.credentials.create()`; sent again with its result as `credential`, it adds the passkey. `totp` answers 200 with the secret for an authenticator app; " +
        "sent again with that answer's `setup` and a `code` of the app, it adds the app",
    }),
    // It has no default, because a default would look like a requested value.
    expiresIn: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 604_800, description: "`enrollment-token`: seconds; 3600 where it is left out" }),
    ),
    setup: Type.Optional(Type.String({ maxLength: 64, description: "`totp`: as the first answer gave it" })),
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 32, description: "`totp`: what the app shows" })),
    credential: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: "`passkey`: what the browser made (RegistrationResponseJSON)" }),
    ),
  },
  { $id: "CreateOwnCredential", additionalProperties: false },
);
export type CreateOwnCredential = Static<typeof CreateOwnCredential>;

const codes = Type.Array(Type.String(), {
  description: "Each opens the account once in the place of a second factor. Shown here and nowhere else",
});
export type CreatedRecoveryCodes = Credential & { codes: string[] };

export const CreatedOwnCredential = Type.Object(
  { ...members, token: Type.Optional(CreatedCredential.properties.token), codes: Type.Optional(codes) },
  { $id: "CreatedOwnCredential" },
);

/** The data that the user's device needs to complete the credential. */
export const CredentialSetup = Type.Object(
  {
    type: Type.String(),
    options: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: "`passkey`: PublicKeyCredentialCreationOptionsJSON; good for five minutes" },
      ),
    ),
    setup: Type.Optional(Type.String({ description: "`totp`: to be sent back with the first code; works once" })),
    secret: Type.Optional(Type.String({ description: "`totp`: in base32, for typing it into the app" })),
    uri: Type.Optional(Type.String({ description: "`totp`: the same as an `otpauth:` address" })),
    qrCode: Type.Optional(Type.String({ description: "`totp`: the same as a picture, a `data:` address of an SVG" })),
    expiresAt: Type.Optional(Type.Integer({ description: "`totp`: epoch milliseconds" })),
  },
  { $id: "CredentialSetup" },
);

export const RenameCredential = Type.Object({ label }, { $id: "RenameCredential", additionalProperties: false });

export const SetPassword = Type.Object(
  {
    newPassword: Type.String({ minLength: 1, maxLength: 1024 }),
    temporary: Type.Optional(
      Type.Boolean({
        default: false,
        description: "The user has to replace it at the next sign-in (`UPDATE_PASSWORD`); otherwise that action is removed",
      }),
    ),
  },
  { $id: "SetPassword", additionalProperties: false },
);
