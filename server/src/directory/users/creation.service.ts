import { invalidFields } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { type PasswordParts, preparePassword, savePassword } from "../credentials/index.ts";
import type { AddressProof } from "./login-names.store.ts";
import type { ProfileWriter } from "./profile.ts";
import { replaceRequiredActions } from "./required-actions.store.ts";
import type { CreateUserToSignIn } from "./schema.ts";
import { createUser } from "./service.ts";

/** Returns the hash of the first password, or null if none is given. Called before the transaction. */
export async function prepareFirstPassword(
  ctx: ReadCtx,
  parts: PasswordParts,
  policy: Settings["passwordPolicy"],
  { username, email = null, password, temporary }: CreateUserToSignIn,
): Promise<string | null> {
  if (password === undefined) {
    if (temporary === undefined) return null;
    throw invalidFields([{ field: "temporary", code: "needs_password", message: "temporary needs `password`: send both" }]);
  }
  return (await preparePassword(ctx, parts, policy, { userId: null, username, email }, password, "password")).hash;
}

/** Creates the user with the first password and the required actions, all in one transaction. */
export async function createUserToSignIn(
  ctx: Ctx,
  { password: _, temporary = false, requiredActions = [], ...input }: CreateUserToSignIn,
  passwordHash: string | null,
  { by = "admin", proof = "given" }: { readonly by?: ProfileWriter; readonly proof?: AddressProof } = {},
): Promise<{ readonly userId: string }> {
  const { userId } = await createUser(ctx, input, proof, "local", by);
  const about = { resourceType: "users", resourceId: userId };
  if (passwordHash !== null) {
    await savePassword(ctx.tx, ctx.realm, userId, passwordHash, ctx.now);
    ctx.audit({ category: "SECURITY", type: "PASSWORD_RESET", ...about, detail: "first password" });
  }
  const actions = new Set([...requiredActions, ...(temporary ? (["UPDATE_PASSWORD"] as const) : [])]);
  if (actions.size > 0) {
    await replaceRequiredActions(ctx.tx, ctx.realm, userId, [...actions]);
    ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", ...about, detail: `required actions: ${[...actions].join(", ")}` });
  }
  return { userId };
}
