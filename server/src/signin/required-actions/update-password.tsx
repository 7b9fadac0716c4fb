import { prepareReplacement } from "../../directory/credentials/index.ts";
import { replaceOwnPassword } from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { ReplacePassword } from "../../pages/index.ts";
import { actorOf } from "../../platform/context.ts";
import { type Answer, type Question, question, type StepContext, type TextKey } from "../authenticators/index.ts";

/** Asks an authenticated user for a new password. */
export const updatePassword: Question = {
  ...question,
  displayName: "Choose a new password",
  description: "Asks for a new password, which has to follow the realm's policy",
  factor: null,
  counted: null,
  // The present password can be guessed. Without that question, an authenticated user chooses freely.
  countedFor: async (at) => ((await asksCurrent(at)) ? "password" : null),
  fields: ["newPassword"],
  choice: "chooseUpdatePassword",
  // A password that only the directory can change does not block the sign-in. A user who asks for the page reads where to change it.
  available: async (at) =>
    at.user !== null && (at.request.actions?.includes("UPDATE_PASSWORD") === true || (await modeOf(at)) !== "read-only"),
  page: async (at, text) => {
    const { user, realm, alert } = at;
    const view = { text, username: user!.username, policy: realm.settings.passwordPolicy };
    if ((await modeOf(at)) === "read-only") return { title: "newPasswordTitle", lead: text.passwordInDirectoryText, body: <></> };
    return {
      title: "newPasswordTitle",
      lead: text.newPasswordText,
      errorAtField: true,
      body: <ReplacePassword {...view} asksCurrent={await asksCurrent(at)} invalid={alert?.blames ?? false} focus={alert === null} />,
    };
  },
  answer: async (at, { currentPassword = "", newPassword = "", newPasswordAgain }) => {
    const { parts, realm, user, visitor, progress, interactionId } = at;
    // Our page asks for the password once. If a client sends it twice, both have to be equal.
    if (newPasswordAgain !== undefined && newPassword !== newPasswordAgain) return again("passwordMismatchText", "passwordMismatchTitle");
    const current = (await asksCurrent(at)) ? currentPassword : null;
    if (current === "") return again("currentPasswordMissingText");
    const { userId, username } = user!;
    const reading = { tx: parts.db, realm: realm.realmId };
    const passwords = { next: newPassword, current };
    const prepared = await prepareReplacement(reading, parts, realm.settings.passwordPolicy, user!, passwords).catch(refusalOf);
    if (typeof prepared === "object" && "text" in prepared) {
      if (prepared.text !== "currentPasswordWrongText") return again(prepared.text);
      await recordWrongPassword(at);
      return { outcome: "wrong", title: "passwordWrongTitle", text: prepared.text };
    }
    const { session } = visitor;
    const isOwn = session?.userId === userId && session.impersonator === null;
    const who = {
      ...{ userId, username },
      forgotten: progress.flow === RESET_FLOW,
      keepSession: isOwn ? session.sessionId : null,
      keepInteraction: interactionId,
    };
    return {
      outcome: "passed",
      proof: { userId, factor: null, amr: [], writesUser: true, accept: (ctx) => replaceOwnPassword(ctx, prepared, who) },
    };
  },
};

const RESET_FLOW = "reset-credentials";

const modeOf = async ({ parts, realm, user }: StepContext) =>
  user?.isFromDirectory ? parts.directoryPasswords.modeOf(realm.realmId, user.userId) : "local";

/**
 * Tells whether the current password is needed. A password in a directory opens more than this realm, so only a user who knows it, or who
 * reads the mail to reset it, may change it.
 */
const asksCurrent = async (at: StepContext): Promise<boolean> => at.progress.flow !== RESET_FLOW && (await modeOf(at)) === "writable";

const again = (text: TextKey, title: TextKey = "passwordRefusedTitle"): Answer => ({ outcome: "again", problem: { title, text } });

async function recordWrongPassword({ parts, realm, user, visitor }: StepContext): Promise<void> {
  const { userId, username } = user!;
  const origin = {
    realm: realm.realmId,
    actor: actorOf({ id: userId, name: username, realm: realm.realmId }),
    sourceIp: visitor.sourceIp,
    requestId: visitor.requestId,
  };
  await parts.work.transact(origin, async (ctx) =>
    ctx.audit({
      ...{ category: "SECURITY", type: "PASSWORD_CHANGED", outcome: "FAILURE", resourceType: "users", resourceId: userId },
      detail: "wrong present password",
    }),
  );
}

const REASONS: Readonly<Record<string, TextKey>> = {
  "password.policy": "passwordRefusedText",
  "password.history": "passwordHistoryText",
  "password.breached": "passwordBreachedText",
  "password.wrong": "currentPasswordWrongText",
  "password.directory_policy": "passwordDirectoryPolicyText",
  "password.directory_history": "passwordDirectoryHistoryText",
  "password.directory_too_young": "passwordDirectoryTooYoungText",
  "password.directory_denied": "passwordDirectoryDeniedText",
  "password.entry_gone": "passwordDirectoryDeniedText",
  "credentials.password_elsewhere": "passwordInDirectoryText",
};

/** Returns the page's message for a refused password. Other errors are rethrown. */
export function refusalOf(error: unknown): { readonly text: TextKey } {
  const text = error instanceof AppError ? REASONS[error.code] : undefined;
  if (!text) throw error;
  return { text };
}
