import { joinByProvider } from "../../directory/organizations/index.ts";
import { addLink, type BrokeredSignIn, recordBrokeredSignIn, sourceOf } from "../../federation/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { addresseeOf, isNew, linkedBy, type Progress, type SignInParts } from "../authenticators/index.ts";
import { noteBrowser } from "../known-browsers/index.ts";
import { type Completion, completeInteraction } from "../run/index.ts";
import { type StartedSession, startSession } from "../sessions/index.ts";

/** The result of a sign-in in a browser. */
export interface SignedIn {
  /** Null if the existing session is enough. */
  readonly session: StartedSession | null;
  readonly returnTo: string;
  /** The token of the cookie that makes the browser known. Null if the cookie stays as it is. */
  readonly deviceToken: string | null;
}

export const startingSession = (parts: SignInParts): Completion<SignedIn> => ({
  async complete(ctx, { run, userId, username, acr, amr, proofs, isResumed }) {
    const { realm, visitor, progress, interaction } = run;
    if (progress.link?.proven) await completeLink(ctx, parts, progress, { id: userId, name: username });
    // Nothing was proven just now, so the session stays as it is, with its authentication time.
    if (isResumed) {
      await completeInteraction(ctx, interaction!, { userId, sessionId: visitor.session!.sessionId });
      return { session: null, returnTo: interaction!.returnTo, deviceToken: null };
    }
    // A required action in a session proves nothing new, so the authentication time of the session stays.
    const goesOn = progress.sessionId !== undefined && !progress.passed.some((step) => isNew(step) && step.factor !== null);
    const { deviceToken: token, userAgent, sourceIp: address, locale } = visitor;
    const trustedBy = progress.trust === true ? progress.passed.filter(isNew).map(({ authenticator }) => authenticator) : null;
    const by = { realm, token, userAgent, address, locale, trustedBy, user: addresseeOf(run.user!) };
    const browser = await noteBrowser(ctx, parts, by);
    const session = await startSession(ctx, realm.settings.sessions, {
      ...{ userId, acr, amr, proofs, remember: progress.remember, browserId: browser?.id ?? null },
      ...(goesOn && visitor.session && { authTime: visitor.session.authTime }),
      sourceIp: visitor.sourceIp,
      userAgent: visitor.userAgent,
      previous: visitor.session,
    });
    const { sessionId } = session;
    if (interaction) await completeInteraction(ctx, interaction, { userId, sessionId });
    for (const brokered of interaction ? providersIn(progress) : [])
      await recordBrokeredSignIn(ctx, parts.vault, brokered, { interactionId: interaction!.interactionId, userId, sessionId });
    if (!goesOn) {
      ctx.audit({ category: "AUTHN", type: "LOGIN_SUCCESS", actor: { id: userId, name: username } });
      ctx.afterCommit(() => parts.metrics.login(realm.realmId, "success"));
    }
    return { session, returnTo: interaction?.returnTo ?? run.returnTo, deviceToken: browser?.cookie ?? null };
  },
});

/** Returns the answers of the providers in this sign-in: the provider whose account was linked, and the one that authenticated the user. */
function providersIn({ link, brokered }: Progress): BrokeredSignIn[] {
  const linked = link?.proven ? link.brokered : undefined;
  const both = [linked?.providerId === brokered?.providerId ? undefined : linked, brokered];
  return both.filter((each) => each !== undefined);
}

/** Links the account after its own factors were proven, in the sign-in in which the provider authenticated the other account. */
async function completeLink(ctx: Ctx, { brokers }: SignInParts, progress: Progress, actor: { id: string; name: string }): Promise<void> {
  const link = progress.link!;
  const { alias, protocol, providerId, subject, username } = link;
  await addLink(ctx, alias, { providerId, subject, userId: actor.id, username, basis: linkedBy(progress).basis }, actor);
  if (link.email !== undefined)
    await joinByProvider(ctx, { userId: actor.id, alias, source: sourceOf(protocol, alias), email: link.email });
  ctx.audit({ category: "AUTHN", type: "BROKER_LOGIN", actor, detail: alias });
  ctx.afterCommit(() => brokers.counted(protocol, "success"));
}
