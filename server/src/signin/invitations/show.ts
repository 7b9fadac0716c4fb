import { inviteeOf, type PresentedInvitation } from "../../directory/organizations/index.ts";
import { type InvitationError, type InvitationView, renderInvitation, sendPage } from "../../pages/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { type Exchange, homePath, loginPath, type PageParts, type Visitor } from "../login/index.ts";

export interface Refusal {
  /** The status of a page that can continue. Others have their own status. */
  readonly status: number;
  readonly error?: InvitationError;
  readonly username?: string;
  readonly retryAfterSeconds?: number;
}

const OWN_STATUS: Partial<Record<InvitationView["state"], number>> = { joined: 200, unknown: 404, expired: 410, used: 410 };

/** Shows the visitor of an invitation the choices that they have. */
export async function showInvitation(
  { db, visitors }: PageParts,
  { request, reply }: Exchange,
  token: string,
  invitation: PresentedInvitation | null,
  refusal?: Refusal,
) {
  const path = `/realms/${request.realmId}/invitations/${encodeURIComponent(token)}`;
  const frame = visitors.frameAt(request, reply, request.visitor, path);
  const step = await stepOf(db, request.visitor, invitation, path, refusal, () => visitors.tokenFor(request, reply, request.visitor));
  const view: InvitationView = { ...frame, ...step };
  const { status = 200, retryAfterSeconds } = refusal ?? {};
  return sendPage(reply, OWN_STATUS[view.state] ?? status, renderInvitation(view), {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

async function stepOf(
  db: Db,
  { realm, session }: Visitor,
  invitation: PresentedInvitation | null,
  path: string,
  refusal: Refusal | undefined,
  newToken: () => string,
): Promise<Step> {
  if (!invitation) return { state: "unknown" };
  const { organization, email, role, inviter, status } = invitation;
  const invited = { organization: organization.name, address: email, role, inviter };
  if (status === "expired") return { state: "expired" };
  if (status === "accepted")
    return session?.userId === invitation.acceptedBy
      ? { state: "joined", ...invited, nextUrl: homePath(realm.realmId) }
      : { state: "used", loginUrl: loginPath(realm.realmId) };

  const invitee = await inviteeOf({ tx: db, realm: realm.realmId }, invitation);
  if (!session && invitee !== null)
    return { state: "sign-in", ...invited, nextUrl: `${loginPath(realm.realmId)}?${new URLSearchParams({ return_to: path })}` };
  const { status: _, username, ...problem } = refusal ?? { status: 200 };
  const form = { ...invited, ...problem, csrf: newToken() };
  if (!session) {
    const { passwordPolicy: policy } = realm.settings;
    return { state: "create", ...form, action: `${path}/account`, username: username ?? suggestedName(email), policy };
  }
  const signedInAs = session.username;
  // An impersonator does not join an organization in the user's name.
  return invitee === session.userId && session.impersonator === null
    ? { state: "accept", ...form, action: path, signedInAs }
    : { state: "other", ...form, action: `/realms/${realm.realmId}/logout`, signedInAs };
}

type WithoutFrame<V> = V extends unknown ? Omit<V, "branding" | "locale" | "languages" | "impersonation"> : never;
type Step = WithoutFrame<InvitationView>;

/** Suggests a username: the local part of the address. */
const suggestedName = (email: string): string => email.slice(0, email.lastIndexOf("@"));
