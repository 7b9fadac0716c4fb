import Type, { type Static } from "typebox";
import { MAX_PATTERN } from "../../kernel/pattern.ts";
import { oneOf, shownText } from "../../platform/http/index.ts";

const attributeTypes = ["string", "email", "number", "boolean", "date", "url", "choice"] as const;

const parties = ["user", "admin"] as const;
export type Party = (typeof parties)[number];

const MAX_VALUE = 4096;
const words = (maxLength: number, description: string) =>
  Type.Optional(
    Type.Record(Type.String({ pattern: "^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$" }), shownText({ maxLength }), {
      additionalProperties: false,
      maxProperties: 50,
      default: {},
      description,
    }),
  );
const displayName = words(
  255,
  "The text that people see, by language: `en`, `nl`. If the visitor's language is missing, the realm's default language is used",
);
const whom = (value: readonly Party[], description: string) =>
  Type.Optional(Type.Array(oneOf(parties), { default: [...value], uniqueItems: true, description }));
const length = (description: string) =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: MAX_VALUE }), Type.Null()], { default: null, description }));
const name = (pattern: string, description: string) => Type.String({ pattern, description });

const option = Type.Object(
  { value: Type.String({ minLength: 1, maxLength: 255, pattern: "^[^\\p{Cc}]*$" }), displayName },
  { additionalProperties: false },
);

const ProfileAttribute = Type.Object(
  {
    name: name("^[A-Za-z0-9_.:-]{1,128}$", "the name of a user attribute"),
    displayName,
    hint: words(500, "The hint beside the field, by language"),
    type: Type.Optional(
      oneOf(attributeTypes, {
        default: "string",
        description:
          "`number` accepts 42 or 1.5, `boolean` true or false, `date` 2026-01-31, `url` an http or https address, `choice` one of `options`",
      }),
    ),
    options: Type.Optional(
      Type.Array(option, { default: [], maxItems: 250, description: "The values of `choice`, in the order of the page" }),
    ),
    multivalued: Type.Optional(
      Type.Boolean({ default: false, description: "The attribute may have several values, each of which is checked" }),
    ),
    required: whom(
      [],
      "The parties that have to supply it: `user` on registering, completing or changing their own profile, `admin` in the admin API",
    ),
    view: whom(["admin"], "The parties that can see it. Administrators always can"),
    edit: whom(["admin"], "The parties that can change it. Directories, SCIM and imports always can"),
    registration: Type.Optional(
      Type.Boolean({ default: false, description: "Ask for it at registration too, if it is not required and people may edit it" }),
    ),
    pattern: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: MAX_PATTERN }), Type.Null()], {
        default: null,
        description: "A regular expression for the whole value. Lookaround and backreferences are not supported",
      }),
    ),
    minLength: length("The minimum number of characters"),
    maxLength: length("The maximum number of characters"),
    group: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()], {
        default: null,
        description: "The name of one of `groups`, which are headings on pages",
      }),
    ),
  },
  { additionalProperties: false },
);

const ProfileGroup = Type.Object(
  { name: name("^[A-Za-z0-9_.:-]{1,64}$", "the name of a group"), displayName },
  { additionalProperties: false },
);

export const UserProfilePolicy = Type.Object(
  {
    attributes: Type.Array(ProfileAttribute, {
      default: [],
      maxItems: 100,
      description: "The attributes that the realm declares, in the order in which pages show them",
    }),
    groups: Type.Array(ProfileGroup, { default: [], maxItems: 20, description: "The headings, in the order in which pages show them" }),
    standardAttributes: Type.Boolean({
      default: true,
      description:
        "People may edit the standard attributes that are not declared: `nickname`, `birthdate`, `website`, `phoneNumber`, the address, …",
    }),
  },
  { additionalProperties: false, default: {} },
);

type Given = Static<typeof ProfileAttribute>;
type Complete<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };
export type DeclaredAttribute = Complete<Given>;
export type UserProfile = Static<typeof UserProfilePolicy>;

interface Defaulted {
  readonly default?: unknown;
}

/** Returns a declared attribute with every member, because older rows lack newer ones. */
export const completeAttribute = (given: Given): DeclaredAttribute =>
  Object.fromEntries(
    Object.entries(ProfileAttribute.properties).map(([member, schema]) => [
      member,
      given[member as keyof Given] ?? (schema as Defaulted).default ?? null,
    ]),
  ) as DeclaredAttribute;
