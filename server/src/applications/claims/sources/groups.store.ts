import { sql } from "kysely";
import { groupName, groupPath } from "../../../directory/groups/index.ts";
import { type ClaimSource, many } from "./source.ts";

/** Reads the groups of the user, each as its names from the top down. */
export const groups: ClaimSource<readonly (readonly string[])[]> = {
  choices: ["path", "name"],
  ofUser: sql`(
    with recursive line as (
      select g.group_id as leaf, g.parent_id, array[g.name] as names from group_members m
        join groups g on g.realm_id = m.realm_id and g.group_id = m.group_id
        where m.realm_id = u.realm_id and m.user_id = u.user_id
      union all
      select line.leaf, g.parent_id, g.name || line.names from line join groups g on g.realm_id = u.realm_id and g.group_id = line.parent_id
    )
    select json_agg(names order by names) from line where parent_id is null)`,
  find: (form, { read }) => many((read ?? []).map((names) => (form === "name" ? groupName : groupPath)(names))),
};
