import { dropRequiredAction } from "../../directory/users/index.ts";
import { type Question, terms } from "../authenticators/index.ts";

/** Shows the page of the flow's step, even to users who have accepted before, because an administrator requires it. */
export const acceptTermsAction: Question = {
  ...terms,
  settled: async () => false,
  answer: async (at, form) => {
    const answer = await terms.answer(at, form);
    if (answer.outcome !== "passed") return answer;
    const { proof } = answer;
    return {
      outcome: "passed",
      proof: {
        ...proof,
        writesUser: true,
        async accept(ctx) {
          await dropRequiredAction(ctx.tx, ctx.realm, at.user!.userId, "ACCEPT_TERMS");
          return (await proof.accept?.(ctx)) ?? true;
        },
      },
    };
  },
};
