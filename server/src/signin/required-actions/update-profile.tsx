import { dropRequiredAction, readUser, saveOwnProfile } from "../../directory/users/index.ts";
import { suppliedMembers } from "../../federation/index.ts";
import { isMailAddress, loginKey, nameOf } from "../../kernel/text.ts";
import { Profile } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { addresseeOf, type Question, question, type StepContext } from "../authenticators/index.ts";
import { askToChangeEmail } from "./change-email.ts";

/** Name and, if the realm allows changing it, email address. */
export const updateProfile: Question = {
  ...question,
  displayName: "Complete the profile",
  description: "Asks for first and last name, and for the email address where people may change theirs",
  factor: null,
  counted: null,
  fields: ["firstName", "lastName"],
  isPartial: true,
  choice: "chooseUpdateProfile",
  available: async (at) => at.user !== null && (await offered(at)).size > 0,
  page: async (at, text) => {
    const { email, attributes } = at.user!;
    const members = await offered(at);
    const shown = (member: Member, value: string) => (members.has(member) ? value : null);
    return {
      title: "profileTitle",
      lead: members.has("email") ? `${text.profileText} ${text.profileEmailText}` : text.profileText,
      body: (
        <Profile
          text={text}
          firstName={shown("firstName", textOf(attributes.firstName))}
          lastName={shown("lastName", textOf(attributes.lastName))}
          email={shown("email", email ?? "")}
          alert={at.alert}
        />
      ),
    };
  },
  answer: async (at, form) => {
    const { realm, user, parts } = at;
    const { userId, email: present } = user!;
    const members = await offered(at);
    const names = NAMES.filter((member) => members.has(member)).map((member) => [member, nameOf(form[member])] as const);
    const email = members.has("email") && form.email !== undefined ? form.email.trim() || null : present;
    const isNew = email !== null && (present === null || loginKey(email) !== loginKey(present));
    if (names.some(([, name]) => name === null) || (isNew && !isMailAddress(email)) || (email === null && present !== null))
      return { outcome: "again", problem: { title: "profileInvalidTitle", text: "profileInvalidText" } };
    // Shown on the page before the change: the sign-in continues with the current address.
    if (isNew && !(await parts.messages.canSend(parts.db, realm.realmId, "EMAIL")))
      return { outcome: "again", problem: { title: "mailedUnavailableTitle", text: "profileMailText" } };
    return {
      outcome: "passed",
      proof: {
        ...{ userId, factor: null, amr: [], writesUser: true },
        accept: (ctx) =>
          save(ctx, at, { names: Object.fromEntries(names) as Names, email: isNew ? present : email, newEmail: isNew ? email : null }),
      },
    };
  },
};

const NAMES = ["firstName", "lastName"] as const;
type Member = (typeof NAMES)[number] | "email";
/** The requested names. */
type Names = Partial<Record<(typeof NAMES)[number], string>>;

/** The members that the user may change: none that a directory decides, and none that a scheme such as eIDAS has supplied. */
async function offered({ user, realm, parts }: StepContext): Promise<ReadonlySet<Member>> {
  if (user!.isFromDirectory) return new Set();
  const supplied = await suppliedMembers(parts.db, realm.realmId, user!.userId);
  const members: Member[] = realm.settings.account.changeEmail ? [...NAMES, "email"] : [...NAMES];
  return new Set(members.filter((member) => !supplied.has(member)));
}

async function save(
  ctx: Ctx,
  { user, parts, visitor: { locale } }: StepContext,
  { names, email, newEmail }: { readonly names: Names; readonly email: string | null; readonly newEmail: string | null },
): Promise<boolean> {
  const { userId, username } = user!;
  const current = await readUser(ctx, userId);
  const attributes = { ...current.attributes, ...names };
  const changed = [
    ...NAMES.filter((member) => attributes[member] !== current.attributes[member]),
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
  if (newEmail !== null) {
    await askToChangeEmail(ctx, parts, { user: { ...addresseeOf(user!), email: current.email }, locale }, newEmail);
  }
  return true;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
