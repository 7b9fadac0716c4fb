import { isAttributeName, parseDn } from "../../platform/ldap/index.ts";
import type { MapperState } from "../providers/mappers.schema.ts";
import { claimsOfTemplate } from "../providers/mapping.ts";
import type { FieldFault } from "../providers/provider.ts";

/** The claim by which mappers of a directory name the groups of a person. */
export const GROUPS_CLAIM = "groups";

/** Tells whether a mapper names its group by DN; otherwise it does by name. A group whose name looks like a DN cannot be found by that name. */
export const isDnValue = (value: string): boolean => /^\s*[a-z0-9][a-z0-9.-]*\s*=/i.test(value);

/** Checks that a claim is an attribute of the entry, or `groups`. The latter is for mappers that give a role or a group, and they name one group each. */
export function checkMapper({ type, claim, value, template }: Omit<MapperState, "sync">): FieldFault[] {
  const faults: FieldFault[] = [];
  if (claim !== undefined && claim !== GROUPS_CLAIM && !isAttributeName(claim))
    faults.push({ field: "claim", message: "claim does not name an attribute of the directory, such as departmentNumber" });
  const isNoAttribute = (name: string) => name === GROUPS_CLAIM || !isAttributeName(name);
  if (template !== undefined && claimsOfTemplate(template).some(isNoAttribute))
    faults.push({ field: "template", message: "template must name attributes of the directory, such as {givenName}" });
  if (claim !== GROUPS_CLAIM) return faults;
  if (type !== "role" && type !== "group") faults.push({ field: "claim", message: "claim groups is for mappers of type role and group" });
  else if (value === undefined)
    faults.push({ field: "value", message: "value is required: the distinguished name of a group in the directory, or its name" });
  else if (isDnValue(value) && parseDn(value) === null)
    faults.push({ field: "value", message: "value is not a distinguished name, such as cn=sales,ou=groups,dc=example,dc=com" });
  return faults;
}
