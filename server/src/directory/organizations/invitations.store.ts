import { type Generated, sql } from "kysely";
import { DAY } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import { type Db, deleteExpired, deleteRows, type Tx, updateRows } from "../../platform/db/index.ts";
import { listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import type { Invitation, InvitationQuery } from "./schema.ts";

interface OrganizationInvitationsTable {
  realm_id: string;
  invitation_id: string;
  organization_id: string;
  email: string;
  email_key: string;
  role: string;
  token_hash: string;
  inviter_realm: string | null;
  inviter_id: string | null;
  created_at: number;
  expires_at: number;
  accepted_at: Generated<number | null>;
  accepted_by: Generated<string | null>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    organization_invitations: OrganizationInvitationsTable;
  }
}

const columns = [
  "i.realm_id",
  "i.invitation_id",
  "i.organization_id",
  "i.email",
  "i.role",
  "i.created_at",
  "i.expires_at",
  "i.accepted_at",
  "i.inviter_realm",
  "u.username as inviter",
] as const;

/** Selects invitations with the inviter's username, as long as that user exists. */
const invitations = (db: Db, realm: string) =>
  db
    .selectFrom("organization_invitations as i")
    .leftJoin("users as u", (join) => join.onRef("u.realm_id", "=", "i.inviter_realm").onRef("u.user_id", "=", "i.inviter_id"))
    .select(columns)
    .where("i.realm_id", "=", realm);

interface InvitationRow {
  realm_id: string;
  invitation_id: string;
  organization_id: string;
  email: string;
  role: string;
  created_at: number;
  expires_at: number;
  accepted_at: number | null;
  inviter_realm: string | null;
  inviter: string | null;
}

const order = listOrder("-createdAt", { createdAt: "i.created_at", email: "i.email_key" }, "i.invitation_id");

export async function listInvitations(
  db: Db,
  realm: string,
  organizationId: string,
  { status, ...query }: InvitationQuery,
  now: number,
): Promise<Page<Invitation>> {
  const { search = "" } = query;
  const found = invitations(db, realm)
    .where("i.organization_id", "=", organizationId)
    .$if(search !== "", (q) => q.where("i.email_key", "like", likePrefix(loginKey(search))))
    .$if(status !== undefined, (q) => q.where("i.accepted_at", status === "accepted" ? "is not" : "is", null))
    .$if(status === "open", (q) => q.where("i.expires_at", ">", now))
    .$if(status === "expired", (q) => q.where("i.expires_at", "<=", now));
  // biome-ignore lint/suspicious/noExplicitAny: an aliased query no longer names its tables
  const page = (await pageOf(db, found as any, order, query)) as Page<InvitationRow>;
  return mapPage(page, (row) => toInvitation(row, now));
}

export async function findInvitation(
  db: Db,
  realm: string,
  organizationId: string,
  invitationId: string,
  now: number,
): Promise<Invitation | null> {
  const row = await invitations(db, realm)
    .where("i.organization_id", "=", organizationId)
    .where("i.invitation_id", "=", invitationId)
    .executeTakeFirst();
  return row ? toInvitation(row, now) : null;
}

export interface NewInvitation {
  readonly organizationId: string;
  readonly email: string;
  readonly role: string;
  readonly tokenHash: string;
  readonly inviter: { readonly realm: string; readonly userId: string } | null;
  readonly expiresAt: number;
}

/** Stores an invitation. It replaces an unaccepted one to the same address, whose link no longer works. */
export async function upsertInvitation(tx: Tx, realm: string, invitation: NewInvitation, now: number): Promise<string> {
  const sent = {
    email: invitation.email,
    role: invitation.role,
    token_hash: invitation.tokenHash,
    inviter_realm: invitation.inviter?.realm ?? null,
    inviter_id: invitation.inviter?.userId ?? null,
    created_at: now,
    expires_at: invitation.expiresAt,
  };
  const { invitation_id } = await tx
    .insertInto("organization_invitations")
    .values({
      realm_id: realm,
      invitation_id: newId(),
      organization_id: invitation.organizationId,
      email_key: loginKey(invitation.email),
      ...sent,
    })
    .onConflict((conflict) =>
      conflict.columns(["realm_id", "organization_id", "email_key"]).where("accepted_at", "is", null).doUpdateSet(sent),
    )
    .returning("invitation_id")
    .executeTakeFirstOrThrow();
  return invitation_id;
}

export async function deleteInvitation(tx: Tx, realm: string, organizationId: string, invitationId: string): Promise<boolean> {
  return deleteRows(tx, "organization_invitations", { realm_id: realm, organization_id: organizationId, invitation_id: invitationId });
}

export async function deleteInvitationsTo(tx: Tx, realm: string, addresses: readonly string[]): Promise<void> {
  await tx.deleteFrom("organization_invitations").where("realm_id", "=", realm).where("email_key", "in", addresses.map(loginKey)).execute();
}

/** Deletes the open invitations to the names by which a user signs in. */
export async function deleteInvitationsOf(tx: Tx, realm: string, organizationId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom("organization_invitations")
    .where((e) => e.and({ realm_id: realm, organization_id: organizationId }))
    .where("accepted_at", "is", null)
    .where("email_key", "in", ({ selectFrom }) =>
      selectFrom("login_names")
        .select("key")
        .where((e) => e.and({ realm_id: realm, user_id: userId })),
    )
    .execute();
}

/** Finds the user who signs in by this address. */
export async function findInvitee(db: Db, realm: string, email: string) {
  const row = await db
    .selectFrom("login_names as n")
    // With a plain join, a cached plan might read all users of the realm. `limit` makes it look up the one user.
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom("users")
          .select(["users.user_id", "users.username", "users.email", "users.email_verified", "users.attributes"])
          .whereRef("users.realm_id", "=", "n.realm_id")
          .whereRef("users.user_id", "=", "n.user_id")
          .limit(sql<number>`1`)
          .as("u"),
      (join) => join.onTrue(),
    )
    .select(["u.user_id", "u.username", "u.email", "u.email_verified", "u.attributes"])
    .where("n.realm_id", "=", realm)
    .where("n.key", "=", loginKey(email))
    .executeTakeFirst();
  if (!row) return null;
  const { user_id: id, username, email_verified: emailVerified, attributes } = row;
  return { id, username, email: row.email, emailVerified, attributes };
}

/** The data of an invitation that the holder of its link may see. */
export interface PresentedInvitation {
  readonly invitationId: string;
  readonly organizationId: string;
  readonly organization: { readonly name: string; readonly alias: string };
  readonly email: string;
  readonly role: string;
  readonly status: Invitation["status"];
  readonly acceptedBy: string | null;
  /** The inviter's username; null if the inviter is of another realm, or was deleted. */
  readonly inviter: string | null;
}

/** Finds the invitation of a link, unless its organization is disabled. */
export async function findPresented(db: Db, realm: string, tokenHash: string, now: number): Promise<PresentedInvitation | null> {
  const row = await presented(db, realm, tokenHash).executeTakeFirst();
  return row ? toPresented(row, now) : null;
}

/** Locks the invitation until commit: of two requests that accept it at once, the second sees the change of the first. */
export async function lockPresented(tx: Tx, realm: string, tokenHash: string, now: number): Promise<PresentedInvitation | null> {
  const row = await presented(tx, realm, tokenHash).forUpdate("i").forShare("o").executeTakeFirst();
  return row ? toPresented(row, now) : null;
}

const presented = (db: Db, realm: string, tokenHash: string) => ofEnabled(db, realm).where("i.token_hash", "=", tokenHash);

const ofEnabled = (db: Db, realm: string) =>
  invitations(db, realm)
    .innerJoin("organizations as o", (join) =>
      join.onRef("o.realm_id", "=", "i.realm_id").onRef("o.organization_id", "=", "i.organization_id"),
    )
    .select(["i.accepted_by", "o.alias", sql<string>`coalesce(o.display_name, o.name)`.as("organization")])
    .where("o.enabled", "=", true);

/** The limit of the list, more than a page shows. */
const MANY = 100;

/** Lists the open invitations to an address, newest first. */
export async function listInvitationsTo(
  db: Db,
  realm: string,
  email: string,
  now: number,
): Promise<(PresentedInvitation & { readonly expiresAt: number })[]> {
  const rows = await ofEnabled(db, realm)
    .where("i.email_key", "=", loginKey(email))
    .where("i.accepted_at", "is", null)
    .where("i.expires_at", ">", now)
    .orderBy("i.created_at", "desc")
    .limit(MANY)
    .execute();
  return rows.map((row) => ({ ...toPresented(row, now), expiresAt: row.expires_at }));
}

/** Finds one of the open invitations to an address, and locks it until commit. */
export async function lockInvitationTo(tx: Tx, realm: string, email: string, id: string, now: number): Promise<PresentedInvitation | null> {
  const row = await ofEnabled(tx, realm)
    .where("i.invitation_id", "=", id)
    .where("i.email_key", "=", loginKey(email))
    .where("i.accepted_at", "is", null)
    .where("i.expires_at", ">", now)
    .forUpdate("i")
    .forShare("o")
    .executeTakeFirst();
  return row ? toPresented(row, now) : null;
}

export async function markAccepted(tx: Tx, realm: string, invitationId: string, userId: string, now: number): Promise<void> {
  await updateRows(
    tx,
    "organization_invitations",
    { realm_id: realm, invitation_id: invitationId },
    { accepted_at: now, accepted_by: userId },
  );
}

/** An expired invitation is kept this long, to show that it has expired; then it is deleted, with the address. */
const KEPT = 30 * DAY;

export const deleteExpiredInvitations = (db: Db, now: number): Promise<void> => deleteExpired(db, "organization_invitations", now - KEPT);

const statusOf = (row: { accepted_at: number | null; expires_at: number }, now: number): Invitation["status"] =>
  row.accepted_at !== null ? "accepted" : row.expires_at > now ? "open" : "expired";

const toInvitation = (row: InvitationRow, now: number): Invitation => ({
  invitationId: row.invitation_id,
  organizationId: row.organization_id,
  email: row.email,
  role: row.role,
  status: statusOf(row, now),
  // The audit trail names actors in the same form.
  invitedBy: row.inviter === null || row.inviter_realm === row.realm_id ? row.inviter : `${row.inviter_realm}/${row.inviter}`,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  acceptedAt: row.accepted_at,
});

const toPresented = (
  row: InvitationRow & { accepted_by: string | null; alias: string; organization: string },
  now: number,
): PresentedInvitation => ({
  invitationId: row.invitation_id,
  organizationId: row.organization_id,
  organization: { name: row.organization, alias: row.alias },
  email: row.email,
  role: row.role,
  status: statusOf(row, now),
  acceptedBy: row.accepted_by,
  inviter: row.inviter_realm === row.realm_id ? row.inviter : null,
});
