import { keepingRealmAdmin, permissionsOfUser } from "../../directory/roles/index.ts";
import { deleteUser, isSelf, takeUser, type User, userErrors } from "../../directory/users/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { newPseudonym } from "../../tenancy/audit/index.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** The user is about to be gone for good, and nothing may name them any more. Their row, and what hangs on it, is deleted next. */
    "user.erased": Pick<User, "userId" | "username" | "email" | "attributes"> & {
      /** What stands in their place where something has to. */
      readonly pseudonym: string;
    };
  }
}

/** Erases a user and everything that names them, in this transaction. What they did stays told, by nobody in particular. */
export async function eraseUser(ctx: Ctx, id: string): Promise<void> {
  const { userId, username, email, attributes } = await takeUser(ctx, id);
  if (isSelf(ctx, userId)) throw userErrors.self();
  const heldRealmAdmin = (await permissionsOfUser(ctx.tx, ctx.realm, userId)).includes("realm-admin");
  const pseudonym = newPseudonym();
  const erase = async () => {
    await ctx.emit("user.erased", { userId, username, email, attributes, pseudonym });
    await deleteUser(ctx.tx, ctx.realm, userId);
  };
  await (heldRealmAdmin ? keepingRealmAdmin(ctx, erase) : erase());
  const about = { resourceType: "users", resourceId: pseudonym } as const;
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", ...about, detail: "gdpr" });
  ctx.audit({ category: "SECURITY", type: "USER_ERASED", ...about });
}
