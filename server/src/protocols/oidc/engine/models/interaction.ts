import { type Interaction, type InteractionResults, Provider } from "oidc-provider";
import { SECOND } from "../../../../kernel/clock.ts";
import type { LiveSession } from "../../../../signin/sessions/index.ts";
import { resumedBy } from "./resumed.ts";
import { liveSessionOf } from "./session.ts";

/**
 * Somebody signs in for a request and, before it goes on, in another tab as somebody else: the session that there is by then counts, as
 * everywhere. The engine would sign them out by a page that is not ours. What the first one answered is not the second one's answer; and
 * that they signed in counts only where it was since the request came.
 */
export function followSession(provider: Provider): void {
  const model = provider.Interaction as unknown as { find(id: string): Promise<Interaction | undefined> };
  const { find } = model;
  model.find = async function (id) {
    const { ctx } = Provider;
    const known = resumedBy(ctx?.req)?.interaction;
    const interaction = known?.uid === id ? known : await find.call(this, id);
    if (interaction && ctx?.oidc?.route === "resume") forWhoeverIsHere(interaction);
    return interaction;
  };
}

/** Whose answer a result is, beside what the engine knows of it. */
export const ANSWERED_BY = "answeredBy";

function forWhoeverIsHere(interaction: Interaction): void {
  const session = liveSessionOf(Provider.ctx?.oidc?.session);
  if (!session || !interaction.result || "error" in interaction.result) return;
  const { login, ...answers } = interaction.result;
  const isTheirLogin = login === undefined || login.accountId === session.userId;
  interaction.result = {
    ...(answers[ANSWERED_BY] === session.userId && answers),
    ...(isTheirLogin ? login && { login } : loginSince(session, interaction.iat)),
  };
}

/** Whoever has just signed in has chosen; with an account that they had or with one that they made is up to them. */
export function loginSince(session: LiveSession, since: number): InteractionResults {
  const ts = Math.floor(session.authTime / SECOND);
  if (ts < since) return {};
  return { login: { accountId: session.userId, ts, acr: session.acr, amr: [...session.amr] }, select_account: {}, create: {} };
}
