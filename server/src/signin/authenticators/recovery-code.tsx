import { findRecoveryCodes, RECOVERY_CODE } from "../../directory/credentials/index.ts";
import { acceptRecoveryCode, checkRecoveryCode } from "../../directory/users/index.ts";
import { CodeField } from "../../pages/index.ts";
import { type Question, question, type StepContext } from "./authenticator.ts";
import { isProven } from "./progress.ts";

/** Asks for one of the recovery codes, which users keep in case they lose their phone. */
export const recoveryCode: Question = {
  ...question,
  displayName: "Recovery code",
  description: "Asks for one of the codes that the user was given with their second factor; each works once",
  factor: "possession",
  counted: RECOVERY_CODE,
  fields: ["code"],
  choice: "chooseRecovery",
  available: async ({ user, progress }) => !isProven(progress) || (user?.credentials.has(RECOVERY_CODE) ?? false),
  page: async (at, text) => {
    const left = await leftOf(at);
    const hint = left === null ? undefined : text.recoveryLeft.replace("{count}", String(left));
    return {
      title: "recoveryAskTitle",
      lead: text.recoveryAskText,
      body: <CodeField text={text} hint={hint} digits={null} alert={at.alert} />,
      errorAtField: true,
    };
  },
  answer: async ({ parts, realm, user }, form) => {
    const hash = user && (await checkRecoveryCode(parts.db, realm.realmId, user.userId, form.code ?? ""));
    if (!user || hash === null) return { outcome: "wrong", title: "codeWrongTitle", text: "codeWrongText" };
    const { userId } = user;
    return {
      outcome: "passed",
      proof: { userId, factor: "possession", amr: ["recovery"], accept: (ctx) => acceptRecoveryCode(ctx, userId, hash) },
    };
  },
};

/** Returns how many codes are left. Only after a first proof, because the number reveals that the account exists and has codes. */
async function leftOf({ parts, realm, user, progress }: StepContext): Promise<number | null> {
  if (!user || !isProven(progress)) return null;
  return (await findRecoveryCodes(parts.db, realm.realmId, user.userId))?.hashes.length ?? null;
}
