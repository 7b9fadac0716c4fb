import Type, { type Static } from "typebox";
import { nullable, oneOf, time, visibleName } from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";
import { brandingMembers } from "../../tenancy/settings/index.ts";
import { CreateUser, mailAddress } from "../users/index.ts";

const name = visibleName("a name", "Acme International");
const alias = Type.String({
  pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
  description:
    "an alias has 1 to 63 lower-case letters, digits and hyphens, and begins and ends with a letter or digit. Default: made from the name",
  examples: ["acme"],
});
const displayName = nullable(name);
const verification = Type.Object(
  {
    method: nullable(oneOf(["dns", "admin"]), "The way in which it is verified"),
    recordName: Type.String({ description: "The name of the TXT record that proves the domain" }),
    recordValue: Type.String({ description: "The value of the TXT record" }),
    missingSince: nullable(
      Type.Integer(),
      "The time since which the DNS record of a verified domain is missing, in epoch milliseconds. After 7 days the domain is no longer verified",
    ),
  },
  { $id: "DomainVerification", description: "It cannot be changed" },
);

/** A domain as it is shown. */
export const OrganizationDomain = Type.Object(
  {
    domain: Type.String({ description: "The domain, in lower case and in ASCII" }),
    verified: Type.Boolean({ description: "True when the domain is known to be the organization's" }),
    verification,
  },
  { $id: "OrganizationDomain" },
);
export type OrganizationDomain = Static<typeof OrganizationDomain>;

const domains = Type.Array(
  Type.Object(
    {
      domain: Type.String({ minLength: 1, maxLength: 255, description: "The domain. It is stored in lower case and in ASCII" }),
      verified: Type.Optional(
        Type.Boolean({
          default: false,
          description: "True when the domain is known to be the organization's. Setting it needs `realm-admin`, unless it was already true",
        }),
      ),
      verification: Type.Optional(
        Type.Object(
          {
            method: Type.Optional(nullable(Type.String())),
            recordName: Type.Optional(Type.String()),
            recordValue: Type.Optional(Type.String()),
            missingSince: Type.Optional(nullable(Type.Integer())),
          },
          { additionalProperties: false, description: "The verification as it was read. It cannot be changed here" },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  { maxItems: 100, description: "The domains. Each belongs to one organization of the realm" },
);
const identityProvider = nullable(
  Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$", description: "the alias of an identity provider" }),
);
const role = Type.String({
  pattern: "^[a-z][a-z0-9_-]{0,62}$",
  description: "a role in an organization has up to 63 lower-case letters, digits, - and _; `owner`, `admin` and `member` are usual",
  examples: ["member"],
});

const Branding = Type.Object(brandingMembers, {
  additionalProperties: false,
  description: "The branding of the sign-in pages, with the same members as the realm's",
});
const GivenBranding = Type.Object(
  Object.fromEntries(Object.entries(brandingMembers).map(([member, schema]) => [member, Type.Optional(schema)])) as {
    [M in keyof typeof brandingMembers]: Type.TOptional<(typeof brandingMembers)[M]>;
  },
  { additionalProperties: false },
);

export const Organization = Type.Object(
  {
    realmId: Type.String(),
    organizationId: Type.String({ format: "uuid" }),
    name: Type.String(),
    alias: Type.String({ description: "The name for programs. It cannot be changed" }),
    displayName: nullable(Type.String()),
    domains: Type.Array(OrganizationDomain),
    attributes: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
    branding: Branding,
    identityProvider: nullable(Type.String(), "The alias of its members' identity provider. Also null after that provider was deleted"),
    enabled: Type.Boolean({ description: "True: people can be invited, and open invitations can be accepted" }),
    memberCount: Type.Integer(),
    createdAt: time,
  },
  { $id: "Organization" },
);
export type Organization = Static<typeof Organization>;
export type OrganizationBranding = Organization["branding"];

const state = {
  name,
  displayName: Type.Optional(displayName),
  domains: Type.Optional(domains),
  attributes: CreateUser.properties.attributes,
  branding: Type.Optional(GivenBranding),
  identityProvider: Type.Optional(identityProvider),
  enabled: Type.Optional(Type.Boolean()),
};

export const CreateOrganization = Type.Object(
  { ...state, alias: Type.Optional(alias) },
  { $id: "CreateOrganization", additionalProperties: false },
);
export type CreateOrganization = Static<typeof CreateOrganization>;

/** The full state of an organization. Members that decide access have no default. */
export const UpdateOrganization = Type.Object(
  {
    realmId: Type.Optional(Type.String()),
    organizationId: Type.Optional(Type.String()),
    alias: Type.Optional(Type.String()),
    memberCount: Type.Optional(Type.Integer()),
    createdAt: Type.Optional(Type.Integer()),
    ...state,
    enabled: Type.Boolean(),
  },
  { $id: "UpdateOrganization", additionalProperties: false },
);
export type UpdateOrganization = Static<typeof UpdateOrganization>;

const managed = Type.Boolean({
  description:
    "True if the account is the organization's own: its SCIM tokens created it, and may change and delete it. For other members they can only end the membership",
});

export const Member = Type.Object(
  {
    userId: Type.String({ format: "uuid" }),
    username: Type.String(),
    email: nullable(Type.String()),
    enabled: Type.Boolean(),
    role: Type.String(),
    joinedAt: time,
    managed,
  },
  { $id: "OrganizationMember" },
);
export type Member = Static<typeof Member>;

export const UserOrganization = Type.Object(
  {
    organizationId: Type.String({ format: "uuid" }),
    name: Type.String(),
    alias: Type.String(),
    displayName: nullable(Type.String()),
    enabled: Type.Boolean({ description: "True when the organization is enabled" }),
    role: Type.String({ description: "The user's role in it" }),
    joinedAt: time,
  },
  { $id: "UserOrganization", description: "True, because memberships in organizations are never inherited" },
);
export type UserOrganization = Static<typeof UserOrganization>;

export const MemberQuery = listQuery({ role: Type.Optional(role) });
export type MemberQuery = Static<typeof MemberQuery>;

/** The body may be left out; it then arrives as null. */
export const SetMember = Type.Union(
  [
    Type.Object(
      {
        userId: Type.Optional(Type.String()),
        username: Type.Optional(Type.String()),
        email: Type.Optional(nullable(Type.String())),
        enabled: Type.Optional(Type.Boolean()),
        role: Type.Optional(role),
        joinedAt: Type.Optional(Type.Integer()),
        managed: Type.Optional(managed),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ],
  { $id: "SetOrganizationMember" },
);
export type SetMember = Static<typeof SetMember>;

const invitationStatuses = ["open", "accepted", "expired"] as const;

export const Invitation = Type.Object(
  {
    invitationId: Type.String({ format: "uuid" }),
    organizationId: Type.String({ format: "uuid" }),
    email: Type.String(),
    role: Type.String(),
    status: oneOf(invitationStatuses),
    invitedBy: nullable(Type.String(), "The username of the user who sent the invitation, as long as that user exists"),
    createdAt: Type.Integer({ description: "The time when it was last sent, in epoch milliseconds" }),
    expiresAt: time,
    acceptedAt: nullable(Type.Integer(), "The time of acceptance, in epoch milliseconds"),
  },
  { $id: "Invitation" },
);
export type Invitation = Static<typeof Invitation>;

export const InvitationQuery = listQuery({ status: Type.Optional(oneOf(invitationStatuses)) });
export type InvitationQuery = Static<typeof InvitationQuery>;

export const CreateInvitation = Type.Object(
  {
    email: mailAddress,
    role: Type.Optional(role),
    expiresInHours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, default: 168 })),
  },
  { $id: "CreateInvitation", additionalProperties: false },
);
export type CreateInvitation = Static<typeof CreateInvitation>;
