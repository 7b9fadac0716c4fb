import Type from "typebox";

const text = Type.Union([Type.String(), Type.Null()]);
const time = Type.Integer({ description: "Epoch milliseconds" });

export const AccountSession = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    createdAt: time,
    authTime: time,
    lastSeenAt: time,
    expiresAt: time,
    remembered: Type.Boolean({ description: "“Keep me signed in”" }),
    amr: Type.Array(Type.String(), { description: "How you signed in (RFC 8176)" }),
    sourceIp: text,
    userAgent: text,
    clients: Type.Array(Type.String(), { description: "The client ids of the applications that you used in it" }),
    current: Type.Boolean({ description: "The session of this very request" }),
  },
  { $id: "AccountSession" },
);

export const AccountBrowser = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    userAgent: text,
    createdAt: time,
    lastSeenAt: time,
    trustedUntil: Type.Union([time, Type.Null()], { description: "Until then it is asked for no second factor" }),
    current: Type.Boolean({ description: "The browser of this very request" }),
  },
  { $id: "AccountBrowser" },
);
