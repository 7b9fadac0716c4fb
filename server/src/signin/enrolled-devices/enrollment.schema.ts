import Type, { type Static } from "typebox";
import { creationTime, nullable, oneOf, visibleName } from "../../platform/http/index.ts";
import { deviceAlgs } from "./keys.ts";

export const EnrollmentStart = Type.Object(
  {
    challenge: Type.String({ description: "The challenge that the device signs, together with `audience`, with its new key" }),
    audience: Type.String({ description: "The `aud` of the proof" }),
    algorithms: Type.Array(oneOf(deviceAlgs)),
    realm: Type.String(),
    username: Type.String({ description: "The user to whom the device will belong" }),
    label: nullable(Type.String(), "The name of the device that was given with the token"),
    pushDriver: nullable(Type.String(), "The service through which the realm sends push messages (`fcm`, `apns`). Null if it sends none"),
    expiresAt: Type.Integer({ description: "The time until which the challenge can be answered, in epoch milliseconds" }),
  },
  { $id: "EnrollmentStart" },
);
export type EnrollmentStart = Static<typeof EnrollmentStart>;

export const EnrollDevice = Type.Object(
  {
    key: Type.Record(Type.String({ maxLength: 16 }), Type.Unknown(), {
      description: "The public key of the device as a JWK: P-256, or RSA of 2048 to 4096 bits",
    }),
    proof: Type.String({
      minLength: 1,
      maxLength: 8192,
      description:
        "A compact JWS by that key. Header: `alg`, `typ` = `gatehouse-enroll+jwt`. Payload: `aud` and `challenge` as `/device/enroll/start` " +
        "gave them, `iat`.",
    }),
    name: visibleName("The name of a device", "Ada's phone"),
    platform: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: "^[A-Za-z0-9 ._-]+$",
        description: "The platform of the device, such as `Android 16`",
      }),
    ),
    pushToken: Type.Optional(
      Type.Object(
        {
          driver: oneOf(["fcm", "apns"] as const),
          token: Type.String({
            pattern: "^[A-Za-z0-9_:.-]{8,4096}$",
            description: "a device token as FCM or APNs gives it to the app: letters, digits and _ : . -",
          }),
        },
        { additionalProperties: false, description: "The push token of the device. Without it, the app has to poll" },
      ),
    ),
  },
  { $id: "EnrollDevice", additionalProperties: false },
);
export type EnrollDevice = Static<typeof EnrollDevice>;

export const EnrolledDevice = Type.Object(
  {
    deviceId: Type.String({ format: "uuid", description: "The `kid` of everything that the device signs" }),
    name: Type.String(),
    alg: oneOf(deviceAlgs),
    username: Type.String(),
    createdAt: creationTime,
    codes: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Recovery codes, for a user who had none. Each opens the account once instead of a second factor. The app shows them for its user " +
          "to keep elsewhere. They are not shown again",
      }),
    ),
  },
  { $id: "EnrolledDevice" },
);
export type EnrolledDevice = Static<typeof EnrolledDevice>;
