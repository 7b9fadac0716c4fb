import { RECOVERY_CODE } from "../../directory/credentials/index.ts";
import { addRecoveryCodes, dropRequiredAction, newRecoveryCodes } from "../../directory/users/index.ts";
import { sha256 } from "../../kernel/vault.ts";
import { CreatePasskey, RecoveryCodeList } from "../../pages/index.ts";
import { type Answer, type Question, question, type StepContext } from "../authenticators/index.ts";
import { addPasskey, checkRegistration, cleanLabel, creationOptions, type NewPasskey, whyNotAdded } from "../passkeys/index.ts";

const problem = (title: "passkeyExpired" | "passkeyNotMade" | "passkeyTaken" | "passkeyTooMany") =>
  ({ outcome: "again", problem: { title: `${title}Title`, text: `${title}Text` } }) as const satisfies Answer;

const reasons = { taken: "passkeyTaken", "too-many": "passkeyTooMany", spent: "passkeyExpired" } as const;

const registering = ({ realm, user, visitor, now }: StepContext) => ({ realm, user: user!, whose: visitor.preSession, now });

/** A passkey that was made, until the user has kept the recovery codes that come with the first second factor. */
interface Kept {
  readonly made: NewPasskey;
  readonly label: string | null;
  /** Sealed. */
  readonly codes: string;
}

/** Sealed for a sign-in of this browser. */
const place = ({ realm, visitor }: StepContext) => ({
  realm: realm.realmId,
  table: "interactions",
  column: "state",
  row: sha256(visitor.preSession),
});
const codesIn = (at: StepContext, { codes }: Kept): string[] => JSON.parse(at.parts.vault.open(codes, place(at))) as string[];
const keptOf = ({ data }: StepContext): Kept | null => (data?.codes === undefined ? null : (data as unknown as Kept));

/** Asks an authenticated user for a first passkey, or another. A user without recovery codes gets some: a passkey may be lost, too. */
export const configurePasskey: Question = {
  ...question,
  displayName: "Set up a passkey",
  description: "Makes a passkey on the user's device, adds it to their credentials, and shows recovery codes to those who have none",
  factor: null,
  counted: null,
  fields: [],
  choice: "passkeySetUpTitle",
  available: async ({ user }) => user !== null,
  page: async (at, text) => {
    const kept = keptOf(at);
    if (kept) return { title: "recoveryTitle", lead: text.recoveryText, body: <RecoveryCodeList text={text} codes={codesIn(at, kept)} /> };
    const options = JSON.stringify(await creationOptions(at.parts, registering(at)));
    return {
      title: "passkeySetUpTitle",
      lead: text.passkeySetUpText,
      body: <CreatePasskey text={text} options={options} label="" />,
      script: "passkey.js",
    };
  },
  answer: async (at, form) => {
    const { parts, realm } = at;
    const kept = keptOf(at);
    if (kept) {
      // Meanwhile another tab may have added it, or the last one that is allowed.
      const late = await whyNotAdded(parts.db, realm, kept.made);
      return late === null ? finished(at, kept.made, kept.label, codesIn(at, kept)) : { ...problem(reasons[late]), data: {} };
    }
    const made = await checkRegistration(parts, registering(at), form.credential ?? "");
    if (typeof made === "string") return problem(made === "expired" ? "passkeyExpired" : "passkeyNotMade");
    const reason = await whyNotAdded(parts.db, realm, made);
    if (reason !== null) return problem(reasons[reason]);
    const label = cleanLabel(form.label);
    if (at.user!.credentials.has(RECOVERY_CODE)) return finished(at, made, label, null);
    const codes = parts.vault.seal(JSON.stringify(newRecoveryCodes()), place(at));
    return { outcome: "again", data: { made, label, codes } satisfies Kept };
  },
};

function finished({ realm, path, user }: StepContext, made: NewPasskey, label: string | null, codes: string[] | null): Answer {
  const { userId } = user!;
  return {
    outcome: "passed",
    proof: {
      userId,
      // In the place of a step that asks for one, it is the step. Asked for on top, it proves nothing that was not proven before.
      factor: path.startsWith("action:") ? null : "possession",
      amr: path.startsWith("action:") ? [] : [made.passkey.deviceType === "singleDevice" ? "hwk" : "swk", "user"],
      writesUser: true,
      accept: async (ctx) => {
        if ((await addPasskey(ctx, realm, made, label)) !== "added") return false;
        if (codes) await addRecoveryCodes(ctx, userId, codes);
        await dropRequiredAction(ctx.tx, ctx.realm, userId, "CONFIGURE_PASSKEY");
        return true;
      },
    },
  };
}
