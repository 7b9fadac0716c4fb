import Type, { type Static } from "typebox";
import { Consent } from "../../../directory/consents/index.ts";
import { LinkedAccount } from "../../../federation/index.ts";

const time = Type.Integer({ description: "Epoch milliseconds" });
const maybeTime = Type.Union([Type.Integer(), Type.Null()], { description: "Epoch milliseconds" });
const text = Type.Union([Type.String(), Type.Null()]);

/** The data that a realm has of a person, in the form that the law asks for: structured, common, machine-readable. */
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
      { description: "Whatever gets in as the user. Kinds and dates; never the secrets themselves" },
    ),
    federatedLinks: Type.Array(LinkedAccount, { description: "Accounts at identity providers" }),
    directoryEntries: Type.Array(Type.Object({ source: Type.String(), entryId: Type.String(), dn: Type.String(), lastSyncAt: maybeTime }), {
      description: "What the user is in a directory; `lastSyncAt`: when the directory was last read whole or for changes",
    }),
    consents: Type.Array(Consent),
    samlNameIds: Type.Array(Type.Object({ entityId: Type.String(), nameId: Type.String(), createdAt: time }), {
      description: "The persistent NameIDs by which SAML service providers know the user, one for each",
    }),
    provisioned: Type.Object(
      {
        externalIds: Type.Array(Type.Object({ connection: Type.String(), externalId: Type.String() })),
        attributes: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true })),
        targets: Type.Array(Type.Object({ target: Type.String(), remoteId: Type.Union([Type.String(), Type.Null()]), sentAt: maybeTime }), {
          description: "Services that are sent the user, and the id of the account there",
        }),
      },
      {
        description:
          "What provisioning clients (SCIM) keep, their ids of the user and attributes that are nowhere else, and which services the user is provisioned to",
      },
    ),
    knownBrowsers: Type.Array(Type.Object({ userAgent: text, createdAt: time, lastSeenAt: time, trustedUntil: maybeTime }), {
      description: "Those that the user has signed in with and that are known again; `trustedUntil`: until when without a second factor",
    }),
    acceptedTerms: Type.Array(Type.Object({ version: Type.String(), acceptedAt: time })),
    transactions: Type.Array(
      Type.Object({
        id: Type.String(),
        clientId: Type.String(),
        type: Type.String(),
        summary: Type.String({ description: "As it was shown to the user" }),
        status: Type.String(),
        createdAt: time,
        signedAt: maybeTime,
      }),
      { description: "What applications asked the user to sign, as long as it is kept: a day after it has run out" },
    ),
    ownedResources: Type.Array(
      Type.Object({ clientId: Type.String(), resourceId: Type.String(), name: Type.String(), createdAt: time, shares: Type.Integer() }),
      { description: "What the user owns at applications with authorization services; `shares`: with how many others" },
    ),
    sharedResources: Type.Array(
      Type.Object({ clientId: Type.String(), resourceId: Type.String(), scope: Type.String(), status: Type.String(), createdAt: time }),
      { description: "What others shared with the user, or the user asked them for" },
    ),
    ownedAgents: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        description: text,
        status: Type.String(),
        createdAt: time,
        lastReviewedAt: Type.Union([Type.Integer(), Type.Null()]),
      }),
      { description: "The agents that the user answers for" },
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
      { description: "Sign-ins, sign-outs and failed attempts, the newest 10,000, newest first" },
    ),
  },
  { $id: "PersonalData" },
);
export type PersonalData = Static<typeof PersonalData>;
