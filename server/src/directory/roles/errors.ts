import { defineErrors } from "../../kernel/errors.ts";

export const roleErrors = defineErrors("roles", {
  not_found: [404, "No such role in this realm"],
  unknown_name: [404, "No role with that name in this realm"],
  name_taken: [409, "A role with this name exists in the realm"],
  is_default: [409, "This is the realm's default role: make another the default first"],
  default_with_permissions: [409, "A role with admin permissions cannot be the default: every new user would be an administrator"],
  last_realm_admin: [409, "This would leave the realm without an enabled administrator who holds realm-admin"],
});
