import { dropRequiredAction, readUser, saveOwnProfile, type UserRow } from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { isMailAddress, loginKey } from "../../kernel/text.ts";
import { Profile } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { AskedAgain, addresseeOf, type Problem, type Question, question, type StepContext } from "../authenticators/index.ts";
import {
  type AskedAttribute,
  faultIn,
  fixedMembersOf,
  type ProfileFault,
  shownAttribute,
  shownInProfile,
  typedIn,
} from "../own-profile/index.ts";
import { askToChangeEmail } from "./change-email.ts";

/** Asks for the names, the attributes of the user profile that people may edit and, if the realm allows changing it, the email address. */
export const updateProfile: Question = {
  ...question,
  displayName: "Complete the profile",
  description: "Asks for names and the attributes of the user profile, and for the email address where people may change theirs",
  factor: null,
  counted: null,
  fields: [],
  isPartial: true,
  choice: "chooseUpdateProfile",
  available: async (at) => {
    if (at.user === null) return false;
    const { attributes, email } = await offered(at);
    return attributes.length > 0 || email;
  },
  page: async (at, text) => {
    const { email, attributes: stored } = at.user!;
    const asked = await offered(at);
    const { typed = {}, fault = null } = (at.data ?? {}) as Refused;
    const values = { ...stored, ...typed };
    const { settings } = at.realm;
    return {
      title: "profileTitle",
      lead: asked.email ? `${text.profileText} ${text.profileEmailText}` : text.profileText,
      body: (
        <Profile
          text={text}
          attributes={asked.attributes.map((each) =>
            shownAttribute(each, { text, locale: at.visitor.locale, settings, values, fault: at.alert && fault }),
          )}
          email={asked.email ? (email ?? "") : null}
          alert={at.alert}
        />
      ),
    };
  },
  answer: async (at, form) => {
    const { realm, user, parts } = at;
    const { userId, email: present, attributes: stored } = user!;
    const asked = await offered(at);
    const typed = typedIn(asked.attributes, form);
    const fault = faultIn(realm.settings.userProfile, asked.attributes, typed, stored);
    if (fault)
      return {
        outcome: "again",
        data: { typed, fault } satisfies Refused,
        problem: { title: fault.isMissing ? "missingTitle" : "profileInvalidTitle", text: "profileText" },
      };
    const email = asked.email && form.email !== undefined ? form.email.trim() || null : present;
    const isNew = email !== null && (present === null || loginKey(email) !== loginKey(present));
    if ((isNew && !isMailAddress(email)) || (email === null && present !== null))
      return { outcome: "again", data: { typed } satisfies Refused, problem: { title: "profileInvalidTitle", text: "profileInvalidText" } };
    if (isNew && !(await parts.messages.canSend(parts.db, realm.realmId, "EMAIL"))) return { outcome: "again", problem: unavailable };
    return {
      outcome: "passed",
      proof: {
        ...{ userId, factor: null, amr: [], writesUser: true },
        accept: (ctx) => save(ctx, at, { typed, email: isNew ? present : email, newEmail: isNew ? email : null }),
      },
    };
  },
};

type Typed = ReturnType<typeof typedIn>;
/** The values that are kept while the page is shown again. */
interface Refused {
  readonly typed?: Typed;
  readonly fault?: ProfileFault;
}

/** Returns the members that the user may change: none that a directory decides, and none that are fixed. */
async function offered({
  user,
  realm,
  parts,
}: StepContext): Promise<{ readonly attributes: readonly AskedAttribute[]; readonly email: boolean }> {
  if (user!.isFromDirectory) return { attributes: [], email: false };
  const fixed = await fixedMembersOf(parts.db, realm.realmId, user!.userId);
  const attributes = shownInProfile(realm.settings, { requiresNames: true }).filter(
    ({ name, edit }) => edit.includes("user") && !fixed.has(name),
  );
  return { attributes, email: realm.settings.account.changeEmail && !fixed.has("email") };
}

/** The sign-in continues with the current address. */
const unavailable: Problem = { title: "mailedUnavailableTitle", text: "profileMailText" };
/** The problems by the code of the refusal. */
const NOT_MAILED: Readonly<Record<string, Problem>> = {
  "account.mail_limited": { title: "mailedLimitedTitle", text: "mailedLimitedText", status: 429 },
  "account.mail_unavailable": unavailable,
};

async function save(
  ctx: Ctx,
  { user, parts, visitor: { locale } }: StepContext,
  { typed, email, newEmail }: { readonly typed: Typed; readonly email: string | null; readonly newEmail: string | null },
): Promise<boolean> {
  const { userId, username } = user!;
  const current = await readUser(ctx, userId);
  const attributes: UserRow["attributes"] = { ...current.attributes };
  for (const [name, value] of Object.entries(typed)) {
    if (value === null) delete attributes[name];
    else attributes[name] = value;
  }
  const isChanged = (name: string) => JSON.stringify(attributes[name]) !== JSON.stringify(current.attributes[name]);
  const changed = [...Object.keys(typed).filter(isChanged), ...(current.email === email ? [] : ["email"])];
  await dropRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PROFILE");
  if (changed.length > 0) {
    const asUser = {
      ...ctx,
      audit: (draft: Parameters<Ctx["audit"]>[0]) => ctx.audit({ ...draft, actor: { id: userId, name: username } }),
    };
    await saveOwnProfile(asUser, current, { username: current.username, email, attributes }, changed);
  }
  if (newEmail !== null) {
    const asker = { ...addresseeOf(user!), email: current.email, emailVerified: current.emailVerified };
    await askToChangeEmail(ctx, parts, { user: asker, locale }, newEmail).catch((error: unknown) => {
      const problem = error instanceof AppError ? NOT_MAILED[error.code] : undefined;
      if (problem) throw new AskedAgain({ data: { typed } satisfies Refused, problem });
      throw error;
    });
  }
  return true;
}
