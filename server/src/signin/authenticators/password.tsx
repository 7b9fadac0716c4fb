import { type PasswordAnswer, type PasswordQuestion, type PasswordSource, usePassword } from "../../directory/credentials/index.ts";
import { addRequiredAction } from "../../directory/users/index.ts";
import { DAY } from "../../kernel/clock.ts";
import { Credentials, PasswordOnly, welcome } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { type Answer, type NamedUser, type Proof, type Question, question, type StepContext } from "./authenticator.ts";
import { isTicked } from "./username.tsx";

const WRONG = { title: "passwordWrongTitle", text: "passwordWrongText" } as const;

/** Asks for the password alone, of a user named in a step before. */
export const password: Question = {
  ...question,
  displayName: "Password",
  description: "Asks for the password of the user who was named in a step before",
  factor: "knowledge",
  counted: "password",
  fields: ["password"],
  choice: "choosePassword",
  refusal: WRONG,
  // Before a proof, everybody counts as having a password.
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
    // The account is checked again when the step is accepted, because it may have been locked meanwhile.
    const known = user && { userId: user.userId, username: user.username, enabled: true, locked: false };
    const right = await checkRightPassword(at, { login, password: form.password ?? "", user: known });
    if (right === "elsewhere") return changeElsewhere;
    return right ? { outcome: "passed", proof: right } : { outcome: "wrong", ...WRONG };
  },
};

/** Asks for name and password on one page. */
export const usernamePassword: Question = {
  ...question,
  displayName: "Username and password",
  description: "Asks for the username or email address and the password on one page",
  identifies: true,
  factor: "knowledge",
  counted: "password",
  fields: ["username", "password"],
  choice: "chooseUsernamePassword",
  nameIn: (form) => form.username ?? "",
  available: async () => true,
  page: ({ progress, request, realm: { settings }, visitor, alert }, text) => ({
    title: "signInTitle",
    lead: welcome(settings, visitor.locale),
    errorAtField: true,
    body: (
      <Credentials
        text={text}
        username={progress.login ?? progress.home?.login ?? request.loginHint ?? ""}
        alert={alert}
        rememberMe={settings.sessions.rememberMe ? progress.remember : null}
      />
    ),
  }),
  answer: async (at, form) => {
    const { login, user } = at.named!;
    const right = await checkRightPassword(at, { login, password: form.password ?? "", user });
    if (right === "elsewhere") return changeElsewhere;
    if (!right) return { outcome: "wrong", title: "credentialsTitle", text: "credentialsText", login };
    return { outcome: "passed", proof: { ...right, login, remember: isTicked(form.rememberMe) } };
  },
};

/**
 * The password is right, so nothing was guessed. Its directory refuses the account until the password is changed, and accepts no new one
 * from here.
 */
const changeElsewhere = {
  outcome: "again",
  problem: { title: "passwordElsewhereTitle", text: "passwordElsewhereText" },
} as const satisfies Answer;

/** Returns the proof of a password, or null if it is wrong. */
async function checkRightPassword(
  { parts, realm, now, attempted }: StepContext,
  { login, password, user }: { readonly login: string; readonly password: string; readonly user: NamedUser | null },
): Promise<Proof | "elsewhere" | null> {
  const right = await checkPassword(parts.sources, { realm: realm.realmId, login, password, attempted }, user);
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

type RightPassword = PasswordAnswer & { verdict: "right" };

/** Tells whether the realm or the source of the password requires a new one. */
const isExpired = ({ settings: { passwordPolicy } }: RealmSnapshot, { setAt, mustChange }: RightPassword, now: number): boolean =>
  mustChange === true || (setAt !== undefined && passwordPolicy.maxAgeDays !== null && setAt + passwordPolicy.maxAgeDays * DAY <= now);

/** Records the use of the password. The user's row must be locked. Returns false if the password has changed since. */
async function acceptPassword(ctx: Ctx, { userId, checked, accepted }: RightPassword, hasExpired: boolean): Promise<boolean> {
  if (checked !== undefined && !(await usePassword(ctx.tx, ctx.realm, userId, checked, ctx.now))) return false;
  if (hasExpired) await addRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PASSWORD");
  await accepted?.(ctx);
  return true;
}

/**
 * Checks the password. Returns null for a wrong one, and for a user who may not sign in; both take as long as a right one. `elsewhere` is a
 * right password that must first be replaced in its directory.
 */
async function checkPassword(
  sources: readonly PasswordSource[],
  asked: Omit<PasswordQuestion, "userId">,
  user: { readonly userId: string; readonly enabled: boolean; readonly locked: boolean } | null,
): Promise<RightPassword | "elsewhere" | null> {
  const question = { ...asked, userId: user?.userId ?? null };
  let decided: PasswordSource | null = null;
  for (const source of sources) {
    const answer = await source.check(question);
    if (answer.verdict === "unknown") continue;
    decided = source;
    const isShutOut = user !== null && (!user.enabled || user.locked);
    if (!isShutOut && answer.verdict !== "wrong") return answer.verdict === "elsewhere" ? "elsewhere" : answer;
    break;
  }
  // A wrong password of a local user gets the same answer, and takes the same time, as an unknown name.
  if (user !== null) for (const source of sources) if (source !== decided) await source.probe?.(question);
  return null;
}
