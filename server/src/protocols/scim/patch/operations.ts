import { isObject } from "../../../kernel/json.ts";
import { scimError } from "../errors.ts";

export interface Operation {
  readonly op: "add" | "replace" | "remove";
  readonly path: string | undefined;
  readonly value: unknown;
}

const MAX_OPERATIONS = 1000;
const invalidSyntax = (message: string) => scimError("invalidSyntax", message);

/** RFC 7644 §3.5.2: reads the operations of a PATCH. `op` may have any letter case, because Microsoft Entra capitalises it. */
export function readOperations(body: unknown): Operation[] {
  const list = isObject(body) ? (body.Operations ?? body.operations) : undefined;
  if (!Array.isArray(list) || list.length === 0) throw invalidSyntax("Operations must be a list of operations");
  if (list.length > MAX_OPERATIONS) throw scimError("invalidValue", `A PATCH has at most ${MAX_OPERATIONS} operations`);
  return list.map((each) => {
    if (!isObject(each)) throw invalidSyntax("An operation is an object");
    const op = typeof each.op === "string" ? each.op.toLowerCase() : "";
    if (op !== "add" && op !== "replace" && op !== "remove") throw invalidSyntax("op must be add, replace or remove");
    const { path } = each;
    if (path !== undefined && path !== null && typeof path !== "string") throw scimError("invalidPath", "path must be a text");
    if (op !== "remove" && each.value === undefined) throw scimError("invalidValue", `${op} needs a value`);
    return { op, path: typeof path === "string" && path.trim() !== "" ? path : undefined, value: each.value };
  });
}
