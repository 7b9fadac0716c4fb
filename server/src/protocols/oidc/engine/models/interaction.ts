import { type Interaction, type InteractionResults, Provider } from "oidc-provider";
import { loginSince } from "../../authorize/index.ts";
import type { Answered } from "../../issuer.ts";
import { resumedBy } from "../context.ts";
import { liveSessionOf } from "./session.ts";

/**
 * A user may sign in for a request and, before it resumes, as another user in another tab. The current session counts; the engine would show its own
 * logout page. Answers of the first user are dropped, and the second user's sign-in counts only if it was after the request.
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

/** The member of a result with the user who answered. */
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

/** Sets the answer and its user, and removes the session that the request began in: see above. */
export function answerInteraction({ interaction, session, answer }: Answered): Interaction {
  const asked = interaction as Interaction;
  const results: InteractionResults = answer;
  asked.result = "error" in results ? results : { ...asked.lastSubmission, ...results, [ANSWERED_BY]: session?.userId };
  asked.session = undefined;
  return asked;
}
