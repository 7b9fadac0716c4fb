import { isId } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { eraseFromTrail, hadUser, newPseudonym } from "../../tenancy/audit/index.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import { keepingRealmAdmin, permissionsOfUser } from "../roles/index.ts";
import { userErrors } from "./errors.ts";
import { takeOwnUser } from "./own.service.ts";
import type { User } from "./schema.ts";
import { findUserForUpdate, isSelf } from "./service.ts";
import { deleteUser, findUser, type UserRow } from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** A user is about to be erased. Listeners delete everything that names them; the row and its references are deleted afterwards. */
    "user.erased": Pick<User, "userId" | "username" | "email" | "attributes"> & {
      /** The replacement for the user in records that stay. */
      readonly pseudonym: string;
    };
  }
}

/** Erases a user for an administrator, or what the audit trail keeps of a deleted user. */
export async function eraseUser(ctx: Ctx, id: string): Promise<void> {
  const pseudonym = isId(id) && (await isDeleted(ctx, id)) ? await eraseTraces(ctx, id) : await eraseKnown(ctx, id);
  const about = { resourceType: "users", resourceId: pseudonym } as const;
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", ...about, detail: "gdpr" });
  ctx.audit({ category: "SECURITY", type: "USER_ERASED", ...about });
}

async function eraseKnown(ctx: Ctx, id: string): Promise<string> {
  const user = await findUserForUpdate(ctx, id);
  if (isSelf(ctx, user.userId)) throw userErrors.self();
  return erase(ctx, user);
}

const isDeleted = async (ctx: Ctx, id: string): Promise<boolean> =>
  !(await findUser(ctx.tx, ctx.realm, id, ctx.now)) && (await hadUser(ctx, id));

/** Requires all permissions, because those of a deleted user are unknown. Erases by the id alone: another user may have the name now. */
async function eraseTraces(ctx: Ctx, userId: string): Promise<string> {
  assertHolds(ctx.actor, ["realm-admin"]);
  return (await eraseFromTrail(ctx, { userId, username: userId, email: null })).pseudonym;
}

/** Erases the calling user. The event does not name them, and has no source address. */
export async function eraseOneself(ctx: Ctx): Promise<void> {
  const pseudonym = await erase(ctx, await takeOwnUser(ctx));
  const actor = { id: null, name: pseudonym };
  ctx.audit({ category: "SECURITY", type: "USER_ERASED", resourceType: "users", resourceId: pseudonym, detail: "by themselves", actor });
}

/** Deletes the user and everything that names them, in this transaction. Their audit events stay, pseudonymised. */
async function erase(ctx: Ctx, { userId, username, email, attributes }: UserRow): Promise<string> {
  const heldRealmAdmin = (await permissionsOfUser(ctx.tx, ctx.realm, userId)).includes("realm-admin");
  const pseudonym = newPseudonym();
  const remove = async () => {
    await ctx.emit("user.erased", { userId, username, email, attributes, pseudonym });
    await deleteUser(ctx.tx, ctx.realm, userId);
  };
  await (heldRealmAdmin ? keepingRealmAdmin(ctx, remove) : remove());
  return pseudonym;
}
