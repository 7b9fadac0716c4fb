import { type Generated, sql } from "kysely";
import { type Db, deleteRows, findRow, type Tx, translating } from "../../platform/db/index.ts";
import { mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import { orderOfJoined, pageOfNamed, userErrors } from "../users/index.ts";
import { organizationErrors } from "./errors.ts";
import type { Member, MemberQuery } from "./schema.ts";

interface OrganizationMembersTable {
  realm_id: string;
  organization_id: string;
  user_id: string;
  role: string;
  joined_at: number;
  /** True if the account is the organization's own. */
  managed: Generated<boolean>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    organization_members: OrganizationMembersTable;
  }
}

const membersOf = (db: Db, realm: string, organizationId: string) =>
  db
    .selectFrom("organization_members")
    .innerJoin("users", (join) =>
      join
        .onRef("users.realm_id", "=", "organization_members.realm_id")
        .onRef("users.user_id", "=", "organization_members.user_id")
        // The condition is repeated: otherwise Postgres would not walk over the users in their order.
        .on("users.realm_id", "=", realm),
    )
    .select([
      "organization_members.user_id",
      "users.username",
      "users.email",
      "users.enabled",
      "organization_members.role",
      "organization_members.joined_at",
      "organization_members.managed",
    ])
    .where("organization_members.realm_id", "=", realm)
    .where("organization_members.organization_id", "=", organizationId);

export async function listMembers(db: Db, realm: string, organizationId: string, query: MemberQuery): Promise<Page<Member>> {
  const { search = "", role } = query;
  const all = membersOf(db, realm, organizationId).$if(role !== undefined, (q) => q.where("organization_members.role", "=", role!));
  const order = orderOfJoined("organization_members", query);
  const page =
    search === ""
      ? await pageOf(db, all, order, query, role === undefined ? () => countMembers(db, realm, organizationId) : undefined)
      : await pageOfNamed(db, realm, { all, userId: "organization_members.user_id" }, order, { ...query, search });
  return mapPage(page, toMember);
}

/** Counts the members as the list of organizations does. */
async function countMembers(db: Db, realm: string, organizationId: string): Promise<{ total: number; estimated: boolean }> {
  const { rows } = await sql<{ total: number }>`select coalesce(sum(members), 0)::bigint as total from organization_member_counts
    where realm_id = ${realm} and organization_id = ${organizationId}`.execute(db);
  return { total: rows[0]!.total, estimated: false };
}

export async function findMember(db: Db, realm: string, { organizationId, userId }: MemberKey): Promise<Member | null> {
  const row = await membersOf(db, realm, organizationId).where("organization_members.user_id", "=", userId).executeTakeFirst();
  return row ? toMember(row) : null;
}

const toMember = (row: {
  user_id: string;
  username: string;
  email: string | null;
  enabled: boolean;
  role: string;
  joined_at: number;
  managed: boolean;
}): Member => ({
  userId: row.user_id,
  username: row.username,
  email: row.email,
  enabled: row.enabled,
  role: row.role,
  joinedAt: row.joined_at,
  managed: row.managed,
});

/** Adds or changes a member; members of `member` that are undefined stay. Returns the role. Throws if the realm has no such user. */
export async function saveMember(
  tx: Tx,
  realm: string,
  member: MemberKey & { readonly role: string | undefined; readonly managed: boolean | undefined },
  defaultRole: string,
  now: number,
): Promise<string> {
  const managed = member.managed !== undefined && { managed: member.managed };
  const saved = await translating(
    { organization_members_user: userErrors.not_found, organization_members_managed: organizationErrors.managed_elsewhere },
    tx
      .insertInto("organization_members")
      .values({ ...keyOf(realm, member), role: member.role ?? defaultRole, ...managed, joined_at: now })
      .onConflict((conflict) =>
        conflict
          .constraint("organization_members_pkey")
          .doUpdateSet((eb) => ({ role: member.role ?? eb.ref("organization_members.role"), ...managed })),
      )
      .returning("role")
      .executeTakeFirstOrThrow(),
  );
  return saved.role;
}

/** Adds a member. An existing member keeps their role. */
export async function addMember(tx: Tx, realm: string, member: MemberKey & { role: string }, now: number): Promise<void> {
  await tx
    .insertInto("organization_members")
    .values({ ...keyOf(realm, member), role: member.role, joined_at: now })
    .onConflict((conflict) => conflict.constraint("organization_members_pkey").doNothing())
    .execute();
}

export interface MemberKey {
  readonly organizationId: string;
  readonly userId: string;
}

const keyOf = (realm: string, { organizationId, userId }: MemberKey) => ({
  realm_id: realm,
  organization_id: organizationId,
  user_id: userId,
});

export const deleteMember = (tx: Tx, realm: string, key: MemberKey): Promise<boolean> =>
  deleteRows(tx, "organization_members", keyOf(realm, key));

export const isMember = async (db: Db, realm: string, key: MemberKey): Promise<boolean> =>
  (await findRow(db, "organization_members", ["user_id"], keyOf(realm, key))) !== null;

/** Tells whether the account is the organization's own, and locks this until commit. */
export const holdManaged = async (tx: Tx, realm: string, key: MemberKey): Promise<boolean> =>
  (await findRow(tx, "organization_members", ["managed"], keyOf(realm, key), "share"))?.managed === true;

export interface Membership {
  readonly organizationId: string;
  readonly name: string;
  readonly alias: string;
  readonly role: string;
  readonly joinedAt: number;
}

/** The limit of the list. */
const MANY = 10_000;

/** Lists the organizations of a user, for the data export. */
export async function membershipsOf(db: Db, realm: string, userId: string): Promise<Membership[]> {
  const rows = await db
    .selectFrom("organization_members as m")
    .innerJoin("organizations as o", (join) =>
      join.onRef("o.realm_id", "=", "m.realm_id").onRef("o.organization_id", "=", "m.organization_id"),
    )
    .select(["o.organization_id", "o.name", "o.alias", "m.role", "m.joined_at"])
    .where("m.realm_id", "=", realm)
    .where("m.user_id", "=", userId)
    .orderBy("o.name_key")
    .limit(MANY)
    .execute();
  return rows.map((row) => ({
    organizationId: row.organization_id,
    name: row.name,
    alias: row.alias,
    role: row.role,
    joinedAt: row.joined_at,
  }));
}

/** Returns the ids of the organizations that have these aliases, by alias. */
export async function organizationsByAlias(db: Db, realm: string, aliases: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom("organizations")
    .select(["alias", "organization_id"])
    .where("realm_id", "=", realm)
    .where("alias", "in", [...aliases])
    .execute();
  return new Map(rows.map((row) => [row.alias, row.organization_id]));
}

/** Inserts many memberships at once. */
export async function insertOrganizationMembers(
  tx: Tx,
  realm: string,
  members: readonly (MemberKey & { readonly role: string; readonly managed: boolean })[],
  now: number,
): Promise<void> {
  if (members.length === 0) return;
  const rows = members.map(({ organizationId, userId, role, managed }) => ({
    realm_id: realm,
    organization_id: organizationId,
    user_id: userId,
    role,
    managed,
    joined_at: now,
  }));
  await tx
    .insertInto("organization_members")
    .values(rows)
    .onConflict((clash) => clash.doNothing())
    .execute();
}
