import { defineErrors } from "../../kernel/errors.ts";

export const scimTargetErrors = defineErrors("scim_targets", {
  not_found: [404, "No such SCIM target in this realm"],
  object_not_found: [404, "This target knows no such user or group"],
  name_taken: [409, "Another SCIM target of this realm has this name"],
  needs_view_users: [403, "A SCIM target sends users of the realm elsewhere: this also needs the permission view-users"],
  nothing_waits: [409, "Nothing waits for a confirmation"],
  other_number: [409, "The number of accounts that wait for a confirmation has changed: read the status again"],
  disabled: [409, "The target is disabled: enable it first"],
  no_secret: [409, "The target has no secret: set it first"],
});
