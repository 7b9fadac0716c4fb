import { defineErrors } from "../../kernel/errors.ts";

export const credentialErrors = defineErrors("credentials", {
  not_found: [404, "This user has no such credential"],
  last_way_in: [409, "This is the last credential with which you can sign in: add another before you remove it"],
  password_elsewhere: [409, "The password of this user is kept in a directory: change it there"],
  password_changed: [
    409,
    "The password was changed at the same moment by another request. Please check whether your change is still needed",
  ],
});
