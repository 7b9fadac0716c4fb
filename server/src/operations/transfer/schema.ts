import Type from "typebox";
import { conflicts, UserImport } from "../../directory/import/index.ts";
import { oneOf } from "../../platform/http/index.ts";
import { sections } from "./sections/index.ts";

const names = sections.map(({ name }) => name);

export const ExportQuery = Type.Object(
  {
    sections: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: `A comma-separated list of sections: ${names.join(", ")}. If omitted, all of them`,
      }),
    ),
    full: Type.Optional(Type.Boolean({ default: false, description: "Include members with their default value" })),
    users: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Include the users, each with roles, groups and organizations. Needs `view-users`. Hashes and second factors are included only with sealed secrets",
      }),
    ),
    secrets: Type.Optional(
      oneOf(["none", "sealed"], {
        default: "none",
        description:
          "`sealed`: include secrets and signing keys, encrypted with the passphrase of the header `Export-Passphrase`. Needs `realm-admin` and recent authentication",
      }),
    ),
  },
  { additionalProperties: false },
);

export const ImportQuery = Type.Object(
  {
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "Report what would change, and change nothing" })),
    prune: Type.Optional(
      oneOf(["none", "source", "all"], {
        default: "none",
        description:
          "In the sections of the document, delete what it does not contain: only what earlier imports of this `source` created, or `all`. Built-in items, keys and users are kept",
      }),
    ),
    source: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9._-]{1,64}$",
        description:
          "a name for the document: at most 64 letters, digits, dots, dashes and underscores. The items that it creates are remembered for `prune`",
      }),
    ),
    onConflict: Type.Optional(
      oneOf(conflicts, { default: "skip", description: "The treatment of a user whose username or email address already exists" }),
    ),
    importId: Type.Optional(
      Type.String({ pattern: "^[A-Za-z0-9._-]{1,128}$", description: "at most 128 letters, digits, dots, dashes and underscores" }),
    ),
    plan: Type.Optional(
      Type.String({ maxLength: 64, description: "The `digest` of a dry run. The import is refused (409) if its plan differs" }),
    ),
  },
  { additionalProperties: false },
);

const text = Type.String();
const count = Type.Integer({ minimum: 0 });

export const RealmImport = Type.Object(
  {
    realm: text,
    dryRun: Type.Boolean(),
    digest: Type.String({ description: "The id of the plan, for the query parameter `plan` of an import" }),
    sections: Type.Record(Type.String(), Type.Object({ created: count, updated: count, deleted: count, unchanged: count })),
    actions: Type.Array(
      Type.Object({
        section: text,
        key: text,
        action: oneOf(["create", "update", "delete"]),
        changes: Type.Array(
          Type.Object({
            path: text,
            before: Type.Optional(Type.Unknown()),
            after: Type.Optional(Type.Unknown()),
            secret: Type.Optional(Type.Boolean({ description: "True if a secret changes. Its values are not shown" })),
          }),
        ),
      }),
      { description: "The changes, by section and key" },
    ),
    generated: Type.Array(Type.Object({ section: text, key: text, path: text }), {
      description: "The secrets that the server generated because the document had none. Read or replace them at their own addresses",
    }),
    users: Type.Optional(UserImport),
    lacking: Type.Array(Type.Object({ section: text, permission: text }), {
      description: "The sections that a dry run did not check, because the caller lacks the permission to write them",
    }),
  },
  { $id: "RealmImport" },
);
