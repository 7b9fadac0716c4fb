import Type from "typebox";
import { preparePassword } from "../../directory/credentials/index.ts";
import { replaceOwnPassword } from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Question, TextKey } from "../authenticators/index.ts";
import { ReplacePassword } from "../pages/index.ts";

/** A new password, of an authenticated user. */
export const updatePassword: Question = {
  kind: "question",
  displayName: "Choose a new password",
  description: "Asks for a new password, which has to follow the realm's policy",
  config: Type.Object({}, { additionalProperties: false }),
  identifies: false,
  factor: null,
  counted: null,
  setUp: null,
  fields: ["newPassword", "newPasswordAgain"],
  choice: "chooseUpdatePassword",
  available: async ({ user }) => user !== null,
  page: ({ user, realm: { settings }, alert }, text) => ({
    title: "newPasswordTitle",
    lead: text.newPasswordText,
    body: (
      <ReplacePassword
        text={text}
        username={user!.username}
        policy={settings.passwordPolicy}
        invalid={alert?.blames ?? false}
        focus={alert === null}
      />
    ),
  }),
  answer: async ({ parts, realm, user, visitor, progress, interactionId }, { newPassword = "", newPasswordAgain }) => {
    if (newPassword !== newPasswordAgain)
      return { outcome: "again", problem: { title: "passwordMismatchTitle", text: "passwordMismatchText" } };
    const { userId, username } = user!;
    const reading = { tx: parts.db, realm: realm.realmId };
    const prepared = await preparePassword(reading, parts, realm.settings.passwordPolicy, user!, newPassword).catch(refusalOf);
    if ("text" in prepared) return { outcome: "again", problem: { title: "passwordRefusedTitle", text: prepared.text } };
    const { session } = visitor;
    const isOwn = session?.userId === userId && session.impersonator === null;
    const who = {
      ...{ userId, username },
      forgotten: progress.flow === "reset-credentials",
      keepSession: isOwn ? session.sessionId : null,
      keepInteraction: interactionId,
    };
    return {
      outcome: "passed",
      proof: { userId, factor: null, amr: [], writesUser: true, accept: (ctx) => replaceOwnPassword(ctx, prepared, who) },
    };
  },
};

const REASONS: Readonly<Record<string, TextKey>> = {
  "password.policy": "passwordRefusedText",
  "password.history": "passwordHistoryText",
  "password.breached": "passwordBreachedText",
  "credentials.password_elsewhere": "passwordInDirectoryText",
};

/** What the page can say about a password that is not good enough; anything else is thrown on. */
export function refusalOf(error: unknown): { readonly text: TextKey } {
  const text = error instanceof AppError ? REASONS[error.code] : undefined;
  if (!text) throw error;
  return { text };
}
