import { invalidFields } from "../kernel/errors.ts";

/** Refuses new values of members that cannot be changed. A PUT may send the answer of GET back, with these members unchanged. */
export function refuseReadOnly<T extends object, M extends keyof T & string>(
  current: T,
  input: { readonly [K in M]?: unknown },
  members: readonly M[],
  verdict = "cannot be changed",
): void {
  const changed = members.filter((member) => input[member] !== undefined && input[member] !== current[member]);
  if (changed.length > 0) throw invalidFields(changed.map((field) => ({ field, code: "read_only", message: `${field} ${verdict}` })));
}
