import { dropRequiredAction } from "../../directory/users/index.ts";
import { CreatePasskey } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import {
  type Answer,
  codesPage,
  codesSaved,
  type Proof,
  type Question,
  question,
  type StepContext,
  storeFactor,
} from "../authenticators/index.ts";
import { addPasskey, checkRegistration, cleanLabel, creationOptions, type NewPasskey, whyNotAdded } from "../passkeys/index.ts";

const problem = (title: "passkeyExpired" | "passkeyNotMade" | "passkeyTaken" | "passkeyTooMany") =>
  ({ outcome: "again", problem: { title: `${title}Title`, text: `${title}Text` } }) as const satisfies Answer;

const reasons = { taken: "passkeyTaken", "too-many": "passkeyTooMany", spent: "passkeyExpired" } as const;

const registering = ({ realm, user, visitor, now }: StepContext) => ({ realm, user: user!, whose: visitor.preSession, now });

/** Asks an authenticated user for a first passkey, or another. A user without recovery codes gets some, because passkeys may be lost. */
export const configurePasskey: Question = {
  ...question,
  displayName: "Set up a passkey",
  description: "Makes a passkey on the user's device, adds it to their credentials, and shows recovery codes to those who have none",
  factor: null,
  counted: null,
  fields: [],
  choice: "passkeySetUpTitle",
  needsScripts: true,
  available: async ({ user }) => user !== null,
  page: async (at, text) => {
    const done = codesPage(at, text);
    if (done) return done;
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
    const saved = codesSaved(at);
    if (saved) return saved;
    const made = await checkRegistration(parts, registering(at), form.credential ?? "");
    if (typeof made === "string") return problem(made === "expired" ? "passkeyExpired" : "passkeyNotMade");
    const reason = await whyNotAdded(parts.db, realm, made);
    if (reason !== null) return problem(reasons[reason]);
    return storeFactor(at, "CONFIGURE_PASSKEY", proofOf(at, made), storing(at, made, cleanLabel(form.label)));
  },
};

/** Returns the proof. In place of a step that asks for a passkey, the set-up passes it. As a required action, it proves nothing new. */
function proofOf({ path, user }: StepContext, { passkey }: NewPasskey): Proof {
  const { userId } = user!;
  if (path.startsWith("action:")) return { userId, factor: null, amr: [] };
  return { userId, factor: "possession", amr: [passkey.deviceType === "singleDevice" ? "hwk" : "swk", "user"] };
}

/** Stores the passkey. Returns false if another tab has added it meanwhile, or has added the last one that is allowed. */
const storing =
  ({ realm, user }: StepContext, made: NewPasskey, label: string | null) =>
  async (ctx: Ctx): Promise<boolean> => {
    if ((await addPasskey(ctx, realm, made, label)) !== "added") return false;
    await dropRequiredAction(ctx.tx, ctx.realm, user!.userId, "CONFIGURE_PASSKEY");
    return true;
  };
