import Type, { type Static } from "typebox";
import { creationTime, oneOf } from "../../platform/http/index.ts";
import { ATTRIBUTE_NAME_FORMAT } from "../../platform/saml/index.ts";
import { claimMapperMembers, claimMapperState } from "../claims/index.ts";

type Short = keyof typeof ATTRIBUTE_NAME_FORMAT;
const nameFormats = Object.keys(ATTRIBUTE_NAME_FORMAT) as Short[];
const urns = Object.values(ATTRIBUTE_NAME_FORMAT);
const samlNameFormat = oneOf([...nameFormats, ...urns] as readonly (Short | (typeof urns)[number])[], {
  description: "The NameFormat of the attribute. If omitted, `uri` for a name that is a URI, and `basic` for others",
});
const samlName = Type.String({
  minLength: 1,
  maxLength: 1024,
  pattern: "^[^\\p{C}]+$",
  description: "the Name of the attribute, without control or invisible characters. Default `claim`",
  examples: ["urn:oid:0.9.2342.19200300.100.1.3"],
});
const samlFriendlyName = Type.Union([Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\p{C}]+$" }), Type.Null()], {
  description: "The FriendlyName of the attribute, by which people and some service providers know it. If null, it has none",
  examples: ["mail"],
});
const { claim } = claimMapperMembers;
const ofNoEffect = { description: "It has no effect in an assertion" };

/** Returns the URN of a name format or of its short name. */
export const nameFormatUrn = (format: string): string =>
  Object.hasOwn(ATTRIBUTE_NAME_FORMAT, format) ? ATTRIBUTE_NAME_FORMAT[format as Short] : format;

export const SamlMapper = Type.Object(
  {
    mapperId: Type.String({ format: "uuid" }),
    ...claimMapperState,
    samlName: Type.String(),
    samlNameFormat,
    // Mappers of an older release have none.
    samlFriendlyName: Type.Optional(samlFriendlyName),
    createdAt: creationTime,
  },
  { $id: "SamlMapper" },
);

const members = {
  ...claimMapperMembers,
  claim: Type.Optional({ ...claim, ...ofNoEffect }),
  targets: Type.Optional({ ...claimMapperMembers.targets, ...ofNoEffect }),
  samlName: Type.Optional(samlName),
  samlNameFormat: Type.Optional(samlNameFormat),
  samlFriendlyName: Type.Optional(samlFriendlyName),
};
export const CreateSamlMapper = Type.Object(members, { $id: "CreateSamlMapper", additionalProperties: false });
export type CreateSamlMapper = Static<typeof CreateSamlMapper>;

/** The full state: a member that is left out returns to its default. */
export const UpdateSamlMapper = Type.Object(
  { mapperId: Type.Optional(Type.String()), createdAt: Type.Optional(Type.Integer()), ...members },
  { $id: "UpdateSamlMapper", additionalProperties: false },
);
