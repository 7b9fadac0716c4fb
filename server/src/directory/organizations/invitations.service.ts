import { HOUR, SECOND } from "../../kernel/clock.ts";
import { isId } from "../../kernel/ids.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { Page } from "../../platform/paging/index.ts";
import type { Messages } from "../../tenancy/messaging/index.ts";
import { organizationErrors } from "./errors.ts";
import {
  deleteInvitation,
  deleteInvitationsTo,
  findInvitation,
  findInvitee,
  findPresented,
  listInvitations,
  lockPresented,
  markAccepted,
  type PresentedInvitation,
  upsertInvitation,
} from "./invitations.store.ts";
import { DEFAULT_ROLE, holdOrganization, recordMembership } from "./members.service.ts";
import { addMember, isMember } from "./members.store.ts";
import type { CreateInvitation, Invitation, InvitationQuery } from "./schema.ts";
import { readOrganization } from "./service.ts";

const A_WEEK = 7 * 24;

export interface InvitationParts {
  readonly messages: Messages;
  readonly baseUrl: string;
}

export async function searchInvitations(ctx: ReadCtx, id: string, query: InvitationQuery): Promise<Page<Invitation>> {
  const { organizationId } = await readOrganization(ctx, id);
  return listInvitations(ctx.tx, ctx.realm, organizationId, query, ctx.now);
}

export async function readInvitation(ctx: ReadCtx, id: string, invitationId: string): Promise<Invitation> {
  const { organizationId } = await readOrganization(ctx, id);
  const invitation = isId(invitationId) ? await findInvitation(ctx.tx, ctx.realm, organizationId, invitationId, ctx.now) : null;
  if (!invitation) throw organizationErrors.invitation_not_found();
  return invitation;
}

/** Invites a person. The link is sent by mail only, so that opening it proves the mailbox; neither the response nor the database contains it. */
export async function invite(
  ctx: Ctx,
  { messages, baseUrl }: InvitationParts,
  id: string,
  { email, role = DEFAULT_ROLE, expiresInHours = A_WEEK }: CreateInvitation,
): Promise<Invitation> {
  const { organizationId, label, enabled } = await holdOrganization(ctx, id);
  if (!enabled) throw organizationErrors.disabled();
  const user = await findInvitee(ctx.tx, ctx.realm, email);
  if (user && (await isMember(ctx.tx, ctx.realm, { organizationId, userId: user.id }))) throw organizationErrors.already_member();

  const token = randomToken();
  const ttl = expiresInHours * HOUR;
  const invitation = {
    organizationId,
    email,
    role,
    tokenHash: sha256(token),
    inviter: isId(ctx.actor.id) ? { realm: ctx.actor.realm, userId: ctx.actor.id } : null,
    expiresAt: ctx.now + ttl,
  };
  const invitationId = await upsertInvitation(ctx.tx, ctx.realm, invitation, ctx.now);
  await messages.send(ctx, {
    templateKey: "invitation-email",
    to: email,
    user,
    values: { organization: label, link: `${baseUrl}/realms/${ctx.realm}/invitations/${token}`, ttlSeconds: ttl / SECOND },
    expiresAt: invitation.expiresAt,
  });
  record(ctx, "ADMIN_CREATE", organizationId, `invitations/${invitationId}`);
  return (await findInvitation(ctx.tx, ctx.realm, organizationId, invitationId, ctx.now))!;
}

/** Deletes an invitation, even if it was accepted or has expired. The membership of a user who accepted it stays. */
export async function withdrawInvitation(ctx: Ctx, id: string, invitationId: string): Promise<void> {
  const { organizationId } = await holdOrganization(ctx, id);
  const deleted = isId(invitationId) && (await deleteInvitation(ctx.tx, ctx.realm, organizationId, invitationId));
  if (!deleted) throw organizationErrors.invitation_not_found();
  record(ctx, "ADMIN_DELETE", organizationId, `invitations/${invitationId}`);
}

function record(ctx: Ctx, type: "ADMIN_CREATE" | "ADMIN_DELETE" | "ADMIN_ACTION", organizationId: string, detail: string): void {
  ctx.audit({ category: "ADMIN", type, resourceType: "organizations", resourceId: organizationId, detail });
}

/** Deletes the invitations to a user on `user.deleted` and `user.erased`: an open one would let the removed user return. */
export const forgetInvitationsTo = (
  ctx: Ctx,
  { username, email }: { readonly username: string; readonly email: string | null },
): Promise<void> => deleteInvitationsTo(ctx.tx, ctx.realm, email === null ? [username] : [username, email]);

/** Finds the invitation of a link. Returns null if it was withdrawn, replaced or never issued. */
export const presentInvitation = (ctx: Pick<ReadCtx, "tx" | "realm" | "now">, token: string): Promise<PresentedInvitation | null> =>
  findPresented(ctx.tx, ctx.realm, sha256(token), ctx.now);

/** Returns the user who signs in by the invited address: only they may accept. */
export const inviteeOf = async (ctx: Pick<ReadCtx, "tx" | "realm">, { email }: PresentedInvitation): Promise<string | null> =>
  (await findInvitee(ctx.tx, ctx.realm, email))?.id ?? null;

/** Locks an open invitation until commit, so that it can be accepted once. */
export async function takeInvitation(ctx: Ctx, token: string): Promise<PresentedInvitation> {
  const invitation = await lockPresented(ctx.tx, ctx.realm, sha256(token), ctx.now);
  if (!invitation) throw organizationErrors.invitation_not_found();
  if (invitation.status === "accepted") throw organizationErrors.invitation_used();
  if (invitation.status === "expired") throw organizationErrors.invitation_expired();
  return invitation;
}

/** Makes the invitee a member and marks the invitation as accepted; the caller has locked it. Membership gives no permission. */
export async function joinByInvitation(ctx: Ctx, invitation: PresentedInvitation, userId: string): Promise<void> {
  const { invitationId, organizationId, organization, role } = invitation;
  await markAccepted(ctx.tx, ctx.realm, invitationId, userId, ctx.now);
  await addMember(ctx.tx, ctx.realm, { organizationId, userId, role }, ctx.now);
  record(ctx, "ADMIN_ACTION", organizationId, `invitations/${invitationId} accepted`);
  recordMembership(ctx, organizationId, userId, `member added (${role})`, `+${organization.alias} (${role})`);
}
