import Type, { type Static } from "typebox";
import { nullable, oneOf, time } from "../../platform/http/index.ts";

const maybe = (description: string) => nullable(Type.String(), description);

export const PushRequest = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    status: oneOf(["PENDING", "APPROVED", "DENIED", "EXPIRED"] as const),
    clientId: maybe("The application that the sign-in is for. Null for the realm's own pages"),
    clientName: maybe("The name of the application"),
    sourceIp: maybe("The address that the sign-in comes from"),
    userAgent: maybe("The browser that the sign-in comes from, as its User-Agent header says"),
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
        description: "The number on the waiting screen, as the user entered it. A device's proof contains the number instead",
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
    clientId: maybe("The application that the sign-in is for. Null for the realm's own pages"),
    clientName: maybe("The name of the application"),
    sourceIp: maybe("The address of the waiting screen"),
    userAgent: maybe("The browser of the waiting screen, as its User-Agent header says"),
    code: Type.String({ description: "The code that the waiting screen shows, too" }),
    createdAt: time,
    expiresAt: time,
  },
  { $id: "QrRequest" },
);
export type QrRequest = Static<typeof QrRequest>;

export const QrAnswer = Type.Object({ status: oneOf(["APPROVED"] as const) }, { $id: "QrAnswer" });
