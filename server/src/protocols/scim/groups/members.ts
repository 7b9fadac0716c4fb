import { isId } from "../../../kernel/ids.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Connection } from "../connection.ts";
import { invalidValue, scimError } from "../errors.ts";
import type { Filter } from "../filter/parser.ts";
import type { Operation } from "../patch/operations.ts";
import { type AttributeTarget, invalidPath } from "../patch/path.ts";
import { isObject } from "../schema/attribute.ts";
import { normalise } from "../schema/values.ts";
import { visibleAmong } from "./store.ts";

/** A change of a group's members. Only `set` depends on who they are now. */
export type MemberChange = { readonly is: "join" | "leave" | "set"; readonly ids: readonly string[] };

const EVERYBODY: MemberChange = { is: "set", ids: [] };

/** RFC 7644 §3.5.2, of `members`: as rows that are added and removed, never as a list that is written back. */
export function memberChange(op: Operation["op"], target: AttributeTarget, value: unknown): MemberChange {
  const { filter, sub, attribute, path } = target;
  if (sub) throw invalidPath(`${path}: members are added and removed whole`);
  if (filter) {
    if (op !== "remove") throw scimError("noTarget", `${path}: members are added by their value`);
    return { is: "leave", ids: namedIn(filter) };
  }
  const given = value === undefined || value === null ? [] : ((normalise(attribute, value, "members") ?? []) as Member[]);
  if (op === "add") return { is: "join", ids: idsOf(given) };
  if (op === "replace") return { is: "set", ids: idsOf(given) };
  return given.length === 0 ? EVERYBODY : { is: "leave", ids: idsOf(given) };
}

interface Member {
  readonly value?: unknown;
  readonly type?: unknown;
}

/** Members are users: the groups below a group are not seen by SCIM. */
export function idsOf(members: readonly Member[]): string[] {
  const ids = members.map(({ value, type }) => {
    if (typeof type === "string" && type.toLowerCase() === "group") throw invalidValue("members", "a group cannot be a member");
    if (typeof value !== "string" || value === "") throw invalidValue("members", "each member has a value, the id of a user");
    return value.toLowerCase();
  });
  return [...new Set(ids)];
}

/** `members[value eq "…"]`, or several by `or`. */
function namedIn(filter: Filter): string[] {
  if (filter.is === "or") return filter.parts.flatMap(namedIn);
  if (filter.is === "compare" && filter.by === "eq" && filter.path.attribute.name === "value") return [String(filter.value).toLowerCase()];
  throw invalidPath("of members only `value eq` can be asked for");
}

/** New members must be users that the token can see; the error names the others. */
export async function refuseUnknown(ctx: Ctx, connection: Connection, ids: readonly string[]): Promise<void> {
  const known = await visibleAmong(ctx.tx, connection, ids.filter(isId));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  const shown = unknown.slice(0, 5).join(", ");
  throw invalidValue("members", `there is no user ${shown}${unknown.length > 5 ? ` and ${unknown.length - 5} more` : ""}`);
}

export const membersIn = (resource: Record<string, unknown>): string[] =>
  idsOf((Array.isArray(resource.members) ? resource.members : []).filter(isObject));
