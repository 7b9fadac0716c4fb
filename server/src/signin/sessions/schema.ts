import Type, { type Static } from "typebox";
import { nullable, time } from "../../platform/http/index.ts";

const text = nullable(Type.String());

export const Session = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    realmId: Type.String(),
    userId: Type.String({ format: "uuid" }),
    username: Type.String(),
    createdAt: time,
    authTime: time,
    lastSeenAt: time,
    expiresAt: time,
    remembered: Type.Boolean({ description: "True for “keep me signed in”" }),
    acr: Type.String({
      description: "The authentication level: `1` one kind of proof, `2` two kinds, `0` an administrator acts as the user",
    }),
    amr: Type.Array(Type.String(), { description: "The authentication methods (RFC 8176)" }),
    impersonator: text,
    sourceIp: text,
    userAgent: text,
    current: Type.Boolean({ description: "True for the session of this request" }),
  },
  { $id: "Session" },
);
export type Session = Static<typeof Session>;
