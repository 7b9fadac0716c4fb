import Type, { type Static } from "typebox";
import { nullable, oneOf } from "../../platform/http/index.ts";

export const strategies = ["userId", "username", "email", "attribute", "pairwise"] as const;

/** The members that clients share, which may override their realm's. */
const subjectClaimMembers = {
  strategy: oneOf(strategies, {
    description:
      "The value of `sub`: the user's id, which never changes; the username or email address, which may change; an attribute; " +
      "or a pairwise value for each sector of clients, by which they cannot correlate users (OpenID Connect Core §8.1)",
  }),
  attribute: Type.Optional(
    nullable(
      Type.String({ pattern: "^[A-Za-z0-9_.:-]{1,128}$", description: "the name of a user attribute" }),
      "The attribute of the strategy `attribute`; null for the others. Its values must be different for every user",
    ),
  ),
};

export const SubjectClaim = Type.Object(
  { strategy: subjectClaimMembers.strategy, attribute: nullable(Type.String()) },
  { $id: "SubjectClaim" },
);
export type SubjectClaim = Static<typeof SubjectClaim>;

export const UpdateSubjectClaim = Type.Object(subjectClaimMembers, { $id: "UpdateSubjectClaim", additionalProperties: false });
export type UpdateSubjectClaim = Static<typeof UpdateSubjectClaim>;
