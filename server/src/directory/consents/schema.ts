import Type, { type Static } from "typebox";

const scopes = Type.Array(Type.String(), { description: "The scopes that it has" });
const grantedAt = Type.Integer({ description: "Epoch milliseconds" });
const updatedAt = Type.Integer({ description: "Epoch milliseconds: when scopes were last added" });

/** The scopes that a user granted to a client at one API. */
const ResourceConsent = Type.Object({
  resource: Type.String({ description: "The address of the API (RFC 8707)" }),
  scopes,
  grantedAt,
  updatedAt,
});

export const Consent = Type.Object(
  {
    clientId: Type.String({ description: "The application, by its OAuth client id" }),
    scopes,
    resources: Type.Array(ResourceConsent, { description: "The APIs that it may call for the user, each with what it may do there" }),
    grantedAt,
    updatedAt,
  },
  { $id: "Consent" },
);
export type Consent = Static<typeof Consent>;
