import { AppError } from "../../../kernel/errors.ts";
import { parseJson } from "../../../platform/http/index.ts";
import type { Fault, RawRow } from "./rows.ts";
import { tooLarge } from "./rows.ts";

/** Parses one row of JSON by the rules for the body of any request: UTF-8, no NUL, no `__proto__`, not nested too deep. */
export function jsonRow(place: { row: number; line: number }, bytes: Buffer, isTooLarge: boolean): RawRow {
  if (isTooLarge) return { ...place, bytes, fault: tooLarge };
  try {
    return { ...place, bytes, value: parseJson(bytes) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...place, bytes, fault: faultOf(error) };
  }
}

const faultOf = ({ code, errors = [] }: AppError): Fault =>
  errors.length > 0
    ? { code, message: errors.map(({ message }) => message).join("; ") }
    : { code: "import.malformed", message: "The row is not valid JSON in UTF-8, or uses a forbidden name such as __proto__" };
