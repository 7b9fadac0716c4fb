import Type, { type Static } from "typebox";
import { MAX_PATTERN } from "../../kernel/pattern.ts";
import { creationTime, oneOf, visiblePathName } from "../../platform/http/index.ts";
import { operators, PATH, policyTypes, WALL_TIME } from "./evaluator/index.ts";
import { description, strategies } from "./schema.ts";

const name = visiblePathName("A policy's name", "Staff only");
const list = <T extends Type.TSchema>(items: T, text: string) => Type.Array(items, { minItems: 1, maxItems: 100, description: text });
const spelled = (maxLength: number) => Type.String({ minLength: 1, maxLength });
/** Returns the schema of a list of names, each alone or with its flag. */
const flagged = <N extends string, F extends string>(key: N, flag: F, maxLength: number, text: string) =>
  list(
    Type.Union([
      spelled(maxLength),
      Type.Object(
        { [key]: spelled(maxLength), [flag]: Type.Optional(Type.Boolean({ default: false })) } as Record<N, Type.TString> &
          Record<F, Type.TOptional<Type.TBoolean>>,
        { additionalProperties: false },
      ),
    ]),
    text,
  );
const range = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
const scalar = Type.Union([Type.String({ maxLength: 1024 }), Type.Number(), Type.Boolean()]);

/** The members of each type. */
const typeMembers = {
  roles: flagged(
    "name",
    "required",
    512,
    "`role`: the user must hold one of these roles, and every `required` one. A client role is written as in `shop/manager`",
  ),
  users: Type.Array(spelled(320), {
    maxItems: 100,
    description:
      "`user`: users by username or id. Without `view-users` they are shown by id, and new ones are refused. If the list is empty, for example because " +
      "its last user was deleted, the policy matches nobody: its result cannot be determined, which denies",
  }),
  clients: list(spelled(255), "`client`: clients by client id"),
  groups: flagged(
    "path",
    "extendChildren",
    2048,
    "`group`: groups by path, as in `/Sales/Europe`. With `extendChildren` the groups below match, too",
  ),
  clientScopes: flagged(
    "name",
    "required",
    128,
    "`client-scope`: the token must have one of these client scopes, and every `required` one",
  ),
  timeZone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "`time`: the name of a time zone in the IANA database. Default UTC",
    examples: ["Europe/Oslo"],
  }),
  notBefore: Type.String({
    pattern: WALL_TIME,
    description: "`time`: a time as yyyy-MM-dd HH:mm:ss in the time zone",
    examples: ["2026-01-01 00:00:00"],
  }),
  notOnOrAfter: Type.String({ pattern: WALL_TIME, examples: ["2027-01-01 00:00:00"] }),
  dayMonth: range(1, 31),
  dayMonthEnd: range(1, 31),
  month: range(1, 12),
  monthEnd: range(1, 12),
  year: range(1970, 9999),
  yearEnd: range(1970, 9999),
  hour: Type.Integer({ minimum: 0, maximum: 23, description: "`time`: a range of hours, including both ends; 22 to 6 is the night" }),
  hourEnd: range(0, 23),
  minute: range(0, 59),
  minuteEnd: range(0, 59),
  targetClaim: Type.String({ minLength: 1, maxLength: 255, description: "`regex`: a claim of the token, or a member of the user" }),
  pattern: Type.String({
    minLength: 1,
    maxLength: MAX_PATTERN,
    description: "`regex`: a pattern that must match the whole value. Lookaround and backreferences are not supported",
  }),
  targetContextAttributes: Type.Boolean({ description: "`regex`: the claim is one that the request pushed" }),
  path: Type.String({
    pattern: PATH,
    maxLength: 512,
    description: "`attribute`: the path of the value: user.*, client.*, token.*, resource.* or request.*",
    examples: ["user.attributes.department"],
  }),
  operator: oneOf(operators, { description: "`attribute`: the comparison" }),
  value: Type.Union([scalar, Type.Array(scalar, { minItems: 1, maxItems: 100 })], {
    description: "`attribute`: the value to compare with",
  }),
  valuePath: Type.String({
    pattern: PATH,
    maxLength: 512,
    description: "`attribute`: the path of the value to compare with, instead of `value`",
  }),
  policies: list(spelled(255), "`aggregate`: policies of the client, by name"),
};
export type TypeMember = keyof typeof typeMembers;

const optional = Type.Partial(Type.Object(typeMembers)).properties;
const members = {
  description: Type.Optional(description),
  logic: Type.Optional(
    oneOf(["POSITIVE", "NEGATIVE"], {
      default: "POSITIVE",
      description: "NEGATIVE inverts permit and deny. A result that cannot be determined still denies",
    }),
  ),
  decisionStrategy: Type.Optional(
    oneOf(strategies, {
      default: "UNANIMOUS",
      description: "The way in which the results of the policies are combined. Only for `aggregate`",
    }),
  ),
  ...optional,
};

export const AuthzPolicy = Type.Object(
  {
    name,
    description,
    type: oneOf(policyTypes),
    logic: oneOf(["POSITIVE", "NEGATIVE"]),
    decisionStrategy: oneOf(strategies),
    ...optional,
    users: Type.Optional(Type.Array(Type.String())),
    createdAt: creationTime,
  },
  { $id: "AuthzPolicy" },
);
export type AuthzPolicy = Static<typeof AuthzPolicy>;

export const CreateAuthzPolicy = Type.Object(
  {
    name,
    // `js` is refused by its own code, which names the alternatives.
    type: oneOf([...policyTypes, "js"], { description: "`js` is refused: use `attribute`, `regex` and `aggregate`" }),
    ...members,
  },
  {
    $id: "CreateAuthzPolicy",
    additionalProperties: false,
    examples: [{ name: "Office hours", type: "time", hour: 8, hourEnd: 17, timeZone: "Europe/Oslo" }],
  },
);
export type CreateAuthzPolicy = Static<typeof CreateAuthzPolicy>;

export const UpdateAuthzPolicy = Type.Object(
  { name: Type.Optional(name), type: Type.Optional(CreateAuthzPolicy.properties.type), ...members, createdAt: Type.Optional(creationTime) },
  { $id: "UpdateAuthzPolicy", additionalProperties: false },
);
export type UpdateAuthzPolicy = Static<typeof UpdateAuthzPolicy>;
