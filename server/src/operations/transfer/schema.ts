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
        description: `Comma-separated, of: ${names.join(", ")}. Left out: all of them`,
      }),
    ),
    full: Type.Optional(Type.Boolean({ default: false, description: "Members with their default value, too" })),
    users: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "The users as well, each with roles, groups and organizations. Needs `view-users`. Hashes and second factors come with sealed secrets only",
      }),
    ),
    secrets: Type.Optional(
      oneOf(["none", "sealed"], {
        default: "none",
        description:
          "`sealed`: secrets and signing keys, encrypted under the passphrase of the header `Export-Passphrase`. Needs `realm-admin` and recent authentication",
      }),
    ),
  },
  { additionalProperties: false },
);

export const ImportQuery = Type.Object(
  {
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "Says what would change, and changes nothing" })),
    prune: Type.Optional(
      oneOf(["none", "source", "all"], {
        default: "none",
        description:
          "In the sections of the document, delete what it does not have: of what earlier imports of this `source` created, or `all`. Built-in items, keys and users stay",
      }),
    ),
    source: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9._-]{1,64}$",
        description: "a name for the document: letters, digits and ._- (at most 64). The items that it creates are remembered for `prune`",
      }),
    ),
    onConflict: Type.Optional(
      oneOf(conflicts, { default: "skip", description: "The treatment of a user whose username or email address is taken" }),
    ),
    importId: Type.Optional(
      Type.String({ pattern: "^[A-Za-z0-9._-]{1,128}$", description: "importId is made of letters, digits and ._- (at most 128)" }),
    ),
    plan: Type.Optional(
      Type.String({ maxLength: 64, description: "The `digest` of a dry run: the import is refused (409) if its plan is another" }),
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
    digest: Type.String({ description: "The id of the plan; `plan` of an import takes it" }),
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
            secret: Type.Optional(Type.Boolean({ description: "A secret changes; its values are not shown" })),
          }),
        ),
      }),
      { description: "By section and key" },
    ),
    generated: Type.Array(Type.Object({ section: text, key: text, path: text }), {
      description: "Secrets that the server made up, because the document had none; read or replace them where they belong",
    }),
    users: Type.Optional(UserImport),
    lacking: Type.Array(Type.Object({ section: text, permission: text }), {
      description: "Sections that a dry run did not look at, because the caller lacks the permission to write them",
    }),
  },
  { $id: "RealmImport" },
);
