import Type from "typebox";
import { listTotp, TOTP, totpPlace, useTotp } from "../../directory/credentials/index.ts";
import { NO_ID } from "../../kernel/ids.ts";
import { CodeField, Named } from "../../pages/index.ts";
import { type Proof, type Question, question, type StepContext } from "./authenticator.ts";
import { isProven } from "./progress.ts";
import { matchingStep } from "./totp-code.ts";

/** Asks for the code of an authenticator app (RFC 6238). Each code works once. */
export const totp: Question = {
  ...question,
  displayName: "Authenticator app",
  description: "Asks for the code that the user's authenticator app shows (TOTP)",
  config: Type.Object(
    { setUp: Type.Optional(Type.Boolean({ default: true, description: "Offer to set one up to those who have none" })) },
    { additionalProperties: false },
  ),
  factor: "possession",
  counted: TOTP,
  setUp: "CONFIGURE_TOTP",
  fields: ["code"],
  choice: "chooseTotp",
  available: async ({ user, progress }) => !isProven(progress) || (user?.credentials.has(TOTP) ?? false),
  page: ({ realm, alert }, text) => ({
    title: "totpTitle",
    lead: <Named template={text.totpText} values={{ name: accountNameOf(realm) }} />,
    body: <CodeField text={text} digits={realm.settings.totp.digits} alert={alert} />,
    errorAtField: true,
  }),
  answer: async (at, form) => {
    const proof = await checkTotp(at, typedDigits(form.code));
    return proof ? { outcome: "passed", proof } : { outcome: "wrong", title: "codeWrongTitle", text: "codeWrongText" };
  },
};

/** Returns the proof of a code, or null if it is the code of none of the user's apps, or was used. */
async function checkTotp(
  {
    parts,
    realm: { realmId, settings },
    user,
    now,
  }: Pick<StepContext, "realm" | "now"> & {
    readonly parts: Pick<StepContext["parts"], "db" | "vault">;
    readonly user: { readonly userId: string } | null;
  },
  code: string,
): Promise<Proof | null> {
  for (const app of await listTotp(parts.db, realmId, user?.userId ?? NO_ID)) {
    const secret = Buffer.from(parts.vault.open(app.secret, totpPlace(realmId, app.id)), "base64url");
    const step = matchingStep(secret, code, app, { now, drift: settings.totp.drift, after: app.lastStep });
    if (step === null) continue;
    const { userId } = user!;
    return {
      ...{ userId, factor: "possession", amr: ["otp"] },
      accept: (ctx) => useTotp(ctx.tx, ctx.realm, userId, app.id, step, ctx.now),
    };
  }
  return null;
}

/** Returns the name under which an app lists the account. */
export const accountNameOf = ({ realmId, settings }: StepContext["realm"]): string => settings.displayName?.trim() || realmId;

/** Removes the spaces and dashes of a typed code. */
export const typedDigits = (typed: string | undefined): string => (typed ?? "").replace(/[\s-]/g, "");
