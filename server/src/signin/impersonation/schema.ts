import Type, { type Static } from "typebox";

export const Impersonation = Type.Object(
  {
    sessionId: Type.String({ format: "uuid", description: "The session that the link will start" }),
    url: Type.String({ description: "Open it in your browser: it works once" }),
    expiresAt: Type.Integer({ description: "Epoch milliseconds: until when the link works" }),
  },
  { $id: "Impersonation" },
);
export type Impersonation = Static<typeof Impersonation>;

export const ImpersonationForm = Type.Object(
  { ticket: Type.String({ maxLength: 128 }), _csrf: Type.Optional(Type.String({ maxLength: 512 })) },
  { $id: "ImpersonationForm" },
);

export const EndImpersonationForm = Type.Object({ _csrf: Type.Optional(Type.String({ maxLength: 512 })) }, { $id: "EndImpersonationForm" });
