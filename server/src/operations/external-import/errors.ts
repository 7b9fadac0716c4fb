import { defineErrors } from "../../kernel/errors.ts";

export const externalErrors = defineErrors("external", {
  unknown_source: [400, "The files look like no export that is known here: say by ?source= where they come from"],
  empty: [400, "The body is empty: send the files that the other system exported"],
});
