import Type, { type Static } from "typebox";
import { oneOf } from "../../platform/http/index.ts";
import { CreateUser, requiredActions } from "../users/index.ts";
import { type Delimiter, delimiters } from "./readers/index.ts";

const { username, email, attributes, roles } = CreateUser.properties;

/** The members of `POST /users`, and those only for migrated users. Without defaults: an update keeps omitted members. */
export const ImportUser = Type.Object(
  {
    username,
    email,
    emailVerified: Type.Optional(Type.Boolean()),
    enabled: Type.Optional(Type.Boolean()),
    attributes,
    roles,
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: "Held against the realm's policy and what has leaked, and hashed here, which takes its time",
      }),
    ),
    passwordHash: Type.Optional(Type.String({ minLength: 1, maxLength: 1024, description: "A ready hash, instead of a password" })),
    requiredActions: Type.Optional(Type.Array(oneOf(requiredActions), { uniqueItems: true })),
    createdAt: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.String({ format: "date-time", maxLength: 40 })], {
        description: "Epoch milliseconds or RFC 3339; of new users only",
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
  description: "importId is made of letters, digits and ._- (at most 128)",
});

export const ImportQuery = Type.Object(
  {
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "Says what would happen, and changes nothing" })),
    onConflict: Type.Optional(
      oneOf(conflicts, {
        default: "fail",
        description: "What becomes of a row whose username or email address is taken; `update` changes the members that the row names",
      }),
    ),
    importId: Type.Optional(importId),
    delimiter: Type.Optional(
      oneOf(Object.keys(delimiters) as Delimiter[], { default: ",", description: "What parts the fields of a CSV" }),
    ),
  },
  { additionalProperties: false },
);
export type ImportQuery = Static<typeof ImportQuery>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const statuses = ["RUNNING", "COMPLETED", "INTERRUPTED", "FAILED"] as const;
export type Status = (typeof statuses)[number];

const RowError = Type.Object({
  row: Type.Integer({ description: "From 1 on; a CSV's header is not counted" }),
  line: Type.Integer({ description: "Of the file, where the row begins" }),
  code: Type.String(),
  message: Type.String(),
});
export type RowError = Static<typeof RowError>;

const Stopped = Type.Object({ row: Type.Integer(), line: Type.Integer(), position: Type.Integer(), message: Type.String() });

export const UserImport = Type.Object(
  {
    importId: Type.Union([Type.String(), Type.Null()], { description: "null for a dry run" }),
    status: oneOf(statuses, { description: "INTERRUPTED: the request ended early. FAILED: the body could not be read to its end" }),
    dryRun: Type.Boolean(),
    rows: count("Rows that were dealt with, one way or another"),
    created: count("New users"),
    updated: count("Users that were there and were changed"),
    skipped: count("Rows left out because their name or email address is taken"),
    failed: count("Rows that were refused; `errors` says why"),
    errors: Type.Array(RowError, { description: "The first 1,000 refused rows" }),
    errorsTruncated: Type.Boolean({ description: "Whether more rows were refused than are listed" }),
    stopped: Type.Union([Stopped, Type.Null()], { description: "Where the body could not be read any further" }),
    startedAt: Type.Integer({ description: "Epoch milliseconds" }),
    finishedAt: Type.Union([Type.Integer(), Type.Null()]),
  },
  { $id: "UserImport" },
);
export type UserImport = Static<typeof UserImport>;
