import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import { type MappedRole, type RoleName, shareClientRole } from "./client-roles.store.ts";
import { roleErrors } from "./errors.ts";
import { shareRolesByName } from "./store.ts";

/** Finds the role that a request names, and keeps it from being deleted until commit. */
export async function shareNamedRole(ctx: Ctx, { name, clientId }: RoleName): Promise<MappedRole> {
  const role = typeof clientId === "string" ? await shareClientRole(ctx.tx, ctx.realm, clientId, name) : await ofRealm(ctx, name);
  if (!role) throw typeof clientId === "string" ? roleErrors.unknown_client_role() : roleErrors.unknown_name();
  return role;
}

const ofRealm = async (ctx: Ctx, name: string): Promise<MappedRole | null> => {
  const [role] = await shareRolesByName(ctx.tx, ctx.realm, [name]);
  return role ? { ...role, clientId: null } : null;
};

/** Returns the role's name in the audit trail. */
export const spellRole = ({ name, clientId }: MappedRole): string => (clientId === null ? name : `${clientId}/${name}`);

const unknown = (field: string, name: string, where: string): FieldError => ({
  field,
  code: "unknown_role",
  message: `There is no role “${name}” ${where}`,
});

/** Returns the ids of the realm roles with these names, which a composite includes. An unknown name is a field error. */
export async function includedByName(ctx: Ctx, names: readonly string[]): Promise<string[]> {
  const roles = await shareRolesByName(ctx.tx, ctx.realm, names);
  const known = new Set(roles.map(({ name }) => loginKey(name)));
  const missing = names.filter((name) => !known.has(loginKey(name)));
  if (missing.length > 0) throw invalidFields(missing.map((name) => unknown("compositeRoles", name, "in this realm")));
  return roles.map(({ roleId }) => roleId);
}

/** Returns the ids of these client roles. An unknown role is a field error. */
export async function includedOfClients(
  ctx: Ctx,
  names: readonly { readonly clientId: string; readonly name: string }[],
): Promise<string[]> {
  const found = new Set<string>();
  const missing: FieldError[] = [];
  for (const { clientId, name } of names) {
    const role = await shareClientRole(ctx.tx, ctx.realm, clientId, name);
    if (role) found.add(role.roleId);
    else missing.push(unknown("compositeClientRoles", name, `of a client “${clientId}”`));
  }
  if (missing.length > 0) throw invalidFields(missing);
  return [...found];
}
