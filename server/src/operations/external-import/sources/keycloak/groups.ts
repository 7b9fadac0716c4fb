import { groupPath } from "../../../../directory/groups/index.ts";
import type { Permission } from "../../../../tenancy/permissions/index.ts";
import { recordsOf, textOf, textsOf, type Values } from "../../reading.ts";
import { type KeycloakRealm, ownText } from "./export.ts";

const known = {
  mapped: ["name", "description", "realmRoles", "clientRoles", "subGroups"],
  ignored: ["id", "path", "parentId", "subGroupCount", "access"],
};

/** Translates the tree of groups into a list with paths. A slash in a name is part of the name. */
export function groupsOf(realm: KeycloakRealm): object[] {
  const found: object[] = [];
  const visit = (
    group: Values,
    siblings: readonly Values[],
    above: readonly string[],
    pathAbove: string,
    handedDown: readonly Permission[],
  ) => {
    const theirName = textOf(group.name);
    if (theirName === undefined) return;
    const gives = new Set([...handedDown, ...realm.permissionsOf(group.realmRoles, group.clientRoles)]);
    const isTheirs = (one: string) => siblings.some((sibling) => sibling.name === one);
    const name = realm.input.naming.group(above, theirName, { gives, isTheirs });
    const names = [...above, name];
    const path = groupPath(names);
    const theirs = textOf(group.path) ?? `${pathAbove}/${theirName}`;
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
    const below = recordsOf(group.subGroups);
    for (const one of below) visit(one, below, names, theirs, [...gives]);
  };
  const top = recordsOf(realm.value.groups);
  for (const group of top) visit(group, top, [], "", []);
  for (const path of textsOf(realm.value.defaultGroups)) {
    realm.report.unmapped(
      "defaultGroups",
      "New users join no group by themselves here: give the role of the group to the default role",
      `defaultGroups[${path}]`,
    );
  }
  return found;
}
