import type { FastifyReply, FastifyRequest } from "fastify";
import { inviteeOf, type PresentedInvitation } from "../../directory/organizations/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Visitor, Visitors } from "../login/index.ts";
import { type InvitationError, type InvitationView, languageLinks, renderInvitation, sendPage } from "../pages/index.ts";

export interface Refusal {
  /** For a page that can continue; others show their own message. */
  readonly status: number;
  readonly error?: InvitationError;
  readonly username?: string;
  readonly retryAfterSeconds?: number;
}

const OWN_STATUS: Partial<Record<InvitationView["state"], number>> = { joined: 200, unknown: 404, expired: 410, used: 410 };

/** Decides what the visitor of an invitation is shown. */
export function createInvitationPages({ db, visitors }: { db: Db; visitors: Visitors }) {
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    token: string,
    invitation: PresentedInvitation | null,
    refusal?: Refusal,
  ) => {
    const { realm } = visitor;
    const path = `/realms/${realm.realmId}/invitations/${encodeURIComponent(token)}`;
    const frame = {
      ...visitors.frameOf(request, reply, visitor),
      languages: languageLinks((language) => `${path}?lang=${language}`),
    };
    const view: InvitationView = { ...frame, ...(await stepOf(request, reply, visitor, invitation, path, refusal)) };
    const retryAfterSeconds = refusal?.retryAfterSeconds;
    return sendPage(reply, OWN_STATUS[view.state] ?? refusal?.status ?? 200, renderInvitation(view), {
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  };

  const stepOf = async (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    invitation: PresentedInvitation | null,
    path: string,
    refusal: Refusal | undefined,
  ): Promise<Step> => {
    const { realm, session } = visitor;
    if (!invitation) return { state: "unknown" };
    const login = `/realms/${realm.realmId}/login`;
    const { organization, email, role, inviter, status } = invitation;
    const invited = { organization: organization.name, address: email, role, inviter };
    if (status === "expired") return { state: "expired" };
    if (status === "accepted")
      return session?.userId === invitation.acceptedBy
        ? { state: "joined", ...invited, continueUrl: "/" }
        : { state: "used", loginUrl: login };

    const invitee = await inviteeOf({ tx: db, realm: realm.realmId }, invitation);
    if (!session && invitee !== null) {
      return { state: "sign-in", ...invited, loginUrl: `${login}?${new URLSearchParams({ return_to: path })}` };
    }
    const { error, retryAfterSeconds, username } = refusal ?? {};
    const form = {
      ...invited,
      csrf: visitors.tokenFor(request, reply, visitor),
      ...(error && { error }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
    if (!session) {
      const { passwordPolicy: policy } = realm.settings;
      return { state: "create", ...form, action: `${path}/account`, username: username ?? suggestedName(email), policy };
    }
    const signedInAs = session.username;
    // An impersonator does not join anything in the user's name.
    return invitee === session.userId && session.impersonator === null
      ? { state: "accept", ...form, action: path, signedInAs }
      : { state: "other", ...form, action: `/realms/${realm.realmId}/logout`, signedInAs };
  };

  return { show };
}

type WithoutFrame<V> = V extends unknown ? Omit<V, "branding" | "locale" | "languages" | "impersonation"> : never;
type Step = WithoutFrame<InvitationView>;

/** A suggested username: the local part of the address. */
const suggestedName = (email: string): string => email.slice(0, email.lastIndexOf("@"));
