import { PasswordOnly } from "../../pages/index.ts";
import { acceptPassword, checkPassword, isExpired } from "../passwords/index.ts";
import { type Answer, type NamedUser, type Proof, type Question, question, type StepContext } from "./authenticator.ts";

const WRONG = { title: "passwordWrongTitle", text: "passwordWrongText" } as const;

/** The password alone, of a user named in a step before. */
export const password: Question = {
  ...question,
  displayName: "Password",
  description: "Asks for the password of the user who was named in a step before",
  factor: "knowledge",
  counted: "password",
  fields: ["password"],
  choice: "choosePassword",
  refusal: WRONG,
  // Before anything is proven, everybody has one.
  available: async ({ user, progress }) =>
    user === null || !progress.passed.some(({ factor }) => factor !== null) || user.credentials.has("password"),
  page: ({ progress, alert }, text) => ({
    title: "passwordTitle",
    errorAtField: true,
    body: <PasswordOnly text={text} username={progress.login ?? ""} alert={alert} />,
  }),
  answer: async (at, form) => {
    const { user, progress } = at;
    const login = progress.login ?? user?.username ?? "";
    // The account is checked again when the step is accepted: it may have been locked meanwhile.
    const known = user && { userId: user.userId, username: user.username, enabled: true, locked: false };
    const right = await checkRightPassword(at, { login, password: form.password ?? "", user: known });
    if (right === "elsewhere") return changeElsewhere;
    return right ? { outcome: "passed", proof: right } : { outcome: "wrong", ...WRONG };
  },
};

/** The password is right, so nothing was guessed; but its directory refuses the account, and accepts no new one from here. */
export const changeElsewhere = {
  outcome: "again",
  problem: { title: "passwordElsewhereTitle", text: "passwordElsewhereText" },
} as const satisfies Answer;

/** A password as a proof; null where it is wrong. */
export async function checkRightPassword(
  { parts, realm, now }: StepContext,
  { login, password, user }: { readonly login: string; readonly password: string; readonly user: NamedUser | null },
): Promise<Proof | "elsewhere" | null> {
  const right = await checkPassword(parts.sources, { realm: realm.realmId, login, password }, user);
  if (right === null || right === "elsewhere") return right;
  const { userId, checked, outdated } = right;
  const hasExpired = isExpired(realm, right, now);
  return {
    userId,
    factor: "knowledge",
    amr: ["pwd"],
    writesUser: hasExpired,
    accept: (ctx) => acceptPassword(ctx, right, hasExpired),
    accepted() {
      if (checked !== undefined && outdated) parts.upgrades.soon({ realm: realm.realmId, userId, password, checked });
    },
  };
}
