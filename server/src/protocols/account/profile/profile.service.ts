import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { isDirectorySource } from "../../../directory/credentials/index.ts";
import { keepOutsideProfile, readUser, saveOwnProfile, takeOwnUser, type UserRow } from "../../../directory/users/index.ts";
import { suppliedMembers } from "../../../federation/index.ts";
import { type FieldError, invalidFields } from "../../../kernel/errors.ts";
import { isMailAddress, loginKey } from "../../../kernel/text.ts";
import { assertRecent, type Ctx, type ReadCtx } from "../../../platform/context.ts";
import { refuseReadOnly } from "../../../platform/full-state.ts";
import type { MailParts } from "../../../signin/action-tokens/index.ts";
import { askToChangeEmail, notifyCurrentAddress, pendingEmailOf } from "../../../signin/required-actions/index.ts";
import type { Settings } from "../../../tenancy/settings/index.ts";
import { assertMayChangeSignIn } from "../audience.ts";
import { ownAttributes, type Profile, type UpdateProfile } from "./profile.schema.ts";
import { identifyingMembers } from "./profile.store.ts";

type Value = UserRow["attributes"][string];
type VersionedProfile = Profile & { readonly version: number };

const named = ["firstName", "lastName", "locale"] as const;
/** Members by which people sign in, or by which they are reached when they cannot. */
const SENSITIVE: readonly string[] = ["username", "email", "phoneNumber"];

/** An administrator may have written several. */
const first = (value: Value | undefined): string | null => (Array.isArray(value) ? (value[0] ?? null) : (value ?? null));
const isSame = (one: Value | null | undefined, other: Value | null | undefined) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

function toProfile(user: UserRow, pendingEmail: string | null): VersionedProfile {
  const { realmId, userId, username, email, emailVerified, attributes, createdAt, version } = user;
  return {
    ...{ realmId, userId, username, email, emailVerified, pendingEmail, createdAt, version },
    firstName: first(attributes.firstName),
    lastName: first(attributes.lastName),
    locale: first(attributes.locale),
    attributes: Object.fromEntries(ownAttributes.flatMap((name) => (name in attributes ? [[name, attributes[name]!]] : []))),
  };
}

export const readProfile = async (ctx: ReadCtx): Promise<VersionedProfile> =>
  toProfile(await readUser(ctx, ctx.actor.id), await pendingEmailOf(ctx, ctx.actor.id));

interface SaveOptions {
  readonly policy: Settings["account"];
  /** The client of the presented token. */
  readonly broughtBy: ClientSnapshot | null;
  readonly mail: MailParts;
}

/** Replaces what people say of themselves; everything else about the user stays as it is. */
export async function saveProfile(ctx: Ctx, input: UpdateProfile, { policy, broughtBy, mail }: SaveOptions): Promise<VersionedProfile> {
  const current = await takeOwnUser(ctx);
  const pendingEmail = await pendingEmailOf(ctx, current.userId);
  refuseReadOnly({ ...current, pendingEmail }, input, ["realmId", "userId", "createdAt", "emailVerified", "pendingEmail"]);
  const next = {
    username: input.username ?? current.username,
    email: input.email ?? null,
    attributes: nextAttributes(current.attributes, input),
  };
  const changed = changedMembers(current, next);
  if (changed.length === 0) return toProfile(current, pendingEmail);
  await keepOutsideProfile(ctx, current, next, fieldOf);
  await refuseFixed(ctx, changed, policy);
  if (changed.some((member) => SENSITIVE.includes(member))) {
    await assertMayChangeSignIn(ctx, broughtBy);
    assertRecent(ctx.actor);
  }
  const { email } = next;
  const isNewAddress = email !== null && (current.email === null || loginKey(email) !== loginKey(current.email));
  const asker = { user: { id: current.userId, username: current.username, email: current.email, attributes: current.attributes } };
  if (isNewAddress) {
    refuseUnreachable(email);
    await askToChangeEmail(ctx, mail, asker, email);
  } else if (email === null && current.email !== null) await notifyCurrentAddress(ctx, mail, asker);
  const saved = isNewAddress ? { ...next, email: current.email } : next;
  const savedMembers = isNewAddress ? changed.filter((member) => member !== "email") : changed;
  const user = savedMembers.length === 0 ? current : await saveOwnProfile(ctx, current, saved, savedMembers);
  return toProfile(user, isNewAddress ? email : pendingEmail);
}

function refuseUnreachable(email: string): void {
  if (!isMailAddress(email))
    throw invalidFields([
      { field: "email", code: "format", message: "email must be an address that mail can be sent to, like ada@example.com" },
    ]);
}

function nextAttributes(current: UserRow["attributes"], input: UpdateProfile): UserRow["attributes"] {
  const next = { ...current };
  const put = (name: string, value: Value | null | undefined) => {
    if (value === null || value === undefined) delete next[name];
    else next[name] = value;
  };
  // A value that comes back as it was shown is left as it is.
  for (const name of named) if ((input[name] ?? null) !== first(current[name])) put(name, input[name]);
  for (const name of ownAttributes) put(name, input.attributes?.[name]);
  // Another number was never shown to be theirs.
  if (!isSame(next.phoneNumber, current.phoneNumber)) delete next.phoneNumberVerified;
  return next;
}

function changedMembers(current: UserRow, next: Pick<UserRow, "username" | "email" | "attributes">): string[] {
  const own: readonly string[] = [...named, ...ownAttributes];
  return [
    ...(["username", "email"] as const).filter((member) => current[member] !== next[member]),
    ...own.filter((name) => !isSame(current.attributes[name], next.attributes[name])),
  ];
}

/** The member's name in the request. */
const fieldOf = (member: string): string => ((ownAttributes as readonly string[]).includes(member) ? `attributes.${member}` : member);

/** Members that the realm does not let people change, and those by which applications know them: a user who chose these freely could pose as another. */
async function refuseFixed(ctx: Ctx, changed: readonly string[], policy: Settings["account"]): Promise<void> {
  const { fixed, identifying } = await fixedMembers(ctx, policy);
  const errors = changed
    .filter((member) => fixed.has(member))
    .map((member): FieldError => {
      const field = fieldOf(member);
      const why = identifying.has(member) ? ", because applications know you by it" : "";
      return { field, code: "read_only", message: `${field} can be changed by an administrator only${why}` };
    });
  if (errors.length > 0) throw invalidFields(errors);
}

async function fixedMembers({ tx, realm }: ReadCtx, policy: Settings["account"]) {
  const identifying = await identifyingMembers(tx, realm);
  const fixed = new Set([...(policy.changeUsername ? [] : ["username"]), ...(policy.changeEmail ? [] : ["email"]), ...identifying]);
  return { fixed, identifying };
}

/** The members that a page need not offer to change: a write would be refused. */
export async function readOnlyMembers(ctx: ReadCtx, policy: Settings["account"]): Promise<ReadonlySet<string>> {
  const { userId, source } = await readUser(ctx, ctx.actor.id);
  const { fixed } = await fixedMembers(ctx, policy);
  const supplied = await suppliedMembers(ctx.tx, ctx.realm, userId);
  return new Set([...fixed, ...supplied, ...(isDirectorySource(source) ? ["username", "email", "firstName", "lastName"] : [])]);
}
