import { defineErrors } from "../../kernel/errors.ts";

export const workloadErrors = defineErrors("workload", {
  not_found: [404, "No such workload credential in this realm"],
  name_taken: [409, "Another workload credential of this realm has this name"],
  match_taken: [409, "Another workload credential of this realm has this issuer, subject and audience"],
});
