import Type, { type Static } from "typebox";
import { nullable, oneOf } from "../../platform/http/index.ts";

const time = Type.Integer({ description: "Epoch milliseconds" });
const maybe = (description: string) => nullable(Type.String(), description);

export const PushRequest = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    status: oneOf(["PENDING", "APPROVED", "DENIED", "EXPIRED"] as const),
    clientId: maybe("The application that the sign-in is for; null for the realm's own pages"),
    clientName: maybe("Its name"),
    sourceIp: maybe("The address that the sign-in comes from"),
    userAgent: maybe("The browser that it comes from, as that says"),
    createdAt: time,
    expiresAt: time,
  },
  { $id: "PushRequest" },
);
export type PushRequest = Static<typeof PushRequest>;

const _csrf = Type.Optional(Type.String({ maxLength: 512, description: "The value of the cookie XSRF-TOKEN, for forms" }));

export const PushApproval = Type.Object(
  {
    number: Type.Optional(
      Type.String({
        maxLength: 8,
        description: "The number on the screen that waits, as it was typed. With a device's proof it stands in there instead",
      }),
    ),
    _csrf,
  },
  { $id: "PushApproval", additionalProperties: false },
);

export const CsrfOnly = Type.Object({ _csrf }, { $id: "CsrfOnly", additionalProperties: false });

export const PushAnswer = Type.Object({ status: oneOf(["APPROVED", "DENIED"] as const) }, { $id: "PushAnswer" });

export const QrRequest = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    status: oneOf(["PENDING", "APPROVED", "EXPIRED"] as const),
    clientId: maybe("The application that the sign-in is for; null for the realm's own pages"),
    clientName: maybe("Its name"),
    sourceIp: maybe("The address of the screen that waits"),
    userAgent: maybe("Its browser, as that says"),
    code: Type.String({ description: "The screen that waits shows it, too" }),
    createdAt: time,
    expiresAt: time,
  },
  { $id: "QrRequest" },
);
export type QrRequest = Static<typeof QrRequest>;

export const QrAnswer = Type.Object({ status: oneOf(["APPROVED"] as const) }, { $id: "QrAnswer" });
