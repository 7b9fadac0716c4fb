import { type PasswordParts, preparePassword, savePassword } from "../../directory/credentials/index.ts";
import {
  inviteeOf,
  joinByInvitation,
  organizationErrors,
  type PresentedInvitation,
  takeInvitation,
} from "../../directory/organizations/index.ts";
import { createUser } from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { anonymousActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { isOverloaded } from "../../platform/passwords/index.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { RequestSource, UnitOfWork } from "../../platform/unit-of-work.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { actorOfSession, type LiveSession, type StartedSession, startSession } from "../sessions/index.ts";

export interface InvitationPageParts extends PasswordParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly metrics: Metrics;
}

/** Accepts the invitation for the signed-in user, if the invited address is theirs. */
export async function acceptInvitation(
  { work }: Pick<InvitationPageParts, "work">,
  { realm, token, session, from }: { realm: RealmSnapshot; token: string; session: LiveSession; from: RequestSource },
): Promise<void> {
  const actor = actorOfSession(session, realm.realmId);
  await work.transact({ realm: realm.realmId, actor, ...from }, async (ctx) => {
    const invitation = await takeInvitation(ctx, token);
    if ((await inviteeOf(ctx, invitation)) !== session.userId) throw organizationErrors.invitation_not_found();
    await joinByInvitation(ctx, invitation, session.userId);
  });
}

export interface NewAccount {
  readonly realm: RealmSnapshot;
  readonly token: string;
  readonly invitation: PresentedInvitation;
  readonly username: string;
  readonly password: string;
  readonly from: RequestSource;
  readonly userAgent: string | null;
}

/** Creates an account for an invited address that has none yet. The account joins and is signed in, in one transaction. */
export async function createInvitedAccount(parts: InvitationPageParts, input: NewAccount): Promise<StartedSession> {
  const { realm, token, username, password, invitation, from, userAgent } = input;
  const owner = { userId: null, username, email: invitation.email };
  const { passwordPolicy } = realm.settings;
  const { hash } = await preparePassword({ tx: parts.db, realm: realm.realmId }, parts, passwordPolicy, owner, password);
  const actor = anonymousActor(realm.realmId, username);
  const session = await parts.work.transact({ realm: realm.realmId, actor, ...from }, async (ctx) => {
    const { email, ...taken } = await takeInvitation(ctx, token);
    // The opened link proves that the user reads the mail.
    const { userId } = await createUser(ctx, { username, email, emailVerified: true }, "confirmed", "local", "source");
    await savePassword(ctx.tx, ctx.realm, userId, hash, ctx.now);
    await joinByInvitation(ctx, { email, ...taken }, userId);
    const person = { actor: { id: userId, name: username } };
    ctx.audit({ category: "AUTHN", type: "REGISTER", ...person });
    ctx.audit({ category: "AUTHN", type: "LOGIN_SUCCESS", ...person });
    const chosen = { flow: "invitation", authenticator: "password", factor: "knowledge", amr: ["pwd"], at: ctx.now } as const;
    const signIn = {
      userId,
      remember: false,
      acr: "1",
      amr: ["pwd"],
      proofs: [chosen],
      sourceIp: from.sourceIp,
      userAgent,
      previous: null,
    };
    return startSession(ctx, realm.settings.sessions, signIn);
  });
  parts.metrics.login(realm.realmId, "success");
  return session;
}

/** Returns the form's message for a refusal, or null if there is none. */
export function problemOf(
  error: unknown,
): { readonly status: number; readonly error: "username-taken" | "password" | "overloaded" } | null {
  if (!(error instanceof AppError)) return null;
  if (error.code === "users.login_name_taken") return { status: 409, error: "username-taken" };
  if (error.code.startsWith("password.")) return { status: 400, error: "password" };
  return isOverloaded(error) ? { status: 503, error: "overloaded" } : null;
}
