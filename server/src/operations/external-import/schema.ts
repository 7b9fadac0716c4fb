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
        { description: "The product that wrote the files. Left out: recognised from the files" },
      ),
    ),
    from: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "The realm, if the files hold several" })),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: "Says what would be imported, and changes nothing" })),
    onConflict: Type.Optional(
      oneOf(conflicts, { default: "skip", description: "The treatment of a user whose username or email address is taken" }),
    ),
    importId: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9._-]{1,128}$",
        description:
          "importId is made of letters, digits and ._- (at most 128). `GET /users/import/{importId}` shows how far the users are; the same files with the same importId go on after an interruption",
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
  field: Type.String({ description: "The part of the item; empty: the whole item" }),
  code: text,
  message: text,
});
export type Refused = Static<typeof Refused>;

const Translation = Type.Object(
  {
    source: text,
    mapped: Type.Array(Type.Object(counted), { description: "The items that were carried over" }),
    ignored: Type.Array(Type.Object(counted), {
      description: "Items that are left out on purpose: they ship here, or mean nothing outside of the other system",
    }),
    unmapped: Type.Array(
      Type.Object({ ...counted, reason: text, first: Type.String({ description: "The path of its first occurrence, never the value" }) }),
      { description: "Items that have no place here, by pattern" },
    ),
    refused: Type.Array(Refused, { description: "Items that the rules here do not take, and that were left out" }),
    choices: Type.Array(text, { description: "Decisions that only an administrator can take" }),
  },
  { additionalProperties: false },
);
export type Translation = Static<typeof Translation>;

export const ExternalImport = Type.Object({ ...RealmImportSchema.properties, translation: Translation }, { $id: "ExternalImport" });
