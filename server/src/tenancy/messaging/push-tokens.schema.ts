import Type, { type Static } from "typebox";
import { creationTime, nullable, oneOf, shownText } from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";

const pushDrivers = ["fcm", "apns"] as const;
export type PushDriver = (typeof pushDrivers)[number];

const deviceName = nullable(shownText(), "The name that its owner gave the device");

export const PushToken = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    realmId: Type.String(),
    userId: Type.String({ format: "uuid" }),
    driver: oneOf(pushDrivers),
    token: Type.String({ description: "The last characters of the token" }),
    deviceName,
    createdAt: creationTime,
    lastUsedAt: nullable(Type.Integer(), "The time when a message was last sent to it, in epoch milliseconds"),
  },
  { $id: "PushToken" },
);
export type PushToken = Static<typeof PushToken>;

export const RegisterPushToken = Type.Object(
  {
    userId: Type.String({ format: "uuid" }),
    driver: oneOf(pushDrivers),
    token: Type.String({
      pattern: "^[A-Za-z0-9_:.-]{8,4096}$",
      description: "a device token as FCM or APNs gives it to the app: letters, digits and _ : . -",
    }),
    deviceName: Type.Optional(deviceName),
  },
  { $id: "RegisterPushToken", additionalProperties: false },
);
export type RegisterPushToken = Static<typeof RegisterPushToken>;

export const PushTokenQuery = listQuery({
  userId: Type.Optional(Type.String({ format: "uuid", description: "Return only the devices of this user" })),
});
export type PushTokenQuery = Static<typeof PushTokenQuery>;
