import Type, { type Static } from "typebox";
import { nullable, oneOf } from "../../platform/http/index.ts";
import { CreateUser, requiredActions } from "../users/index.ts";
import { type Delimiter, delimiters, TOTP_KEY } from "./readers/index.ts";

const { username, email, attributes, roles } = CreateUser.properties;

const name = Type.String({ minLength: 1, maxLength: 255 });
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** A second factor as another installation of this server stored it. It comes from an export, in which it is sealed. */
const credential = Type.Object(
  {
    type: oneOf(["totp", "passkey", "recovery-code"]),
    secret: text(65_536),
    data: Type.Optional(
      Type.Object(
        {
          algorithm: Type.Optional(oneOf(["SHA1", "SHA256", "SHA512"])),
          digits: Type.Optional(Type.Integer({ minimum: 6, maximum: 8 })),
          period: Type.Optional(Type.Integer({ minimum: 15, maximum: 120 })),
          lastStep: Type.Optional(Type.Integer({ minimum: -1 })),
          label: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
          credentialId: Type.Optional(text(2048)),
          counter: Type.Optional(Type.Integer({ minimum: 0 })),
          transports: Type.Optional(Type.Array(text(64), { maxItems: 20 })),
          aaguid: Type.Optional(text(64)),
          backedUp: Type.Optional(Type.Boolean()),
          deviceType: Type.Optional(oneOf(["singleDevice", "multiDevice"])),
          userHandle: Type.Optional(text(255)),
          suspectedAt: Type.Optional(Type.Integer({ minimum: 0 })),
          remaining: Type.Optional(Type.Integer({ minimum: 0 })),
        },
        { additionalProperties: false },
      ),
    ),
    createdAt: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
);

/** The members of `POST /users`, and some for migrated users only. They have no defaults, so that an update keeps omitted members. */
export const ImportUser = Type.Object(
  {
    username,
    email,
    emailVerified: Type.Optional(Type.Boolean()),
    inactiveLoginNames: Type.Optional(
      Type.Array(oneOf(["email", "username"]), {
        uniqueItems: true,
        description:
          "Names by which the user does not sign in, and which another user may have: an `email` that nobody has confirmed, or a `username` that is another user's confirmed address (needs `realm-admin`)",
      }),
    ),
    enabled: Type.Optional(Type.Boolean()),
    locked: Type.Optional(
      Type.Boolean({ description: "The user is locked by an administrator. New users are not locked unless the row says so" }),
    ),
    attributes,
    roles,
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description:
          "The password, which is checked against the realm's policy and leaked passwords. The server hashes it, which takes time",
      }),
    ),
    passwordHash: Type.Optional(Type.String({ minLength: 1, maxLength: 1024, description: "An existing hash, instead of a password" })),
    requiredActions: Type.Optional(Type.Array(oneOf(requiredActions), { uniqueItems: true })),
    userId: Type.Optional(
      Type.String({ format: "uuid", description: "The user's id, which applications know as `sub`. For new users only" }),
    ),
    groups: Type.Optional(
      Type.Array(text(13_000), { maxItems: 1000, description: "The user's groups, as paths such as `/Sales/Europe`. For new users only" }),
    ),
    clientRoles: Type.Optional(
      Type.Array(Type.Object({ clientId: name, name }, { additionalProperties: false }), {
        maxItems: 1000,
        description: "The user's client roles. For new users only",
      }),
    ),
    organizations: Type.Optional(
      Type.Array(
        Type.Object(
          {
            alias: text(63),
            role: Type.Optional(Type.String({ pattern: "^[a-z][a-z0-9_-]{0,62}$", description: "a role in an organization" })),
            managed: Type.Optional(
              Type.Boolean({
                description: "True if the account is the organization's own. At most one organization of a user can have it",
              }),
            ),
          },
          { additionalProperties: false },
        ),
        { maxItems: 1000, description: "The organizations by alias, with the user's role in each. For new users only" },
      ),
    ),
    credentials: Type.Optional(
      Type.Array(credential, {
        maxItems: 100,
        description: "Authenticator apps, passkeys and recovery codes from an export. For new users only",
      }),
    ),
    totp: Type.Optional(
      Type.Object(
        {
          secret: Type.String({ pattern: TOTP_KEY, description: "the key in base32, as authenticator apps accept it" }),
          algorithm: Type.Optional(oneOf(["SHA1", "SHA256", "SHA512"], { default: "SHA1" })),
          digits: Type.Optional(Type.Integer({ minimum: 6, maximum: 8, default: 6 })),
          period: Type.Optional(Type.Integer({ minimum: 15, maximum: 120, default: 30 })),
        },
        { additionalProperties: false, description: "An authenticator app that the user set up in another system. For new users only" },
      ),
    ),
    federatedIdentities: Type.Optional(
      Type.Array(
        Type.Object(
          { provider: text(63), subject: text(1024), username: Type.Optional(nullable(Type.String({ maxLength: 255 }))) },
          { additionalProperties: false },
        ),
        {
          maxItems: 20,
          description:
            "The user's accounts at identity providers of the realm, by alias, with the identifier that the provider has for the user. For new users only. Needs `manage-identity-providers`",
        },
      ),
    ),
    createdAt: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.String({ format: "date-time", maxLength: 40 })], {
        description: "The time of creation, in epoch milliseconds or RFC 3339. For new users only",
      }),
    ),
  },
  { $id: "ImportUser", additionalProperties: false },
);
export type ImportUser = Static<typeof ImportUser>;

export const conflicts = ["fail", "skip", "update"] as const;
export type OnConflict = (typeof conflicts)[number];

const importId = Type.String({
  pattern: "^[A-Za-z0-9._-]{1,128}$",
  description: "at most 128 letters, digits, dots, dashes and underscores",
});

export const ImportQuery = Type.Object(
  {
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "Report what would happen, and change nothing" })),
    onConflict: Type.Optional(
      oneOf(conflicts, {
        default: "fail",
        description:
          "The treatment of a row whose username or email address already exists. `update` changes the members that the row names",
      }),
    ),
    importId: Type.Optional(importId),
    delimiter: Type.Optional(
      oneOf(Object.keys(delimiters) as Delimiter[], { default: ",", description: "The field separator of a CSV file" }),
    ),
  },
  { additionalProperties: false },
);
export type ImportQuery = Static<typeof ImportQuery>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const statuses = ["RUNNING", "COMPLETED", "INTERRUPTED", "FAILED"] as const;
export type Status = (typeof statuses)[number];

const RowError = Type.Object({
  row: Type.Integer({ description: "The number of the row, from 1. The header of a CSV file is not counted" }),
  line: Type.Integer({ description: "The line of the file at which the row begins" }),
  code: Type.String(),
  message: Type.String(),
});
export type RowError = Static<typeof RowError>;

const Stopped = Type.Object({ row: Type.Integer(), line: Type.Integer(), position: Type.Integer(), message: Type.String() });

export const UserImport = Type.Object(
  {
    importId: nullable(Type.String(), "Null for a dry run"),
    status: oneOf(statuses, { description: "INTERRUPTED: the request ended early. FAILED: the rest of the body could not be read" }),
    dryRun: Type.Boolean(),
    rows: count("The rows that were processed, with any result"),
    created: count("New users"),
    updated: count("Existing users that were changed"),
    skipped: count("The rows that were skipped because their username or email address already exists"),
    failed: count("The rows that were refused. `errors` has the reasons"),
    errors: Type.Array(RowError, { description: "The first 1,000 refused rows" }),
    errorsTruncated: Type.Boolean({ description: "True when more rows were refused than are listed" }),
    stopped: nullable(Stopped, "The position from which the body could not be read"),
    startedAt: Type.Integer({ description: "The time of the start, in epoch milliseconds" }),
    finishedAt: nullable(Type.Integer()),
  },
  { $id: "UserImport" },
);
export type UserImport = Static<typeof UserImport>;
