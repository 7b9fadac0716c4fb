import { AppError, defineErrors } from "../../kernel/errors.ts";
import { listed } from "../../kernel/lists.ts";

export const roleErrors = defineErrors("roles", {
  not_found: [404, "No such role in this realm"],
  not_assigned: [404, "The user does not have this role directly, so it cannot be removed here"],
  not_held: [404, "The user does not have this role"],
  unknown_name: [404, "No role with that name in this realm"],
  unknown_client_role: [404, "No client of this realm with that client id has a role with that name"],
  name_taken: [409, "A role with this name already exists in this realm"],
  client_role_taken: [409, "This client already has a role with this name"],
  is_default: [409, "This is the realm's default role: make another the default first"],
  default_with_permissions: [
    409,
    "A role with admin permissions, its own or of a role that it includes, cannot be the default: every new user would be an administrator",
  ],
  composite_cycle: [409, "A role cannot include itself, neither directly nor through another role"],
  last_realm_admin: [409, "This would leave the realm without an enabled administrator who holds realm-admin"],
});

/** Refuses to delete a role that these name: they would mean nobody, or, if negated, everybody, and later perhaps another role of its name. */
export const roleInUse = (who: "Flows" | "Identity providers", names: readonly string[]) =>
  new AppError("roles.in_use", 409, `${who} name this role: ${listed(names)}. Change them first`);
