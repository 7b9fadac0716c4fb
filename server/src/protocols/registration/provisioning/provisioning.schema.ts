import Type, { type Static } from "typebox";
import { grantTypeNames, oauthAuthMethods, responseTypes } from "../../../applications/clients/index.ts";
import { DAY, SECOND } from "../../../kernel/clock.ts";
import { creationTime, nullable, oneOf, optional, shownText } from "../../../platform/http/index.ts";

const DAYS = DAY / SECOND;

const registration = {
  enabled: Type.Boolean({ description: "True: clients may register themselves" }),
  requireInitialAccessToken: Type.Boolean({
    description: "True: clients need an initial access token of an administrator. False: anonymous registration is allowed",
  }),
  allowedGrantTypes: Type.Array(oneOf(grantTypeNames), { uniqueItems: true, description: "The grant types that they may use" }),
  allowedResponseTypes: Type.Array(oneOf(responseTypes), {
    uniqueItems: true,
    description:
      "The response types that they may request. `code` is always allowed. The others need the realm setting `oidc.implicitFlow`, too",
  }),
  allowedRedirectHosts: Type.Array(
    Type.String({
      maxLength: 253,
      pattern: "^(\\*\\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$|^\\[[0-9a-f:]+\\]$",
      description: "a host in lower case, without scheme and port; `*.example.com` stands for all hosts below example.com",
    }),
    { maxItems: 100, uniqueItems: true, description: "The hosts of their redirect URIs. If empty, all hosts are allowed" },
  ),
  allowedAuthMethods: Type.Array(oneOf(oauthAuthMethods), {
    uniqueItems: true,
    description: "The client authentication methods that they may use",
  }),
  requireConsent: Type.Boolean({
    description:
      "True: users are asked for consent before such a client gets tokens. It can be turned off only if an initial access token is needed. Applies to clients that register from then on",
  }),
  metadataDocuments: Type.Boolean({
    description:
      "The rules for client id metadata documents: clients that are not registered, and whose client id is the https address of their metadata",
  }),
};

/** The realm's policy for dynamic registration and metadata documents. */
export const Provisioning = Type.Object(
  {
    registration: Type.Object(registration, { additionalProperties: false }),
    scim: Type.Object(
      { enabled: Type.Boolean({ description: "True: users may be provisioned by SCIM" }) },
      { additionalProperties: false },
    ),
  },
  { $id: "Provisioning" },
);
export type Provisioning = Static<typeof Provisioning>;

/** The full state: omitted members return to their defaults. */
export const UpdateProvisioning = Type.Object(
  {
    registration: Type.Optional(Type.Object(optional(registration), { additionalProperties: false })),
    scim: Type.Optional(Type.Object({ enabled: Type.Optional(Type.Boolean()) }, { additionalProperties: false })),
  },
  { $id: "UpdateProvisioning", additionalProperties: false },
);
export type UpdateProvisioning = Static<typeof UpdateProvisioning>;

export const defaults: Provisioning = {
  registration: {
    enabled: true,
    requireInitialAccessToken: true,
    allowedGrantTypes: ["authorization_code", "refresh_token"],
    allowedResponseTypes: ["code"],
    allowedRedirectHosts: [],
    allowedAuthMethods: ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"],
    requireConsent: true,
    metadataDocuments: false,
  },
  scim: { enabled: false },
};

/** Completes a stored or sent policy with defaults. */
export const completeProvisioning = ({ registration = {}, scim = {} }: UpdateProvisioning): Provisioning => ({
  registration: { ...defaults.registration, ...registration },
  scim: { ...defaults.scim, ...scim },
});

/** The input for a token. The body is optional and arrives as null. */
export const CreateInitialAccessToken = Type.Union(
  [
    Type.Object(
      {
        count: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 10_000, default: 1, description: "The number of clients that it may register" }),
        ),
        lifetime: Type.Optional(Type.Integer({ minimum: 60, maximum: 365 * DAYS, default: DAYS, description: "The lifetime in seconds" })),
        name: Type.Optional(nullable(shownText(), "The party to which the token is given")),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ],
  { $id: "CreateInitialAccessToken" },
);
export type CreateInitialAccessToken = Static<typeof CreateInitialAccessToken>;

const tokenMembers = {
  id: Type.String({ format: "uuid" }),
  name: nullable(Type.String()),
  remaining: Type.Integer({ description: "The number of clients that it may still register" }),
  createdAt: creationTime,
  expiresAt: Type.Integer({ description: "The time of expiry, in epoch milliseconds" }),
};
export const InitialAccessToken = Type.Object(tokenMembers, { $id: "InitialAccessToken" });
export type InitialAccessToken = Static<typeof InitialAccessToken>;

export const CreatedInitialAccessToken = Type.Object(
  { ...tokenMembers, token: Type.String({ description: "The token. It is shown only here" }) },
  { $id: "CreatedInitialAccessToken" },
);
export type CreatedInitialAccessToken = Static<typeof CreatedInitialAccessToken>;
