import { sql } from "kysely";
import { findGroupId, pathsOfGroups } from "../../directory/groups/index.ts";
import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Db } from "../../platform/db/index.ts";
import { namesOfRoles } from "../access/index.ts";
import type { EntryKind } from "./policies.store.ts";

/**
 * Maps names to ids, except roles, which `findRole` finds. Unknown names are left out. A text in the form of an id means the record with
 * this id, so that nobody can choose a name to take the place of another. Clients and scopes, whose names may have that form, are found by
 * the name if no record has the id.
 */
export async function findEntries(
  db: Db,
  realm: string,
  kind: Exclude<EntryKind, "role">,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (kind === "user") return findUserIds(db, realm, names);
  if (kind === "client") return byColumn(db, realm, "clients", "id", "client_id", names);
  if (kind === "client-scope") return byColumn(db, realm, "client_scopes", "scope_id", "name", names);
  const found = new Map<string, string>();
  for (const name of names) {
    const id = await findGroupId(db, realm, name);
    if (id !== null) found.set(name, id);
  }
  return found;
}

/** Maps ids to names, as administrators read them. The id is kept if `findEntries` would read the name as another record's id. */
export async function spellEntries(db: Db, realm: string, kind: EntryKind, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  if (kind === "role") return namesOfRoles(db, realm, ids);
  if (kind === "group") return pathsOfGroups(db, realm, ids);
  const names = await namesOf(db, realm, kind, ids);
  const idLike = [...names.values()].filter(isId);
  if (idLike.length === 0) return names;
  const found = await findEntries(db, realm, kind, idLike);
  return new Map([...names].map(([id, name]) => [id, isId(name) && found.get(name) !== id ? id : name]));
}

async function namesOf(
  db: Db,
  realm: string,
  kind: "user" | "client" | "client-scope",
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (kind === "user") return usernamesOf(db, realm, ids);
  const [table, id, name] =
    kind === "client" ? (["clients", "id", "client_id"] as const) : (["client_scopes", "scope_id", "name"] as const);
  const { rows } = await sql<{ id: string; name: string }>`select ${sql.ref(id)} as id, ${sql.ref(name)} as name from ${sql.table(table)}
    where realm_id = ${realm} and ${sql.ref(id)} = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row.name]));
}

async function byColumn(
  db: Db,
  realm: string,
  table: string,
  id: string,
  name: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`select ${sql.ref(id)} as id, ${sql.ref(name)} as name from ${sql.table(table)}
    where realm_id = ${realm} and (${sql.ref(name)} = any(${[...names]}::text[]) or ${sql.ref(id)} = any(${names.filter(isId)}::uuid[]))`.execute(
    db,
  );
  const ids = new Set(rows.map((row) => row.id));
  const named = new Map(rows.map((row) => [row.name, row.id]));
  return new Map(
    names.flatMap((each) => {
      const own = each.toLowerCase();
      const key = ids.has(own) ? own : named.get(each);
      return key === undefined ? [] : [[each, key] as const];
    }),
  );
}

/** Finds users by username or id. A text in the form of an id is an id: a user whose username has that form is named by their id. */
export async function findUserIds(db: Db, realm: string, names: readonly string[]): Promise<Map<string, string>> {
  const keys = names.filter((name) => !isId(name)).map(loginKey);
  const { rows } = await sql<{ user_id: string; username_key: string }>`select user_id, username_key from users
    where realm_id = ${realm} and (username_key = any(${keys}::text[]) or user_id = any(${names.filter(isId)}::uuid[]))`.execute(db);
  const found = new Map<string, string>();
  for (const name of names) {
    const row = rows.find((each) => (isId(name) ? each.user_id === name.toLowerCase() : each.username_key === loginKey(name)));
    if (row) found.set(name, row.user_id);
  }
  return found;
}

export async function usernamesOf(db: Db, realm: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ user_id: string; username: string }>`select user_id, username from users
    where realm_id = ${realm} and user_id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map(({ user_id, username }) => [user_id, username]));
}
