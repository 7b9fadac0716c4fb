import { defineErrors } from "../../kernel/errors.ts";

export const claimErrors = defineErrors("claims", {
  not_found: [404, "No such claim mapper in this realm"],
  name_taken: [409, "A claim mapper with this name already exists in this realm"],
});
