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
        "The action. It needs the permission of the single request: `manage-users`; for roles, `manage-roles` is enough; for groups `manage-organizations`",
    }),
    userIds: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 500, uniqueItems: true }),
    requiredAction: Type.Optional(oneOf(requiredActions, { description: "The required action, for `require-action`" })),
    roleId: Type.Optional(Type.String({ maxLength: 64, description: "The id of a realm role, for `assign-role` and `unassign-role`" })),
    groupId: Type.Optional(Type.String({ maxLength: 64, description: "The id of the group, for `join-group` and `leave-group`" })),
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
          code: Type.Optional(Type.String({ description: "The error code of the single request" })),
          message: Type.Optional(Type.String()),
          stepUpUrl: Type.Optional(
            Type.String({ description: "The address to sign in again at, if `code` says that the last sign-in is too long ago" }),
          ),
        },
        { $id: "BulkResult" },
      ),
      { description: "The results, one for each user, in the order of the request" },
    ),
  },
  { $id: "BulkReport" },
);
export type BulkReport = Static<typeof BulkReport>;
export type BulkResult = BulkReport["results"][number];
