import encodeQR from "qr";
import { RECOVERY_CODE, totpPlace } from "../../directory/credentials/index.ts";
import { addRecoveryCodes, addTotp, newRecoveryCodes } from "../../directory/users/index.ts";
import { newId } from "../../kernel/ids.ts";
import { cut } from "../../kernel/text.ts";
import { sha256 } from "../../kernel/vault.ts";
import { AppSetup, RecoveryCodeList } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Answer, type Question, question, type StepContext } from "./authenticator.ts";
import { accountNameOf, typedDigits } from "./totp.tsx";
import { base32, matchingStep, newTotpSecret, type TotpForm, totpUri } from "./totp-code.ts";

/** The data of the set-up; every secret in it is sealed. */
interface Kept {
  readonly secret: string;
  readonly form: TotpForm;
  readonly label: string;
  /** Its code was right: what is left is to keep the recovery codes. */
  readonly step?: number;
  readonly codes?: string;
}

const LABEL_LENGTH = 100;

/**
 * A new authenticator app. It is stored once its first code was right and, with the first app, the recovery codes are kept: until then
 * nothing has changed for the user.
 */
export const configureTotp: Question = {
  ...question,
  displayName: "Set up an authenticator app",
  description: "Shows the key for an authenticator app, asks for its first code, and shows recovery codes to those who have none",
  factor: "possession",
  // The page shows the key: there is nothing to guess.
  counted: null,
  fields: [],
  choice: "totpSetupTitle",
  available: async ({ user }) => user !== null,
  begin: async (at) => {
    const { algorithm, digits, period } = at.realm.settings.totp;
    const form = { algorithm, digits, period };
    return { data: { secret: seal(at, newTotpSecret(form).toString("base64url")), form, label: "" } satisfies Kept };
  },
  page: (at, text) => {
    const { form, label, codes, ...kept } = keptOf(at);
    if (codes !== undefined)
      return {
        title: "recoveryTitle",
        lead: text.recoveryText,
        body: <RecoveryCodeList text={text} codes={JSON.parse(open(at, codes)) as string[]} />,
      };
    const secret = Buffer.from(open(at, kept.secret), "base64url");
    const names = { issuer: accountNameOf(at.realm), account: at.user!.username };
    const uri = totpUri(secret, form, names);
    return {
      title: "totpSetupTitle",
      lead: text.totpSetupText,
      body: (
        <AppSetup
          {...{ text, label, uri, digits: form.digits, ...names }}
          picture={encodeQR(uri, "raw", { ecc: "medium", border: 4 })}
          secret={base32(secret)}
        />
      ),
    };
  },
  answer: async (at, form) => {
    const kept = keptOf(at);
    if (kept.codes !== undefined) return finished(at, kept, kept.step!);
    const secret = Buffer.from(open(at, kept.secret), "base64url");
    const { drift } = at.realm.settings.totp;
    const step = matchingStep(secret, typedDigits(form.code), kept.form, { now: at.now, drift, after: -1 });
    const typed = { ...kept, label: cut((form.label ?? "").trim(), LABEL_LENGTH) };
    if (step === null) return { outcome: "again", data: typed, problem: { title: "codeWrongTitle", text: "totpSetupWrongText" } };
    if (at.user!.credentials.has(RECOVERY_CODE)) return finished(at, typed, step);
    return { outcome: "again", data: { ...typed, step, codes: seal(at, JSON.stringify(newRecoveryCodes())) } };
  },
};

function finished(at: StepContext, { secret, form, label, codes }: Kept, step: number): Answer {
  const { userId } = at.user!;
  const accept = async (ctx: Ctx) => {
    const id = newId();
    const sealed = at.parts.vault.seal(open(at, secret), totpPlace(ctx.realm, id));
    // The code that was typed is used up with it.
    await addTotp(ctx, userId, { id, secret: sealed, ...form, label: label === "" ? null : label, lastStep: step });
    if (codes !== undefined) await addRecoveryCodes(ctx, userId, JSON.parse(open(at, codes)) as string[]);
    return true;
  };
  return { outcome: "passed", proof: { userId, factor: "possession", amr: ["otp"], writesUser: true, accept } };
}

/** A page of it is shown after it has begun; an answer without one finds nothing to answer. */
function keptOf({ data }: StepContext): Kept {
  if (data === null) throw new Error("The set-up of an authenticator app was answered before it began");
  return data as unknown as Kept;
}

/** In a sign-in of this browser, and nowhere else. */
const place = ({ realm, visitor }: StepContext) => ({
  realm: realm.realmId,
  table: "interactions",
  column: "state",
  row: sha256(visitor.preSession),
});
const seal = (at: StepContext, plain: string): string => at.parts.vault.seal(plain, place(at));
const open = (at: StepContext, sealed: string): string => at.parts.vault.open(sealed, place(at));
