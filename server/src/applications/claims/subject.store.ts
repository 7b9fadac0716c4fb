import { type RawBuilder, sql } from "kysely";
import { type Db, prepared } from "../../platform/db/index.ts";
import type { ClaimMapper } from "./mapper.ts";
import { type ClaimSourceName, sourceNames, sources } from "./sources/index.ts";
import type { ClaimSubject, SubjectUser } from "./sources/source.ts";

/** The sources that read more than the user's row, in the order of `sourceNames`. */
export type SubjectNeeds = readonly ClaimSourceName[];

/** Returns the needs of all `mappers`. */
export const needsOf = (mappers: readonly Pick<ClaimMapper, "source">[]): SubjectNeeds =>
  needsAmong(new Set(mappers.map(({ source }) => source)));

/** Combines several needs for one read. */
export const needsOfAll = (needs: readonly SubjectNeeds[]): SubjectNeeds =>
  needs.length === 1 ? needs[0]! : needsAmong(new Set(needs.flat()));

const needsAmong = (used: ReadonlySet<ClaimSourceName>): SubjectNeeds =>
  sourceNames.filter((name) => used.has(name) && sources[name].ofUser);

interface UserRow {
  user_id: string;
  username: string;
  email: string | null;
  email_verified: boolean;
  attributes: SubjectUser["attributes"];
  created_at: number;
  updated_at: number;
}

const columnsOf = (needs: SubjectNeeds, of: "ofUser" | "ofClient") =>
  needs.flatMap((name) => {
    const column: RawBuilder<unknown> | undefined = sources[name][of];
    return column ? [column.as(name)] : [];
  });

/** Caches one statement for each combination of needs. */
function perNeeds<T>(make: (needs: SubjectNeeds) => T): (needs: SubjectNeeds) => T {
  const made = new Map<string, T>();
  return (needs) => {
    const key = needs.join();
    const known = made.get(key) ?? make(needs);
    made.set(key, known);
    return known;
  };
}

const userQuery = perNeeds((needs) =>
  prepared(({ realm, userId }: { realm: string; userId: string }, db) =>
    db
      .selectFrom("users as u")
      .select(["u.user_id", "u.username", "u.email", "u.email_verified", "u.attributes", "u.created_at"])
      .select([sql<number>`coalesce(u.updated_at, u.created_at)`.as("updated_at"), ...columnsOf(needs, "ofUser")])
      .where("u.realm_id", "=", realm)
      .where("u.user_id", "=", userId)
      .$castTo<UserRow & Record<string, unknown>>(),
  ),
);

/** Reads the data from which claims are made, in one query. Returns null if there is no such user. */
export async function subjectData(db: Db, realm: string, userId: string, needs: SubjectNeeds = []): Promise<ClaimSubject | null> {
  const [row] = await userQuery(needs)(db, { realm, userId });
  if (!row) return null;
  const { user_id, username, email, email_verified, attributes, created_at, updated_at, ...read } = row;
  return {
    user: { userId: user_id, username, email, emailVerified: email_verified, attributes, createdAt: created_at, updatedAt: updated_at },
    read,
  };
}

const clientQuery = perNeeds((needs) =>
  prepared(({ realm, id }: { realm: string; id: string }, db) =>
    db
      .selectFrom("clients as a")
      .select(columnsOf(needs, "ofClient"))
      .where("a.realm_id", "=", realm)
      .where("a.id", "=", id)
      .$castTo<Record<string, unknown>>(),
  ),
);

/** Reads the subject data of a client that acts in its own name. `id` is the client's id in paths of the admin API. */
export async function serviceAccountData(db: Db, realm: string, id: string, needs: SubjectNeeds): Promise<ClaimSubject> {
  const readable = needs.filter((name) => sources[name].ofClient);
  const [read = {}] = readable.length > 0 ? await clientQuery(readable)(db, { realm, id }) : [];
  return { user: null, read };
}
