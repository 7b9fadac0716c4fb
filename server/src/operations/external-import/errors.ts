import { defineErrors } from "../../kernel/errors.ts";

export const externalErrors = defineErrors("external", {
  unknown_source: [400, "The files are not a known export: name their origin with ?source="],
  empty: [400, "The body is empty: send the exported files of the other system"],
});
