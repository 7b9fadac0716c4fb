import { type Interaction, type InteractionResults, Provider } from "oidc-provider";
import { loginSince } from "../../authorize/index.ts";
import type { Answered } from "../../issuer.ts";
import { resumedBy } from "../context.ts";
import { liveSessionOf } from "./session.ts";

/**
 * Drops the answers of another user. A user may sign in for a request and, before it resumes, another user in another tab. The current
 * session counts; the engine would show its own logout page. The second user's sign-in counts only if it was after the request.
 */
export function overrideInteractions(provider: Provider): void {
  const model = provider.Interaction as unknown as { find(id: string): Promise<Interaction | undefined> };
  const { find } = model;
  model.find = async function (id) {
    const { ctx } = Provider;
    const known = resumedBy(ctx?.req)?.interaction;
    const interaction = known?.uid === id ? known : await find.call(this, id);
    if (interaction && ctx?.oidc?.route === "resume") keepAnswersOfCurrentUser(interaction);
    return interaction;
  };
}

/** The member of a result that names the user who answered. */
const ANSWERED_BY = "answeredBy";

function keepAnswersOfCurrentUser(interaction: Interaction): void {
  const session = liveSessionOf(Provider.ctx?.oidc?.session);
  if (!session || !interaction.result || "error" in interaction.result) return;
  const { login, ...answers } = interaction.result;
  const isTheirLogin = login === undefined || login.accountId === session.userId;
  interaction.result = {
    ...(answers[ANSWERED_BY] === session.userId && answers),
    ...(isTheirLogin ? login && { login } : loginSince(session, interaction.iat)),
  };
}

/** Sets the answer and its user. Removes the session in which the request began, because the current session counts. */
export function answerInteraction({ interaction, session, answer }: Answered): Interaction {
  const asked = interaction as Interaction;
  const results: InteractionResults = answer;
  asked.result = "error" in results ? results : { ...asked.lastSubmission, ...results, [ANSWERED_BY]: session?.userId };
  asked.session = undefined;
  return asked;
}
