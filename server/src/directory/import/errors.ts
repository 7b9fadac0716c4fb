import { defineErrors } from "../../kernel/errors.ts";

export const importErrors = defineErrors("import", {
  not_found: [404, "No such import in this realm, or it ended more than 30 days ago"],
  running: [409, "An import with this importId is running. Follow it, or wait until it has ended and send the file again"],
  taken_over: [409, "Another request continues this import, because this one was silent for a minute"],
  other_file: [
    409,
    "The first rows are not those that were imported under this importId. Send the same file again, or take another importId",
  ],
});
