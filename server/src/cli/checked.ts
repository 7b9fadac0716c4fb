import type { Static, TSchema } from "typebox";
import { buildValidator, toFieldErrors } from "../platform/http/validation.ts";

type Validate = ((data: unknown) => boolean) & { errors: Parameters<typeof toFieldErrors>[0] };

/** Validates a command's input by the API's schema, with the API's error messages. */
export function checked<T extends TSchema>(schema: T, input: Static<T>): Static<T> {
  const validate = buildValidator({})({ schema, httpPart: "body" }) as Validate;
  if (validate(input)) return input;
  const problems = toFieldErrors(validate.errors, undefined).map(({ message }) => message);
  throw new Error(`${problems.join("; ")}.`);
}
