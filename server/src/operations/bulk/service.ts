import { join, leave } from "../../directory/groups/index.ts";
import { readRole } from "../../directory/roles/index.ts";
import { assignRole, findUserForUpdate, removeUser, requireAction, saveUser, unassignRole } from "../../directory/users/index.ts";
import { type AppError, defineErrors, invalidFields } from "../../kernel/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { logOutUser } from "../../signin/sessions/index.ts";
import { allows, type Needed } from "../../tenancy/permissions/index.ts";
import type { BulkAction, BulkReport, BulkRequest, BulkResult } from "./schema.ts";

const errors = defineErrors("bulk", {
  forbidden: [403, "You do not hold the permission that this action needs"],
  not_tried: [503, "Not tried: an earlier user caused a server error. Send this user again"],
});

interface Action {
  readonly permission: Needed;
  /** The member of the request that names the action, role or group. */
  readonly needs?: "requiredAction" | "roleId" | "groupId";
  run(ctx: Ctx, userId: string, request: BulkRequest): Promise<unknown>;
}

const users = { permission: "manage-users" } as const;
const roles = { permission: ["manage-users", "manage-roles"], needs: "roleId" } as const;
const groups = { permission: "manage-organizations", needs: "groupId" } as const;

/** The actions. Each does what its single request does, in a transaction of its own. */
const actions: Readonly<Record<BulkAction, Action>> = {
  enable: { ...users, run: (ctx, userId) => change(ctx, userId, { enabled: true }) },
  disable: { ...users, run: (ctx, userId) => change(ctx, userId, { enabled: false }) },
  unlock: { ...users, run: (ctx, userId) => change(ctx, userId, { locked: false }) },
  logout: { ...users, run: logOutUser },
  "require-action": {
    ...users,
    needs: "requiredAction",
    run: (ctx, userId, { requiredAction }) => requireAction(ctx, userId, requiredAction!),
  },
  "assign-role": {
    ...roles,
    run: async (ctx, userId, { roleId }) => assignRole(ctx, userId, { name: (await readRole(ctx, roleId!)).name }),
  },
  "unassign-role": { ...roles, run: (ctx, userId, { roleId }) => unassignRole(ctx, userId, roleId!) },
  "join-group": { ...groups, run: (ctx, userId, { groupId }) => join(ctx, groupId!, userId) },
  "leave-group": { ...groups, run: (ctx, userId, { groupId }) => leave(ctx, groupId!, userId) },
  delete: { ...users, run: removeUser },
};

/** Changes only these members of a user. */
async function change(ctx: Ctx, id: string, members: { readonly enabled?: boolean; readonly locked?: boolean }): Promise<void> {
  const { userId, username, email, emailVerified, enabled, locked, attributes, roles: held } = await findUserForUpdate(ctx, id);
  const state = { username, email, emailVerified, enabled, locked, attributes, roles: held, ...members };
  await saveUser(ctx, userId, state, { sets: Object.keys(members) });
}

export interface BulkParts {
  transact<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>;
  /** Records and logs the refusal for one user like that of a request, and returns it as an AppError. */
  refused(userId: string, cause: unknown): Promise<AppError>;
}

/** Refuses the whole request if the caller may not do this to any user, or if a member is missing. */
export function assertMayAct(permissions: ReadonlySet<string>, request: BulkRequest): void {
  const { permission, needs } = actions[request.action];
  if (!allows(permissions, permission)) throw errors.forbidden();
  if (needs !== undefined && request[needs] === undefined)
    throw invalidFields([{ field: needs, code: "required", message: `${needs} is needed with ${request.action}` }]);
}

/** Runs the action for one user after the other. A refusal concerns its user alone. An error of the server ends the run; the report has what was done. */
export async function runBulk({ transact, refused }: BulkParts, request: BulkRequest): Promise<BulkReport> {
  const { action, userIds } = request;
  const results: BulkResult[] = [];
  let inTrouble = false;
  for (const userId of userIds) {
    if (inTrouble) {
      results.push(failure(userId, errors.not_tried()));
      continue;
    }
    try {
      await transact((ctx) => actions[action].run(ctx, userId, request));
      results.push({ userId, ok: true });
    } catch (cause) {
      const error = await refused(userId, cause);
      inTrouble = error.status >= 500;
      results.push(failure(userId, error));
    }
  }
  const failed = results.filter(({ ok }) => !ok).length;
  return { action, succeeded: results.length - failed, failed, results };
}

const failure = (userId: string, { code, message, stepUpUrl }: AppError): BulkResult => ({
  userId,
  ok: false,
  code,
  message,
  ...(stepUpUrl !== undefined && { stepUpUrl }),
});
