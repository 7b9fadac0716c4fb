import Type, { type Static } from "typebox";

const scopes = Type.Array(Type.String(), { description: "The scopes of the consent" });
const grantedAt = Type.Integer({ description: "The time of the consent, in epoch milliseconds" });
const updatedAt = Type.Integer({ description: "The time when scopes were last added, in epoch milliseconds" });

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
    resources: Type.Array(ResourceConsent, { description: "The APIs that it may call for the user, each with its scopes" }),
    grantedAt,
    updatedAt,
  },
  { $id: "Consent" },
);
export type Consent = Static<typeof Consent>;
