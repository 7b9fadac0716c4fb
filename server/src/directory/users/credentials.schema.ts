import Type, { type Static } from "typebox";
import { nullable, oneOf, shownText, time } from "../../platform/http/index.ts";
import { ENROLLMENT_TOKEN, PASSKEY, RECOVERY_CODE, TOTP } from "../credentials/index.ts";

const label = nullable(shownText(), "The name that its owner gave it");

const members = {
  id: Type.String({ format: "uuid" }),
  type: Type.String({ description: "`password`, `totp`, `passkey`, `push`, `recovery-code`, `enrollment-token`" }),
  label,
  createdAt: time,
  lastUsedAt: nullable(time),
  expiresAt: nullable(time),
  remaining: Type.Optional(Type.Integer({ description: "The number of recovery codes that are left" })),
  turnedOffAt: Type.Optional(
    Type.Integer({
      description: "The time since which a passkey is refused, in epoch milliseconds: its counter went back, so there may be a copy of it",
    }),
  ),
};

export const Credential = Type.Object(members, { $id: "Credential", description: "A credential, without its secret" });
export type Credential = Static<typeof Credential>;

export const CreateCredential = Type.Object(
  {
    type: oneOf([ENROLLMENT_TOKEN], {
      description: "The type of the credential. Other types are set up by the user, or by a separate route",
    }),
    label: Type.Optional(label),
    expiresIn: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 604_800, default: 3_600, description: "The lifetime of the token in seconds" }),
    ),
  },
  { $id: "CreateCredential", additionalProperties: false },
);
export type CreateCredential = Static<typeof CreateCredential>;

export const CreatedCredential = Type.Object(
  { ...members, token: Type.String({ description: "The token for the user's device. It is shown only here and works once" }) },
  { $id: "CreatedCredential" },
);
export type CreatedCredential = Static<typeof CreatedCredential>;

/** Credentials that users create for themselves. */
export const CreateOwnCredential = Type.Object(
  {
    ...CreateCredential.properties,
    type: oneOf([ENROLLMENT_TOKEN, RECOVERY_CODE, PASSKEY, TOTP], {
      description:
        "`recovery-code` makes a new set, which replaces the previous one; it has no other members. `passkey` answers 200 with `options` for " +
        "`navigator.credentials.create()`. If it is sent again with the result as `credential`, it adds the passkey. `totp` answers 200 with the secret for an authenticator " +
        "app. If it is sent again with the `setup` of that response and a `code` of the app, it adds the app",
    }),
    // It has no default, because a default would look like a requested value.
    expiresIn: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 604_800, description: "The lifetime of an `enrollment-token` in seconds. Default 3600" }),
    ),
    setup: Type.Optional(Type.String({ maxLength: 64, description: "The `setup` of the first response, for `totp`" })),
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 32, description: "The code that the app shows, for `totp`" })),
    credential: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: "The result of the browser (RegistrationResponseJSON), for `passkey`" }),
    ),
  },
  { $id: "CreateOwnCredential", additionalProperties: false },
);
export type CreateOwnCredential = Static<typeof CreateOwnCredential>;

const codes = Type.Array(Type.String(), {
  description: "Codes that each open the account once instead of a second factor. They are shown only here",
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
        { additionalProperties: true, description: "The PublicKeyCredentialCreationOptionsJSON for `passkey`, valid for five minutes" },
      ),
    ),
    setup: Type.Optional(Type.String({ description: "The value to send back with the first code, for `totp`. It works once" })),
    secret: Type.Optional(Type.String({ description: "The secret in base32 for typing it into the app, for `totp`" })),
    uri: Type.Optional(Type.String({ description: "The secret as an `otpauth:` URI, for `totp`" })),
    qrCode: Type.Optional(Type.String({ description: "The secret as a QR code, for `totp`: a `data:` URL of an SVG" })),
    expiresAt: Type.Optional(Type.Integer({ description: "The time when `setup` expires, in epoch milliseconds, for `totp`" })),
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
        description: "The user has to replace the password at the next sign-in (`UPDATE_PASSWORD`). If false, that action is removed",
      }),
    ),
  },
  { $id: "SetPassword", additionalProperties: false },
);
