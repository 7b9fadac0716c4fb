import { invalidFields } from "../kernel/errors.ts";

/** A PUT may send back the answer of GET, also the members that cannot be changed; only another value of one is refused. */
export function refuseReadOnly<T extends object, M extends keyof T & string>(
  current: T,
  input: { readonly [K in M]?: unknown },
  members: readonly M[],
  verdict = "cannot be changed",
): void {
  const changed = members.filter((member) => input[member] !== undefined && input[member] !== current[member]);
  if (changed.length > 0) throw invalidFields(changed.map((field) => ({ field, code: "read_only", message: `${field} ${verdict}` })));
}
