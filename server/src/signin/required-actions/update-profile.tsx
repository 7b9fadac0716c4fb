import { dropRequiredAction, readUser, saveOwnProfile } from "../../directory/users/index.ts";
import { isMailAddress, loginKey, nameOf } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import { addresseeOf, type Question, question, type StepContext } from "../authenticators/index.ts";
import { Profile } from "../pages/index.ts";
import { askToChangeEmail } from "./change-email.ts";

/** Name and, if the realm allows changing it, email address. */
export const updateProfile: Question = {
  ...question,
  displayName: "Complete the profile",
  description: "Asks for first and last name, and for the email address where people may change theirs",
  factor: null,
  counted: null,
  fields: ["firstName", "lastName"],
  choice: "chooseUpdateProfile",
  // What a directory says of its users is changed there.
  available: async ({ user }) => user !== null && !user.isFromDirectory,
  page: ({ user, realm: { settings }, alert }, text) => ({
    title: "profileTitle",
    lead: settings.account.changeEmail ? `${text.profileText} ${text.profileEmailText}` : text.profileText,
    body: (
      <Profile
        text={text}
        firstName={textOf(user!.attributes.firstName)}
        lastName={textOf(user!.attributes.lastName)}
        email={settings.account.changeEmail ? (user!.email ?? "") : null}
        alert={alert}
      />
    ),
  }),
  answer: async (at, form) => {
    const { realm, user, parts } = at;
    const { userId, email: present } = user!;
    const [firstName, lastName] = [nameOf(form.firstName), nameOf(form.lastName)];
    const email = realm.settings.account.changeEmail && form.email !== undefined ? form.email.trim() || null : present;
    const isNew = email !== null && (present === null || loginKey(email) !== loginKey(present));
    if (firstName === null || lastName === null || (isNew && !isMailAddress(email)) || (email === null && present !== null))
      return { outcome: "again", problem: { title: "profileInvalidTitle", text: "profileInvalidText" } };
    // Shown on the page before the change: the sign-in continues with the current address.
    if (isNew && !(await parts.messages.canSend(parts.db, realm.realmId, "EMAIL")))
      return { outcome: "again", problem: { title: "mailedUnavailableTitle", text: "profileMailText" } };
    return {
      outcome: "passed",
      proof: {
        ...{ userId, factor: null, amr: [], writesUser: true },
        accept: (ctx) => save(ctx, at, { firstName, lastName, email: isNew ? present : email, newEmail: isNew ? email : null }),
      },
    };
  },
};

async function save(
  ctx: Ctx,
  { user, parts, visitor: { locale } }: StepContext,
  next: { readonly firstName: string; readonly lastName: string; readonly email: string | null; readonly newEmail: string | null },
): Promise<boolean> {
  const { userId, username } = user!;
  const current = await readUser(ctx, userId);
  const { firstName, lastName, email } = next;
  const attributes = { ...current.attributes, firstName, lastName };
  const changed = [
    ...(current.attributes.firstName === firstName ? [] : ["firstName"]),
    ...(current.attributes.lastName === lastName ? [] : ["lastName"]),
    ...(current.email === email ? [] : ["email"]),
  ];
  await dropRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PROFILE");
  if (changed.length > 0) {
    const asUser = {
      ...ctx,
      audit: (draft: Parameters<Ctx["audit"]>[0]) => ctx.audit({ ...draft, actor: { id: userId, name: username } }),
    };
    await saveOwnProfile(asUser, current, { username: current.username, email, attributes }, changed);
  }
  if (next.newEmail !== null) {
    await askToChangeEmail(ctx, parts, { user: { ...addresseeOf(user!), email: current.email }, locale }, next.newEmail);
  }
  return true;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
