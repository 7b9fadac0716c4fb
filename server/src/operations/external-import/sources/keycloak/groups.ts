import { groupPath } from "../../../../directory/groups/index.ts";
import { recordsOf, textOf, textsOf, type Values } from "../../reading.ts";
import { type KeycloakRealm, ownText } from "./export.ts";

const known = {
  mapped: ["name", "description", "realmRoles", "clientRoles", "subGroups"],
  ignored: ["id", "path", "parentId", "subGroupCount", "access"],
};

/** The tree as a list of paths. A slash in a name is part of the name. */
export function groupsOf(realm: KeycloakRealm): object[] {
  const found: object[] = [];
  const visit = (group: Values, above: readonly string[], pathAbove: string) => {
    const name = textOf(group.name);
    if (name === undefined) return;
    const names = [...above, name];
    const path = groupPath(names);
    const theirs = textOf(group.path) ?? `${pathAbove}/${name}`;
    realm.groupPaths.set(theirs, path);
    const at = `groups[${theirs}]`;
    realm.report.members("groups[]", at, group, known);
    const { roles, clientRoles } = realm.roleNames(group.realmRoles, group.clientRoles, "groups[].clientRoles", at);
    const description = ownText(group.description)?.slice(0, 1000);
    found.push({
      path,
      ...(description !== undefined && { description }),
      ...(roles.length > 0 && { roles }),
      ...(clientRoles.length > 0 && { clientRoles }),
    });
    for (const below of recordsOf(group.subGroups)) visit(below, names, theirs);
  };
  for (const group of recordsOf(realm.value.groups)) visit(group, [], "");
  for (const path of textsOf(realm.value.defaultGroups)) {
    realm.report.unmapped(
      "defaultGroups",
      "New users join no group by themselves here: give the role of the group to the default role",
      `defaultGroups[${path}]`,
    );
  }
  return found;
}
