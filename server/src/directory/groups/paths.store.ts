import { type RawBuilder, sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Db, findRow } from "../../platform/db/index.ts";

/** The prefix of top-level groups below which organizations name groups themselves. */
export const ORGANIZATION = "organization:";

/** The SQL condition that an organization of the realm names groups below group `g`. */
const isOfOrganization = (g: RawBuilder<unknown>) =>
  sql<boolean>`(${g}.parent_id is null and starts_with(${g}.name_key, ${ORGANIZATION}) and exists (select 1 from organizations o
    where o.realm_id = ${g}.realm_id and o.alias = substr(${g}.name_key, ${ORGANIZATION.length + 1}::int)))`;

/** The SQL condition that group `g` is known by its own name: it is at the top, or an organization named it. */
export const isNamedAtTop = sql<boolean>`(case when g.parent_id is null then not ${isOfOrganization(sql`g`)}
  else exists (select 1 from groups p where p.realm_id = g.realm_id and p.group_id = g.parent_id and ${isOfOrganization(sql`p`)}) end)`;

/** The pattern of a path that `groupPath` writes, for schemas. It reads each character in one way only, so that a long path does not backtrack. */
export const GROUP_PATH = "^(/([^/~]|~[~/]|~(?![~/]))+)+$";

/**
 * Makes a path such as `/Sales/Europe` from the names from the top down. A slash within a name is written `~/`. Each `~` before such a slash, or at
 * the end of a name, is written twice, so that no two groups have the same path: `/a~~/b` is `b` below `a~`, `/a~/b` is `a/b`.
 */
export const groupPath = (names: readonly string[]): string =>
  names.map((name) => `/${name.replace(/~+(?=\/|$)/g, "$&$&").replaceAll("/", "~/")}`).join("");

/** Returns the names in a path from the top down. */
export function namesInPath(path: string): string[] {
  const names = [""];
  for (const { 0: piece, index } of path.matchAll(/~+\/?|\/|[^~/]+/g)) {
    if (index === 0) continue;
    const tildes = piece.startsWith("~") ? piece.replace("/", "").length : 0;
    const isBeforeSlash = piece.endsWith("/");
    // Earlier releases did not double a `~` at the end, so their number may be odd.
    const isDoubled = isBeforeSlash || (index + piece.length === path.length && tildes % 2 === 0);
    names[names.length - 1] += tildes > 0 ? "~".repeat(isDoubled ? Math.floor(tildes / 2) : tildes) : isBeforeSlash ? "" : piece;
    if (!isBeforeSlash) continue;
    if (tildes % 2 === 1) names[names.length - 1] += "/";
    else names.push("");
  }
  return names;
}

/** Finds the group that a text names by path or id. Returns null if the realm has none. */
export async function findGroupId(db: Db, realm: string, text: string): Promise<string | null> {
  if (isId(text)) {
    const row = await findRow(db, "groups", ["group_id"], { realm_id: realm, group_id: text });
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

/** Returns the paths of groups by id. Unknown groups are left out. */
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

/** Tells whether the user is in one of the groups, or in a group below one. Ids of unknown groups match no user. */
export async function isInGroup(db: Db, realm: string, userId: string, groupIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from group_members m where m.realm_id = ${realm} and m.user_id = ${userId} and (
      m.group_id::text = any(${[...groupIds]}::text[]) or exists (select 1 from group_ancestors a
        where a.realm_id = m.realm_id and a.group_id = m.group_id and a.ancestor_id::text = any(${[...groupIds]}::text[])))) as found`.execute(
    db,
  );
  return rows[0]?.found ?? false;
}
