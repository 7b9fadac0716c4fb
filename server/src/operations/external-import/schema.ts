import Type, { type Static } from "typebox";
import { conflicts } from "../../directory/import/index.ts";
import { oneOf } from "../../platform/http/index.ts";
import { RealmImportSchema } from "../transfer/index.ts";
import { sources } from "./sources/index.ts";

export const ExternalImportQuery = Type.Object(
  {
    source: Type.Optional(
      oneOf(
        sources.map(({ name }) => name),
        { description: "The product that wrote the files. If omitted, it is detected" },
      ),
    ),
    from: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "The realm to import, if the files contain several" })),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "Report what would be imported, and change nothing" })),
    onConflict: Type.Optional(
      oneOf(conflicts, { default: "skip", description: "The treatment of a user whose username or email address already exists" }),
    ),
    importId: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9._-]{1,128}$",
        description:
          "at most 128 letters, digits, dots, dashes and underscores. `GET /users/import/{importId}` shows the progress of the users. After an interruption, the same files with the same importId continue the import",
      }),
    ),
  },
  { additionalProperties: false },
);

const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const counted = { path: Type.String({ description: "A pattern, such as `clients[].secret`" }), count };

const Refused = Type.Object({
  section: text,
  key: text,
  field: Type.String({ description: "The member of the item. Empty if the whole item is meant" }),
  code: text,
  message: text,
});
export type Refused = Static<typeof Refused>;

const Translation = Type.Object(
  {
    source: text,
    mapped: Type.Array(Type.Object(counted), { description: "The items that were imported" }),
    ignored: Type.Array(Type.Object(counted), {
      description: "The items that were ignored, because they are built in here or have no meaning outside of the other product",
    }),
    unmapped: Type.Array(
      Type.Object({ ...counted, reason: text, first: Type.String({ description: "The path of the first occurrence, never the value" }) }),
      { description: "The items that are not supported, by pattern" },
    ),
    refused: Type.Array(Refused, { description: "The items that the rules of this server refuse, and that were skipped" }),
    choices: Type.Array(text, { description: "The decisions that only an administrator can make" }),
  },
  { additionalProperties: false },
);
export type Translation = Static<typeof Translation>;

export const ExternalImport = Type.Object({ ...RealmImportSchema.properties, translation: Translation }, { $id: "ExternalImport" });
