import { defineErrors } from "../../kernel/errors.ts";

export const realmErrors = defineErrors("realms", {
  not_found: [404, "No such realm"],
  name_taken: [409, "A realm with this name already exists, or is still being deleted"],
  master: [409, "The realm `master` administers all other realms and cannot be deleted"],
});
