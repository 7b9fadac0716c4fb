import { invalidFields } from "../../kernel/errors.ts";

export const secretNeeded = () =>
  invalidFields([
    { field: "secret", code: "required", message: "secret is required for a new source, and with any change of scheme, host or port" },
  ]);
