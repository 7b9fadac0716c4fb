import { AppError, defineErrors } from "../../kernel/errors.ts";
import { listed } from "../../kernel/lists.ts";

export const authzErrors = defineErrors("authz", {
  disabled: [409, "Authorization services are not enabled for this client: PUT authz/settings with enabled: true first"],
  resource_not_found: [404, "This client has no such resource"],
  scope_not_found: [404, "This client has no such authorization scope"],
  policy_not_found: [404, "This client has no such policy"],
  permission_not_found: [404, "This client has no such permission"],
  share_not_found: [404, "You have not shared this resource in this way"],
  subject_not_found: [404, "There is no such user or client in this realm"],
  resource_taken: [409, "The client, or that owner, already has a resource with this name"],
  scope_taken: [409, "The client already has an authorization scope with this name"],
  policy_taken: [409, "The client already has a policy with this name"],
  permission_taken: [409, "The client already has a permission with this name"],
  too_many: [409, "The client already has the maximum number of them"],
  view_users_needed: [403, "This also needs the permission view-users"],
});

/** Returns a 409 that names the objects which still refer to the deleted one. */
export function inUse(what: string, by: string, names: readonly string[]): AppError {
  return new AppError("authz.in_use", 409, `${by} name ${what}: ${listed(names)}. Change or delete them first`);
}
