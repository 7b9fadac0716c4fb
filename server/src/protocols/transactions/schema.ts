import Type, { type Static } from "typebox";
import { nullable, oneOf, time } from "../../platform/http/index.ts";

const hash = Type.String({
  pattern: "^[A-Za-z0-9_-]{43}$",
  description: "a SHA-256 hash in base64url without padding, 43 characters",
  examples: ["47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"],
});

export const acrs = ["1", "2"] as const;
/** The factors that can sign. */
export const factors = ["totp", "recovery-code", "push"] as const;

export const CreateTransaction = Type.Object(
  {
    type: Type.String({
      pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$",
      description: "the type of the transaction: letters, digits and . _ : -",
    }),
    summary: Type.String({
      minLength: 1,
      maxLength: 1000,
      // The user signs the text as it is shown, so it has no invisible and no bidirectional control characters.
      pattern: "^(?:[^\\p{C}\\p{Zl}\\p{Zp}]|\\n)+$",
      description: "the text that the user is shown and signs, with line breaks, but without control, invisible or direction characters",
    }),
    payload: Type.Optional(
      Type.Unknown({
        description:
          "The content to sign: a text, hashed as UTF-8, or an object, hashed in its canonical form (RFC 8785). " +
          "It has at most 16 KiB. Only the hash is stored",
      }),
    ),
    payloadHash: Type.Optional(hash),
    acr: Type.Optional(
      oneOf(acrs, {
        default: "1",
        description:
          "The required authentication level. A fresh second factor is always requested. `2` needs a password before it, in the session that the token " +
          "belongs to",
      }),
    ),
    expiresIn: Type.Optional(
      Type.Integer({ minimum: 30, maximum: 3_600, default: 300, description: "The seconds until it has to be consumed" }),
    ),
    userId: Type.Optional(
      Type.String({
        format: "uuid",
        description: "The user who has to sign. Needed with an application's own token. With a user's token it is that user",
      }),
    ),
  },
  { $id: "CreateTransaction", additionalProperties: false },
);
export type CreateTransaction = Static<typeof CreateTransaction>;

export const Transaction = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    status: oneOf(["PENDING", "SIGNED", "CONSUMED", "DECLINED", "EXPIRED"] as const),
    type: Type.String(),
    summary: Type.String(),
    payloadHash: hash,
    acr: oneOf(acrs),
    userId: Type.String({ format: "uuid" }),
    clientId: Type.String({ description: "The application that created it and may consume it" }),
    createdAt: time,
    expiresAt: time,
    signedAt: nullable(time),
    consumedAt: nullable(time),
    jws: nullable(
      Type.String(),
      "Present once it is signed: a JWS (`typ` = `tx+jwt`) by the realm's key, to be verified with the realm's JWKS",
    ),
  },
  { $id: "Transaction" },
);
export type Transaction = Static<typeof Transaction>;

export const SignTransaction = Type.Object(
  {
    factor: oneOf(factors, {
      description: "`totp`: a code of the authenticator app. `recovery-code`: a recovery code. `push`: a proof by an enrolled device",
    }),
    value: Type.String({
      minLength: 1,
      maxLength: 8192,
      description:
        "The code. For `push` a JWS by the device's key: header `typ` = `gatehouse-tx+jwt` and `kid` = the device's id, payload `aud` = this " +
        "address, `txn` = the transaction's id, `payload_hash`, `iat`",
    }),
    _csrf: Type.Optional(Type.String({ maxLength: 512, description: "The value of the cookie XSRF-TOKEN, for the page" })),
  },
  { $id: "SignTransaction", additionalProperties: false },
);
export type SignTransaction = Static<typeof SignTransaction>;
