import { defineErrors } from "../../kernel/errors.ts";

export const consentErrors = defineErrors("consents", {
  not_found: [404, "There is no consent for this application"],
});
