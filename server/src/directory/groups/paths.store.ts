import { type RawBuilder, sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Db } from "../../platform/db/index.ts";

/** Begins the names of groups at the top below which organizations name groups themselves. */
export const ORGANIZATION = "organization:";

/** SQL: below this group `g` an organization of the realm names groups. */
const isOfOrganization = (g: RawBuilder<unknown>) =>
  sql<boolean>`(${g}.parent_id is null and starts_with(${g}.name_key, ${ORGANIZATION}) and exists (select 1 from organizations o
    where o.realm_id = ${g}.realm_id and o.alias = substr(${g}.name_key, ${ORGANIZATION.length + 1}::int)))`;

/** SQL: the group `g` has a name for others: it is at the top, or one that an organization named there. */
export const isNamedAtTop = sql<boolean>`(case when g.parent_id is null then not ${isOfOrganization(sql`g`)}
  else exists (select 1 from groups p where p.realm_id = g.realm_id and p.group_id = g.parent_id and ${isOfOrganization(sql`p`)}) end)`;

/** For schemas: what `groupPath` writes. There is one way to read each character, or a long path would be tried in every other way. */
export const GROUP_PATH = "^(/([^/~]|~[~/]|~(?![~/]))+)+$";

/**
 * `/Sales/Europe`, of the names from the top down; a slash that is part of a name is written `~/`. Each `~` that stands before such a slash, or at
 * the end of a name, is written twice, so that no two groups have one path: `/a~~/b` is `b` below `a~`, `/a~/b` is `a/b`.
 */
export const groupPath = (names: readonly string[]): string =>
  names.map((name) => `/${name.replace(/~+(?=\/|$)/g, "$&$&").replaceAll("/", "~/")}`).join("");

/** The names of a path from the top down. */
export function namesInPath(path: string): string[] {
  const names = [""];
  for (const { 0: piece, index } of path.matchAll(/~+\/?|\/|[^~/]+/g)) {
    if (index === 0) continue;
    const tildes = piece.startsWith("~") ? piece.replace("/", "").length : 0;
    const isBeforeSlash = piece.endsWith("/");
    // An odd number at the end was written by earlier releases.
    const isDoubled = isBeforeSlash || (index + piece.length === path.length && tildes % 2 === 0);
    names[names.length - 1] += tildes > 0 ? "~".repeat(isDoubled ? Math.floor(tildes / 2) : tildes) : isBeforeSlash ? "" : piece;
    if (!isBeforeSlash) continue;
    if (tildes % 2 === 1) names[names.length - 1] += "/";
    else names.push("");
  }
  return names;
}

/** The group that a text names, by its path or its id; null if the realm has none. */
export async function findGroupId(db: Db, realm: string, text: string): Promise<string | null> {
  if (isId(text)) {
    const row = await db
      .selectFrom("groups")
      .select("group_id")
      .where("realm_id", "=", realm)
      .where("group_id", "=", text)
      .executeTakeFirst();
    return row?.group_id ?? null;
  }
  if (!text.startsWith("/")) return null;
  const keys = namesInPath(text).map(loginKey);
  const { rows } = await sql<{ group_id: string }>`
    with recursive walk as (
      select g.group_id, 1 as depth from groups g
        where g.realm_id = ${realm} and g.parent_id is null and g.name_key = (${keys}::text[])[1]
      union all
      select g.group_id, walk.depth + 1 from walk
        join groups g on g.realm_id = ${realm} and g.parent_id = walk.group_id and g.name_key = (${keys}::text[])[walk.depth + 1]
    )
    select group_id from walk where depth = ${keys.length}`.execute(db);
  return rows[0]?.group_id ?? null;
}

/** By id. Groups that the realm does not have are left out. */
export async function pathsOfGroups(db: Db, realm: string, groupIds: readonly string[]): Promise<Map<string, string>> {
  const ids = groupIds.filter(isId);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ leaf: string; names: string[] }>`
    with recursive line as (
      select g.group_id as leaf, g.parent_id, array[g.name] as names from groups g
        where g.realm_id = ${realm} and g.group_id = any(${ids}::uuid[])
      union all
      select line.leaf, g.parent_id, g.name || line.names from line
        join groups g on g.realm_id = ${realm} and g.group_id = line.parent_id
    )
    select leaf, names from line where parent_id is null`.execute(db);
  return new Map(rows.map(({ leaf, names }) => [leaf, groupPath(names)]));
}

/** In one of the groups, or in one below it. Ids of unknown groups match no user. */
export async function isInGroup(db: Db, realm: string, userId: string, groupIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from group_members m where m.realm_id = ${realm} and m.user_id = ${userId} and (
      m.group_id::text = any(${[...groupIds]}::text[]) or exists (select 1 from group_ancestors a
        where a.realm_id = m.realm_id and a.group_id = m.group_id and a.ancestor_id::text = any(${[...groupIds]}::text[])))) as found`.execute(
    db,
  );
  return rows[0]?.found ?? false;
}
