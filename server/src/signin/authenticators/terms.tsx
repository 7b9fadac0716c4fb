import { Terms } from "../../pages/index.ts";
import { type Question, question } from "./authenticator.ts";
import { isProven } from "./progress.ts";
import { acceptTerms, hasAcceptedTerms, hasTerms } from "./terms.store.ts";

/** Asks for the acceptance of the realm's terms, once for each version of them. */
export const terms: Question = {
  ...question,
  displayName: "Terms",
  description: "Asks users who have not accepted the present version of the realm's terms; stands after the steps that prove who they are",
  factor: null,
  counted: null,
  fields: [],
  choice: "chooseTerms",
  // Before a proof everybody is asked, and nothing is stored.
  settled: async ({ parts, realm: { realmId, settings }, user, progress }) =>
    !hasTerms(settings) ||
    (user !== null && isProven(progress) && (await hasAcceptedTerms(parts.db, realmId, user.userId, settings.terms.version))),
  available: async ({ realm: { settings } }) => hasTerms(settings),
  page: ({ realm: { settings } }, text) => ({
    title: "termsTitle",
    lead: text.termsText,
    body: <Terms text={text} terms={settings.terms} />,
  }),
  answer: async ({ realm: { settings }, user, progress }, { decline }) => {
    if (decline !== undefined) return { outcome: "declined" };
    return {
      outcome: "passed",
      proof: {
        userId: null,
        factor: null,
        amr: [],
        async accept(ctx) {
          if (user !== null && isProven(progress)) await acceptTerms(ctx, user.userId, user.username, settings.terms.version);
          return true;
        },
      },
    };
  },
};
