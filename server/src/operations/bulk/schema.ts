import Type, { type Static } from "typebox";
import { requiredActions } from "../../directory/users/index.ts";
import { oneOf } from "../../platform/http/index.ts";

const bulkActions = [
  "enable",
  "disable",
  "unlock",
  "logout",
  "require-action",
  "assign-role",
  "unassign-role",
  "join-group",
  "leave-group",
  "delete",
] as const;
export type BulkAction = (typeof bulkActions)[number];

export const BulkRequest = Type.Object(
  {
    action: oneOf(bulkActions, {
      description:
        "Each needs what its single request needs: `manage-users`; roles also `manage-roles` instead; groups `manage-organizations`",
    }),
    userIds: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 500, uniqueItems: true }),
    requiredAction: Type.Optional(oneOf(requiredActions, { description: "With `require-action`" })),
    roleId: Type.Optional(Type.String({ maxLength: 64, description: "With `assign-role` and `unassign-role`: a role of the realm" })),
    groupId: Type.Optional(Type.String({ maxLength: 64, description: "With `join-group` and `leave-group`" })),
  },
  { $id: "BulkUsers", additionalProperties: false },
);
export type BulkRequest = Static<typeof BulkRequest>;

export const BulkReport = Type.Object(
  {
    action: oneOf(bulkActions),
    succeeded: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    results: Type.Array(
      Type.Object(
        {
          userId: Type.String(),
          ok: Type.Boolean(),
          code: Type.Optional(Type.String({ description: "As the single request would have answered" })),
          message: Type.Optional(Type.String()),
          stepUpUrl: Type.Optional(
            Type.String({ description: "The address to sign in again at, if `code` says that the last sign-in is too long ago" }),
          ),
        },
        { $id: "BulkResult" },
      ),
      { description: "One for each user, in the order of the request" },
    ),
  },
  { $id: "BulkReport" },
);
export type BulkReport = Static<typeof BulkReport>;
export type BulkResult = BulkReport["results"][number];
