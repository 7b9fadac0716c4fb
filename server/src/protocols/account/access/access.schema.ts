import Type, { type Static } from "typebox";
import { nullable, oneOf, time } from "../../../platform/http/index.ts";
import { listQuery } from "../../../platform/paging/index.ts";

const text = nullable(Type.String());
const maybeTime = (description: string) => nullable(Type.Integer(), description);

export const AccountSession = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    createdAt: time,
    authTime: time,
    lastSeenAt: time,
    expiresAt: time,
    remembered: Type.Boolean({ description: "True for “keep me signed in”" }),
    amr: Type.Array(Type.String(), { description: "The authentication methods of your sign-in (RFC 8176)" }),
    sourceIp: text,
    userAgent: text,
    clients: Type.Array(Type.String(), { description: "The client ids of the applications that you used in it" }),
    current: Type.Boolean({ description: "True for the session of this request" }),
  },
  { $id: "AccountSession" },
);

export const AccountBrowser = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    userAgent: text,
    createdAt: time,
    lastSeenAt: time,
    trustedUntil: nullable(time, "The time until which the browser is not asked for a second factor"),
    current: Type.Boolean({ description: "True for the browser of this request" }),
  },
  { $id: "AccountBrowser" },
);

export const AccountApplication = Type.Object(
  {
    protocol: oneOf(["oidc", "saml"]),
    clientId: Type.String({ description: "The OAuth client id of the application, or `<realm>|<entityId>` of a SAML application" }),
    name: text,
    clientUri: text,
    link: nullable(Type.String(), "The address at which the application starts. Null if it has none, or if you may not use it"),
    logoUri: text,
    firstParty: Type.Boolean({ description: "True for one of the realm's own applications, which needs no consent" }),
    scopes: Type.Array(Type.String(), { description: "The scopes of the application" }),
    resources: Type.Array(Type.String(), { description: "The APIs that you allowed it to call for you" }),
    consentedAt: maybeTime("The time of your permanent consent, in epoch milliseconds. Null if it did not ask for consent"),
    active: Type.Boolean({ description: "True if it can currently get tokens" }),
    offline: Type.Boolean({ description: "True if it can get tokens even when you are not signed in" }),
    lastUsedAt: maybeTime("The time when it last got tokens that it can renew, in epoch milliseconds. Null if it has none"),
  },
  { $id: "AccountApplication" },
);
export type AccountApplication = Static<typeof AccountApplication>;

export const ApplicationParams = Type.Object({
  realm: Type.String(),
  clientId: Type.String({ description: "The application's OAuth client id" }),
});

export const AccountApplicationQuery = listQuery({
  openable: Type.Optional(Type.Boolean({ description: "True: only applications with a `link`. False: only those without one" })),
});
export type AccountApplicationQuery = Static<typeof AccountApplicationQuery>;

export const LinkToken = Type.Object(
  {
    accessToken: Type.String({ description: "The access token of the identity provider" }),
    tokenType: Type.String(),
    expiresAt: nullable(Type.Integer(), "The time when the token expires, in epoch milliseconds. Null if the provider did not say"),
    scope: nullable(Type.String()),
  },
  { $id: "LinkToken" },
);
