import { sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Db, startsWith } from "../../platform/db/index.ts";
import { listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { pathsOfGroups } from "./paths.store.ts";
import type { UserGroup, UserGroupQuery } from "./schema.ts";

const order = listOrder("name", { name: "groups.name_key", joinedAt: sql`coalesce(m.joined_at, 0)` }, "groups.group_id");

interface Membership {
  group_id: string;
  direct: boolean;
  joined_at: number | null;
}

/** The groups of which the user is a member, and the groups above them. A group that is both counts as direct. */
const membershipsOf = (realm: string, userId: string) =>
  sql<Membership>`(
    select group_id, bool_or(direct) as direct, max(joined_at) as joined_at from (
      select gm.group_id, true as direct, gm.joined_at from group_members gm where gm.realm_id = ${realm} and gm.user_id = ${userId}
      union all
      select a.ancestor_id, false, null from group_members gm
      join group_ancestors a on a.realm_id = gm.realm_id and a.group_id = gm.group_id
      where gm.realm_id = ${realm} and gm.user_id = ${userId}) each_way
    group by group_id)`.as<"m">("m");

export async function listGroupsOfUser(db: Db, realm: string, userId: string, query: UserGroupQuery): Promise<Page<UserGroup>> {
  const { search = "", direct } = query;
  const groups = db
    .selectFrom("groups")
    .innerJoin(membershipsOf(realm, userId), (join) => join.onRef("m.group_id", "=", "groups.group_id"))
    .select(["groups.group_id", "groups.name", "groups.description", "groups.parent_id", "m.direct", "m.joined_at"])
    .where("groups.realm_id", "=", realm)
    .$if(direct !== undefined, (q) => q.where("m.direct", "=", direct!))
    .$if(search !== "", (q) =>
      q.where((eb) => {
        const named = startsWith("groups.name_key", loginKey(search));
        return isId(search) ? eb.or([named, eb("groups.group_id", "=", search)]) : named;
      }),
    );
  // biome-ignore lint/suspicious/noExplicitAny: a joined query is none of the tables alone
  const page = (await pageOf(db, groups as any, order, query)) as unknown as Page<Row>;
  const paths = await pathsOfGroups(
    db,
    realm,
    page.rows.map(({ group_id }) => group_id),
  );
  return mapPage(page, (row) => toUserGroup(row, paths));
}

type Row = Membership & { name: string; description: string | null; parent_id: string | null };

const toUserGroup = (row: Row, paths: ReadonlyMap<string, string>): UserGroup => ({
  groupId: row.group_id,
  name: row.name,
  description: row.description,
  parentId: row.parent_id,
  path: paths.get(row.group_id)!,
  direct: row.direct,
  joinedAt: row.joined_at,
});
