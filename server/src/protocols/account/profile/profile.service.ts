import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { isDirectorySource } from "../../../directory/credentials/index.ts";
import {
  checkProfile,
  keepOutsideProfile,
  readUser,
  saveOwnProfile,
  takeOwnUser,
  type UserRow,
  withPhoneProof,
} from "../../../directory/users/index.ts";
import { suppliedMembers } from "../../../federation/index.ts";
import { type FieldError, invalidFields } from "../../../kernel/errors.ts";
import { isMailAddress, loginKey } from "../../../kernel/text.ts";
import { assertRecent, type Ctx, type ReadCtx } from "../../../platform/context.ts";
import { refuseReadOnly } from "../../../platform/full-state.ts";
import { endAddressChange, type MailParts } from "../../../signin/action-tokens/index.ts";
import { identifyingMembers } from "../../../signin/own-profile/index.ts";
import { askToChangeEmail, notifyCurrentAddress, pendingEmailOf } from "../../../signin/required-actions/index.ts";
import { attributesOf, readUserProfile, type Settings, standardAttributes, type UserProfile } from "../../../tenancy/settings/index.ts";
import { assertMayChangeSignIn } from "../audience.ts";
import type { Profile, UpdateProfile } from "./profile.schema.ts";

type Value = UserRow["attributes"][string];
type VersionedProfile = Profile & { readonly version: number };

/** The attributes that are members of the profile by themselves. */
const named = ["firstName", "lastName", "locale"] as const;
const isNamed = (name: string): boolean => (named as readonly string[]).includes(name);
/** The members by which people sign in, or by which they are reached if they cannot. */
const SENSITIVE: readonly string[] = ["username", "email", "phoneNumber"];

/** Returns the first value, because an administrator may have set several. */
const first = (value: Value | undefined): string | null => (Array.isArray(value) ? (value[0] ?? null) : (value ?? null));
const isSame = (one: Value | null | undefined, other: Value | null | undefined) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** Returns the attributes that users see of themselves, and those that they may change. */
function ownAttributes(profile: UserProfile): { readonly seen: readonly string[]; readonly changed: ReadonlySet<string> } {
  const declared = [...attributesOf(profile).values()].filter(({ name, view }) => view.includes("user") && !isNamed(name));
  const standard = profile.standardAttributes ? standardAttributes.filter((name) => !attributesOf(profile).has(name)) : [];
  const editable = declared.filter(({ edit }) => edit.includes("user"));
  return { seen: [...standard, ...declared.map(({ name }) => name)], changed: new Set([...standard, ...editable.map(({ name }) => name)]) };
}

function toProfile(profile: UserProfile, user: UserRow, pendingEmail: string | null): VersionedProfile {
  const { realmId, userId, username, email, emailVerified, attributes, createdAt, version } = user;
  return {
    ...{ realmId, userId, username, email, emailVerified, pendingEmail, createdAt, version },
    firstName: first(attributes.firstName),
    lastName: first(attributes.lastName),
    locale: first(attributes.locale),
    attributes: Object.fromEntries(
      ownAttributes(profile).seen.flatMap((name) => (Object.hasOwn(attributes, name) ? [[name, attributes[name]!]] : [])),
    ),
  };
}

export const readProfile = async (ctx: ReadCtx): Promise<VersionedProfile> =>
  toProfile(await readUserProfile(ctx), await readUser(ctx, ctx.actor.id), await pendingEmailOf(ctx, ctx.actor.id));

interface SaveOptions {
  readonly policy: Settings["account"];
  /** The client of the presented token. */
  readonly broughtBy: ClientSnapshot | null;
  readonly mail: MailParts;
  /** The attributes of a form. Required ones may not be left empty there. */
  readonly asked?: ReadonlySet<string>;
}

/** Replaces the data that users manage themselves. Everything else about the user remains. */
export async function saveProfile(ctx: Ctx, input: UpdateProfile, options: SaveOptions): Promise<VersionedProfile> {
  const { policy, broughtBy, mail, asked } = options;
  const current = await takeOwnUser(ctx);
  const profile = await readUserProfile(ctx);
  const pendingEmail = input.pendingEmail === null ? await withdrawAddress(ctx, current.userId) : await pendingEmailOf(ctx, current.userId);
  refuseReadOnly({ ...current, pendingEmail }, input, ["realmId", "userId", "createdAt", "emailVerified", "pendingEmail"]);
  const next = {
    username: input.username ?? current.username,
    email: input.email ?? null,
    attributes: nextAttributes(profile, current.attributes, input),
  };
  const changed = changedMembers(profile, current, next);
  checkProfile(profile, {
    ...{ by: "user", current: current.attributes, next: next.attributes, fieldOf },
    named: asked ?? new Set(Object.keys(input.attributes ?? {})),
  });
  if (changed.length === 0) return toProfile(profile, current, pendingEmail);
  next.attributes = withPhoneProof(current.attributes, next.attributes);
  await keepOutsideProfile(ctx, current, next, fieldOf);
  await refuseFixed(ctx, changed, policy);
  if (changed.some((member) => SENSITIVE.includes(member))) {
    await assertMayChangeSignIn(ctx, broughtBy);
    assertRecent(ctx.actor);
  }
  const { email } = next;
  const isNewAddress = email !== null && (current.email === null || loginKey(email) !== loginKey(current.email));
  const asker = { user: { ...current, id: current.userId } };
  if (isNewAddress) {
    refuseUnreachable(email);
    await askToChangeEmail(ctx, mail, asker, email);
  } else if (email === null && current.email !== null) await notifyCurrentAddress(ctx, mail, asker);
  const saved = isNewAddress ? { ...next, email: current.email } : next;
  const savedMembers = isNewAddress ? changed.filter((member) => member !== "email") : changed;
  const user = savedMembers.length === 0 ? current : await saveOwnProfile(ctx, current, saved, savedMembers);
  return toProfile(profile, user, isNewAddress ? email : pendingEmail);
}

/** Withdraws a new address that is not confirmed yet. The current one remains, and the link to the other one ends. */
export async function withdrawAddress(ctx: Ctx, userId: string): Promise<null> {
  if ((await pendingEmailOf(ctx, userId)) === null) return null;
  await endAddressChange(ctx, { userId });
  ctx.audit({ category: "SECURITY", type: "PROFILE_CHANGED", resourceType: "users", resourceId: userId, detail: "pendingEmail" });
  return null;
}

function refuseUnreachable(email: string): void {
  if (!isMailAddress(email))
    throw invalidFields([{ field: "email", code: "format", message: "email must be a valid mail address, such as ada@example.com" }]);
}

function nextAttributes(profile: UserProfile, current: UserRow["attributes"], input: UpdateProfile): UserRow["attributes"] {
  const { seen, changed } = ownAttributes(profile);
  const sent = input.attributes ?? {};
  const unknown = Object.keys(sent).filter((name) => !seen.includes(name));
  if (unknown.length > 0)
    throw invalidFields(
      unknown.map((name) => ({ field: `attributes.${name}`, code: "unknown", message: `attributes.${name} is not a known member` })),
    );
  const next = { ...current };
  const put = (name: string, value: Value | null | undefined) => {
    if (value === null || value === undefined) delete next[name];
    else next[name] = value;
  };
  // A value that is sent back as it was shown remains.
  for (const name of named) if ((input[name] ?? null) !== first(current[name])) put(name, input[name]);
  // An attribute that the user may not change remains, unless the request contains it, which is refused.
  for (const name of seen) if (changed.has(name) || Object.hasOwn(sent, name)) put(name, sent[name]);
  return next;
}

function changedMembers(profile: UserProfile, current: UserRow, next: Pick<UserRow, "username" | "email" | "attributes">): string[] {
  const names = [...named, ...ownAttributes(profile).seen];
  return [
    ...(["username", "email"] as const).filter((member) => current[member] !== next[member]),
    ...names.filter((name) => !isSame(current.attributes[name], next.attributes[name])),
  ];
}

/** Returns the member's name in the request. */
const fieldOf = (member: string): string => (isNamed(member) || isName(member) ? member : `attributes.${member}`);
const isName = (member: string): boolean => member === "username" || member === "email";

/** Refuses members that the realm does not let users change, or by which others know users: users could pose as others by them. */
async function refuseFixed(ctx: Ctx, changed: readonly string[], policy: Settings["account"]): Promise<void> {
  const { fixed, identifying } = await fixedMembers(ctx, policy);
  const errors = changed
    .filter((member) => fixed.has(member))
    .map((member): FieldError => {
      const field = fieldOf(member);
      const why = identifying.has(member) ? ", because others know you by it, or decide by it" : "";
      return { field, code: "read_only", message: `${field} can be changed only by an administrator${why}` };
    });
  if (errors.length > 0) throw invalidFields(errors);
}

async function fixedMembers({ tx, realm }: ReadCtx, policy: Settings["account"]) {
  const identifying = await identifyingMembers(tx, realm);
  const fixed = new Set([...(policy.changeUsername ? [] : ["username"]), ...(policy.changeEmail ? [] : ["email"]), ...identifying]);
  return { fixed, identifying };
}

/** Returns the members that a page need not offer to change, because a write would be refused. */
export async function readOnlyMembers(ctx: ReadCtx, policy: Settings["account"]): Promise<ReadonlySet<string>> {
  const { userId, source } = await readUser(ctx, ctx.actor.id);
  const { fixed } = await fixedMembers(ctx, policy);
  const closed = [...attributesOf(await readUserProfile(ctx)).values()].filter(({ edit }) => !edit.includes("user"));
  const supplied = await suppliedMembers(ctx.tx, ctx.realm, userId);
  const names = [...fixed, ...supplied, ...closed.map(({ name }) => name)];
  return new Set([...names, ...(isDirectorySource(source) ? ["username", "email", "firstName", "lastName"] : [])]);
}
