import encodeQR from "qr";
import { totpPlace } from "../../directory/credentials/index.ts";
import { addTotp } from "../../directory/users/index.ts";
import { base32 } from "../../kernel/base32.ts";
import { newId } from "../../kernel/ids.ts";
import { cut } from "../../kernel/text.ts";
import { AppSetup } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Question, question, type StepContext } from "./authenticator.ts";
import { codesPage, codesSaved, openForBrowser, sealForBrowser, storeFactor } from "./first-codes.tsx";
import { accountNameOf, typedDigits } from "./totp.tsx";
import { matchingStep, newTotpSecret, type TotpForm, totpUri } from "./totp-code.ts";

/** The data of the set-up until it is done. The secret is sealed. */
interface Kept {
  readonly secret: string;
  readonly form: TotpForm;
  readonly label: string;
}

const LABEL_LENGTH = 100;

/** Sets up a new authenticator app. It is stored once its first code was right. */
export const configureTotp: Question = {
  ...question,
  displayName: "Set up an authenticator app",
  description: "Shows the key for an authenticator app, asks for its first code, and shows recovery codes to those who have none",
  factor: "possession",
  // The page shows the key, so there is nothing to guess.
  counted: null,
  fields: [],
  choice: "totpSetupTitle",
  available: async ({ user }) => user !== null,
  begin: async (at) => {
    const { algorithm, digits, period } = at.realm.settings.totp;
    const form = { algorithm, digits, period };
    return { data: { secret: sealForBrowser(at, newTotpSecret(form).toString("base64url")), form, label: "" } satisfies Kept };
  },
  page: (at, text) => {
    const done = codesPage(at, text);
    if (done) return done;
    const { form, label, ...kept } = keptOf(at);
    const secret = Buffer.from(openForBrowser(at, kept.secret), "base64url");
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
    const saved = codesSaved(at);
    if (saved) return saved;
    const kept = keptOf(at);
    const secret = Buffer.from(openForBrowser(at, kept.secret), "base64url");
    const { drift } = at.realm.settings.totp;
    const step = matchingStep(secret, typedDigits(form.code), kept.form, { now: at.now, drift, after: -1 });
    const typed = { ...kept, label: cut((form.label ?? "").trim(), LABEL_LENGTH) };
    if (step === null) return { outcome: "again", data: typed, problem: { title: "codeWrongTitle", text: "totpSetupWrongText" } };
    const proof = { userId: at.user!.userId, factor: "possession", amr: ["otp"] } as const;
    return storeFactor(at, "CONFIGURE_TOTP", proof, storing(at, typed, step));
  },
};

/** Stores the app. The typed code is used up with it. */
const storing =
  (at: StepContext, { secret, form, label }: Kept, step: number) =>
  async (ctx: Ctx): Promise<true> => {
    const id = newId();
    const sealed = at.parts.vault.seal(openForBrowser(at, secret), totpPlace(ctx.realm, id));
    await addTotp(ctx, at.user!.userId, { id, secret: sealed, ...form, label: label === "" ? null : label, lastStep: step });
    return true;
  };

/** Returns the data of the set-up. An answer cannot come before its page, which begins the set-up. */
function keptOf({ data }: StepContext): Kept {
  if (data === null) throw new Error("The set-up of an authenticator app was answered before it began");
  return data as unknown as Kept;
}
