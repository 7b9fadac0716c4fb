import Type, { type Static } from "typebox";
import { creationTime, oneOf, visibleName } from "../../platform/http/index.ts";
import type { ClaimMapper as Mapper } from "./mapper.ts";
import { sourceNames, sources } from "./sources/index.ts";
import { claimTypes } from "./sources/source.ts";

export const claimTargets = ["idToken", "accessToken", "userinfo", "introspection"] as const;

/** The rules of each source for `value`, in words. */
const valueDescription = sourceNames
  .map((name) => {
    const { choices = [], description } = sources[name];
    const listed = choices.map((choice) => `\`${choice}\``);
    return `\`${name}\`: ${description ?? `${listed.slice(0, -1).join(", ")} or ${listed.at(-1)}`}.`;
  })
  .join(" ");

const name = visibleName("a mapper's name", "department");

/** The members of a mapper, of the realm or of one client. */
const stateMembers = {
  claim: Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: "^[^\\p{C}]+$",
    description:
      "The member to write. Dots nest (`address.country`), `\\.` is a literal dot. Claims of the protocol itself (`sub`, `aud`, …) are refused",
    examples: ["department"],
  }),
  source: oneOf(sourceNames, { description: "The source of the value" }),
  value: Type.Union([Type.String({ maxLength: 4096 }), Type.Null()], {
    description: `${valueDescription} Null stands for the first of these`,
    examples: ["department"],
  }),
  type: oneOf(claimTypes, { default: "string", description: "The JSON type of the claim. A value that does not fit is omitted" }),
  multivalued: Type.Boolean({ default: false, description: "True: all values as a list. False: only the first value" }),
  targets: Type.Array(oneOf(claimTargets), {
    uniqueItems: true,
    maxItems: claimTargets.length,
    default: ["idToken", "userinfo"],
    description: "The tokens and responses that have the claim",
  }),
};

/** The members of a request for a mapper of the realm or of a client, with defaults. */
export const claimMapperMembers = {
  name,
  claim: stateMembers.claim,
  source: stateMembers.source,
  value: Type.Optional(stateMembers.value),
  type: Type.Optional(stateMembers.type),
  multivalued: Type.Optional(stateMembers.multivalued),
  targets: Type.Optional(stateMembers.targets),
};
export const ClaimMapperInput = Type.Object(claimMapperMembers, { $id: "CreateClaimMapper", additionalProperties: false });
export type ClaimMapperInput = Static<typeof ClaimMapperInput>;

/** The members of a mapper in a response. */
export const claimMapperState = { name: Type.String(), ...stateMembers, claim: Type.String() };

export const ClaimMapper = Type.Object(
  {
    realmId: Type.String(),
    claimId: Type.String({ format: "uuid" }),
    ...claimMapperState,
    scopes: Type.Array(Type.String(), { description: "Names of the client scopes that include it" }),
    createdAt: creationTime,
  },
  { $id: "ClaimMapper" },
);
export type ClaimMapper = Static<typeof ClaimMapper>;

/** The full state: a member that is left out returns to its default. */
export const UpdateClaimMapper = Type.Object(
  { ...Type.Partial(ClaimMapper).properties, ...claimMapperMembers },
  { $id: "UpdateClaimMapper", additionalProperties: false },
);
export type UpdateClaimMapper = Static<typeof UpdateClaimMapper>;

/** A mapper without the members that have a column of their own. */
export type MapperState = Omit<Mapper, "claimId" | "name">;

export const stateOf = (input: ClaimMapperInput): MapperState => ({
  claim: input.claim,
  source: input.source,
  value: input.value ?? null,
  type: input.type ?? "string",
  multivalued: input.multivalued ?? false,
  targets: claimTargets.filter((target) => (input.targets ?? ["idToken", "userinfo"]).includes(target)),
});
