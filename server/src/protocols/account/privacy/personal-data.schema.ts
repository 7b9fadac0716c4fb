import Type, { type Static } from "typebox";
import { Consent } from "../../../directory/consents/index.ts";
import { LinkedAccount } from "../../../federation/index.ts";
import { nullable, time } from "../../../platform/http/index.ts";

const maybeTime = nullable(Type.Integer(), "A time in epoch milliseconds");
const text = nullable(Type.String());

/** A user's data in the realm. The law requires a structured, commonly used, machine-readable form. */
export const PersonalData = Type.Object(
  {
    generatedAt: time,
    schema: Type.Literal("gatehouse.gdpr.export/v1"),
    realmId: Type.String(),
    userId: Type.String({ format: "uuid" }),
    profile: Type.Object({ username: Type.String(), email: text, enabled: Type.Boolean(), createdAt: time }),
    attributes: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
    roles: Type.Array(Type.String(), { description: "The realm roles given to the user directly" }),
    realmMemberships: Type.Array(
      Type.Object({
        realmId: Type.String(),
        joinedAt: maybeTime,
        groups: Type.Array(Type.Object({ groupId: Type.String(), name: Type.String(), joinedAt: time })),
      }),
    ),
    organizations: Type.Array(Type.Object({ organizationId: Type.String(), name: Type.String(), role: Type.String(), joinedAt: time })),
    credentials: Type.Array(
      Type.Object({
        type: Type.String({
          description: "`password`, …; `push-device` for a device that messages are pushed to, `session` for a live session",
        }),
        createdAt: time,
        lastUsedAt: maybeTime,
        deviceName: Type.Optional(text),
        sourceIp: Type.Optional(text),
        userAgent: Type.Optional(text),
      }),
      { description: "The credentials of the user: types and dates, but never the secrets themselves" },
    ),
    federatedLinks: Type.Array(LinkedAccount, { description: "Accounts at identity providers" }),
    directoryEntries: Type.Array(Type.Object({ source: Type.String(), entryId: Type.String(), dn: Type.String(), lastSyncAt: maybeTime }), {
      description:
        "The user's entry in a directory. `lastSyncAt` is the time at which the directory was last read completely or for changes",
    }),
    consents: Type.Array(Consent),
    samlNameIds: Type.Array(Type.Object({ entityId: Type.String(), nameId: Type.String(), createdAt: time }), {
      description: "The persistent NameIDs by which SAML service providers know the user, one for each service provider",
    }),
    provisioned: Type.Object(
      {
        externalIds: Type.Array(Type.Object({ connection: Type.String(), externalId: Type.String() })),
        attributes: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true })),
        targets: Type.Array(Type.Object({ target: Type.String(), remoteId: nullable(Type.String()), sentAt: maybeTime }), {
          description: "The services to which the user is sent, and the id of the account at each",
        }),
      },
      {
        description:
          "Data of provisioning clients (SCIM): their ids of the user, attributes that are stored nowhere else, and the services to which the user is provisioned",
      },
    ),
    knownBrowsers: Type.Array(Type.Object({ userAgent: text, createdAt: time, lastSeenAt: time, trustedUntil: maybeTime }), {
      description:
        "The browsers that are known from the user's sign-ins. `trustedUntil` is the time until which no second factor is asked for",
    }),
    acceptedTerms: Type.Array(Type.Object({ version: Type.String(), acceptedAt: time })),
    transactions: Type.Array(
      Type.Object({
        id: Type.String(),
        clientId: Type.String(),
        type: Type.String(),
        summary: Type.String({ description: "The transaction as it was shown to the user" }),
        status: Type.String(),
        createdAt: time,
        signedAt: maybeTime,
      }),
      { description: "Requests of applications for the user's signature. They are kept until a day after they expire" },
    ),
    ownedResources: Type.Array(
      Type.Object({ clientId: Type.String(), resourceId: Type.String(), name: Type.String(), createdAt: time, shares: Type.Integer() }),
      {
        description:
          "Resources that the user owns at applications with authorization services. `shares` is the number of other users who have access",
      },
    ),
    sharedResources: Type.Array(
      Type.Object({ clientId: Type.String(), resourceId: Type.String(), scope: Type.String(), status: Type.String(), createdAt: time }),
      { description: "Resources that others shared with the user, or that the user requested" },
    ),
    ownedAgents: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        description: text,
        status: Type.String(),
        createdAt: time,
        lastReviewedAt: nullable(Type.Integer()),
      }),
      { description: "The agents that the user is responsible for" },
    ),
    loginEvents: Type.Array(
      Type.Object({
        id: Type.String(),
        ts: Type.String({ format: "date-time" }),
        type: Type.String(),
        outcome: Type.String(),
        sourceIp: text,
        detail: text,
      }),
      { description: "Sign-ins, logouts and failed attempts: the newest 10,000, newest first" },
    ),
  },
  { $id: "PersonalData" },
);
export type PersonalData = Static<typeof PersonalData>;
