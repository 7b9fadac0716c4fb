import { dropRequiredAction } from "../../directory/users/index.ts";
import { type Answer, type Question, question, type StepContext } from "../authenticators/index.ts";
import { CreatePasskey } from "../pages/index.ts";
import { addPasskey, checkRegistration, cleanLabel, creationOptions, whyNotAdded } from "../passkeys/index.ts";

const problem = (title: "passkeyExpired" | "passkeyNotMade" | "passkeyTaken" | "passkeyTooMany") =>
  ({ outcome: "again", problem: { title: `${title}Title`, text: `${title}Text` } }) as const satisfies Answer;

const reasons = { taken: "passkeyTaken", "too-many": "passkeyTooMany", spent: "passkeyExpired" } as const;

const registering = ({ realm, user, visitor, now }: StepContext) => ({ realm, user: user!, whose: visitor.preSession, now });

/** Asked of an authenticated user: a first passkey, or another. */
export const configurePasskey: Question = {
  ...question,
  displayName: "Set up a passkey",
  description: "Makes a passkey on the user's device and adds it to their credentials",
  factor: null,
  counted: null,
  fields: ["credential"],
  choice: "passkeySetUpTitle",
  available: async ({ user }) => user !== null,
  page: async (at, text) => ({
    title: "passkeySetUpTitle",
    lead: text.passkeySetUpText,
    body: <CreatePasskey text={text} options={JSON.stringify(await creationOptions(at.parts, registering(at)))} label="" />,
    script: "passkey.js",
  }),
  answer: async (at, form) => {
    const { parts, realm, path, user } = at;
    const made = await checkRegistration(parts, registering(at), form.credential ?? "");
    if (typeof made === "string") return problem(made === "expired" ? "passkeyExpired" : "passkeyNotMade");
    const reason = await whyNotAdded(parts.db, realm, made);
    if (reason !== null) return problem(reasons[reason]);
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
          if ((await addPasskey(ctx, realm, made, cleanLabel(form.label))) !== "added") return false;
          await dropRequiredAction(ctx.tx, ctx.realm, userId, "CONFIGURE_PASSKEY");
          return true;
        },
      },
    };
  },
};
