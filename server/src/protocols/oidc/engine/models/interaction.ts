import { type Interaction, type InteractionResults, Provider } from "oidc-provider";
import { loginSince } from "../../authorize/index.ts";
import type { Answered } from "../../issuer.ts";
import { resumedBy } from "./resumed.ts";
import { liveSessionOf } from "./session.ts";

/**
 * A user signs in for a request and, before it goes on, as another user in another tab: the session that there is by then counts, as
 * everywhere. The engine would show a logout page of its own. What the first user answered is not the second one's answer; and that the
 * second one signed in counts only where it was after the request came.
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

/** Whose answer a result is, beside what the engine knows of it. */
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

/** The answer, and whose it is. The session that the request began in no longer matters: see above. */
export function answerInteraction({ interaction, session, answer }: Answered): Interaction {
  const asked = interaction as Interaction;
  const results: InteractionResults = answer;
  asked.result = "error" in results ? results : { ...asked.lastSubmission, ...results, [ANSWERED_BY]: session?.userId };
  asked.session = undefined;
  return asked;
}

export async function storeAnswer(answered: Answered): Promise<void> {
  await answerInteraction(answered).persist();
}
