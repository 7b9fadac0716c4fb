import type { Static, TSchema } from "typebox";
import { buildValidator, toFieldErrors } from "../platform/http/validation.ts";

type Validate = ((data: unknown) => boolean) & { errors: Parameters<typeof toFieldErrors>[0] };

/** What a command hands to a service, held against the schema that the API uses, with the same words for what is wrong. */
export function checked<T extends TSchema>(schema: T, input: Static<T>): Static<T> {
  const validate = buildValidator({})({ schema, httpPart: "body" }) as Validate;
  if (validate(input)) return input;
  const problems = toFieldErrors(validate.errors, undefined).map(({ message }) => message);
  throw new Error(`${problems.join("; ")}.`);
}
