import type { MessageUser } from "../../tenancy/messaging/index.ts";
import { isNew, type SignInParts, type SignInUser } from "../authenticators/index.ts";
import { noteBrowser } from "../known-browsers/index.ts";
import type { Completion } from "../run/index.ts";
import { completeInteraction } from "../run/index.ts";
import { type StartedSession, startSession } from "../sessions/index.ts";

/** What a sign-in in a browser leads to. */
export interface SignedIn {
  /** Null: the session that was there is enough. */
  readonly session: StartedSession | null;
  readonly returnTo: string;
  /** For the cookie by which the browser is known again; null where it stays as it is. */
  readonly deviceToken: string | null;
}

export const startingSession = (parts: SignInParts): Completion<SignedIn> => ({
  async complete(ctx, { run, userId, username, acr, amr, proofs, isResumed }) {
    const { realm, visitor, progress, interaction } = run;
    // Nothing was proven just now, so the session stays as it is, with the time of its sign-in.
    if (isResumed) {
      await completeInteraction(ctx, interaction!, { userId, sessionId: visitor.session!.sessionId });
      return { session: null, returnTo: interaction!.returnTo, deviceToken: null };
    }
    // An action that was done in a session proves nothing new: its sign-in stays as old as it is.
    const goesOn = progress.sessionId !== undefined && !progress.passed.some((step) => isNew(step) && step.factor !== null);
    const session = await startSession(ctx, realm.settings.sessions, {
      ...{ userId, acr, amr, proofs, remember: progress.remember },
      ...(goesOn && visitor.session && { authTime: visitor.session.authTime }),
      sourceIp: visitor.sourceIp,
      userAgent: visitor.userAgent,
      previous: visitor.session,
    });
    if (interaction) await completeInteraction(ctx, interaction, { userId, sessionId: session.sessionId });
    if (!goesOn) {
      ctx.audit({ category: "AUTHN", type: "LOGIN_SUCCESS", actor: { id: userId, name: username } });
      ctx.afterCommit(() => parts.metrics.login(realm.realmId, "success"));
    }
    const { deviceToken: token, userAgent, locale } = visitor;
    const deviceToken = await noteBrowser(ctx, parts, {
      ...{ realm, token, userAgent, locale, trust: progress.trust === true, user: addresseeOf(run.user!) },
    });
    return { session, returnTo: interaction?.returnTo ?? run.returnTo, deviceToken };
  },
});

const addresseeOf = ({ userId: id, username, email, attributes }: SignInUser): MessageUser => ({
  ...{ id, username, email },
  attributes: attributes as MessageUser["attributes"],
});
