import { isId } from "../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { readUser, takeOwnUser } from "../users/index.ts";
import { organizationErrors } from "./errors.ts";
import { joinByInvitation } from "./invitations.service.ts";
import { listInvitationsTo, lockInvitationTo, type PresentedInvitation } from "./invitations.store.ts";

/** Lists the open invitations to the calling user's address, if it is confirmed: an unconfirmed address proves nothing. */
export async function readOwnInvitations(ctx: ReadCtx): Promise<(PresentedInvitation & { readonly expiresAt: number })[]> {
  const { email, emailVerified } = await readUser(ctx, ctx.actor.id);
  return email === null || !emailVerified ? [] : listInvitationsTo(ctx.tx, ctx.realm, email, ctx.now);
}

/** Accepts an invitation without the mailed link: the confirmed address proves as much. */
export async function acceptOwnInvitation(ctx: Ctx, invitationId: string): Promise<void> {
  const { userId, email, emailVerified } = await takeOwnUser(ctx);
  const isTheirs = email !== null && emailVerified && isId(invitationId);
  const invitation = isTheirs ? await lockInvitationTo(ctx.tx, ctx.realm, email, invitationId, ctx.now) : null;
  if (!invitation) throw organizationErrors.invitation_not_found();
  await joinByInvitation(ctx, invitation, userId);
}
