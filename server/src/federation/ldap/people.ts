import { insertMembers } from "../../directory/groups/index.ts";
import { inSavepoint, insertNewUsers, type NewUser } from "../../directory/import/index.ts";
import { shareDefaultRole } from "../../directory/roles/index.ts";
import { deleteUser, fittingAttributes, readUserProfile, saveFederatedUser, userErrors } from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { AuditDraft, Ctx } from "../../platform/context.ts";
import { recordNewGrants } from "../providers/links.store.ts";
import { followGrants, grantsOfMappers } from "../providers/mapper-grants.ts";
import { mappedAttributes } from "../providers/mapping.ts";
import { type Directory, profileOf } from "./directory.ts";
import { insertEntries, type KnownEntry, saveEntry, takeFormerEntry } from "./entries.store.ts";
import { groupsOfClaims } from "./mapper-claims.ts";
import { groupsHash } from "./memberships.ts";
import type { Person } from "./person.ts";

export type Outcome = "created" | "updated" | "unchanged" | "disabled" | "taken" | { readonly message: string };

const ownerOf = (ctx: Ctx, { provider }: Directory) => ({ realm: ctx.realm, providerId: provider.providerId });

/** New users from entries that have none, by a statement per table. `taken`: another user has the name or the address. */
export async function createPeople(ctx: Ctx, directory: Directory, people: readonly Person[]): Promise<Map<Person, Outcome>> {
  const usual = await shareDefaultRole(ctx.tx, ctx.realm);
  const usualRoles = usual ? [usual.roleId] : [];
  const grants = await grantsForNew(ctx, directory);
  const rolesOf = (person: Person) => [...new Set([...usualRoles, ...grants.rolesOf(person)])];
  const profile = await readUserProfile(ctx);
  const users = new Map(
    people.map((person) => {
      const user = newUser(ctx, directory, person, rolesOf(person));
      return [person, { ...user, attributes: fittingAttributes(profile, user.attributes) }];
    }),
  );
  const inserted = await insertNewUsers(ctx.tx, ctx.realm, [...users.values()], ctx.now);
  const entries = [...users].filter(([, { userId }]) => inserted.has(userId)).map(([person, { userId }]) => ({ person, userId }));
  const linked = await insertEntries(ctx.tx, ownerOf(ctx, directory), entries, ctx.now);
  const outcomes = new Map<Person, Outcome>(people.map((person) => [person, "taken"]));
  for (const { person, userId } of entries) {
    // A sign-in on another node made the user at this very moment.
    if (!linked.has(person.subject)) {
      await deleteUser(ctx.tx, ctx.realm, userId);
      outcomes.set(person, "unchanged");
      continue;
    }
    ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "users", resourceId: userId, detail: directory.source });
    outcomes.set(person, "created");
  }
  await grants.complete(entries.filter(({ person }) => linked.has(person.subject)).map((entry) => ({ ...entry, usualRoles })));
  return outcomes;
}

const newUser = (ctx: Ctx, directory: Directory, person: Person, roleIds: readonly string[]): NewUser => ({
  userId: newId(),
  username: person.username,
  usernameKey: loginKey(person.username),
  email: person.email,
  emailKey: person.email === null ? null : loginKey(person.email),
  emailVerified: person.email !== null && directory.trustsEmail,
  enabled: person.enabled,
  attributes: {
    ...(person.firstName !== null && { firstName: person.firstName }),
    ...(person.lastName !== null && { lastName: person.lastName }),
    ...firstAttributes(directory, person),
  },
  requiredActions: [],
  passwordHash: null,
  roleIds,
  createdAt: ctx.now,
  source: directory.source,
});

/**
 * An entry with a new id and the name of a user whose own entry is gone becomes that user again, where the directory is configured so. Null: there is
 * no such user, or the directory makes a new one.
 */
export async function rejoinFormer(ctx: Ctx, directory: Directory, person: Person): Promise<Outcome | null> {
  if (!directory.returnsToFormer) return null;
  const userId = await takeFormerEntry(ctx.tx, ownerOf(ctx, directory), {
    subject: person.subject,
    usernameKey: loginKey(person.username),
  });
  if (userId === null) return null;
  const detail = `${directory.provider.alias}: another entry of the same name`;
  ctx.audit({ category: "SECURITY", type: "LINK_ADDED", resourceType: "users", resourceId: userId, detail });
  const known = { subject: person.subject, userId, dn: null, fingerprint: null, disabledBySync: true, groups: "" };
  return updatePerson(ctx, directory, person, known);
}

/** Gives a user what their entry says now, whole or not at all. */
export async function updatePerson(ctx: Ctx, directory: Directory, person: Person, known: KnownEntry): Promise<Outcome> {
  if (known.fingerprint === person.fingerprint) return "unchanged";
  const drafts: AuditDraft[] = [];
  const effects: (() => void)[] = [];
  const own: Ctx = { ...ctx, audit: (draft) => void drafts.push(draft), afterCommit: (effect) => void effects.push(effect) };
  try {
    const outcome = await inSavepoint(ctx.tx, async () => {
      const regrants = await followDirectory(own, directory, person, known.userId);
      let { disabledBySync } = known;
      const changed = await saveFederatedUser(own, known.userId, profileOf(directory, person), (enabled) => {
        // A user whom an administrator disabled stays disabled; one whom the directory disabled is enabled with their entry.
        const isOpen = person.enabled && (enabled || disabledBySync);
        disabledBySync = !person.enabled && (disabledBySync || enabled);
        return isOpen;
      });
      if (changed === null) return "unchanged";
      await saveEntry(ctx.tx, ownerOf(ctx, directory), { ...person, groups: groupsHash(groupsOfClaims(person)), disabledBySync });
      return changed.includes("disabled") ? "disabled" : changed.length > 0 || regrants ? "updated" : "unchanged";
    });
    for (const draft of drafts) ctx.audit(draft);
    for (const effect of effects) ctx.afterCommit(effect);
    return outcome;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await followAlone(ctx, directory, person, known.userId);
    return error.code === userErrors.login_name_taken().code ? "taken" : { message: error.message };
  }
}

/** A user whose new name is taken still loses what the directory no longer gives them. */
async function followAlone(ctx: Ctx, directory: Directory, person: Person, userId: string): Promise<void> {
  const drafts: AuditDraft[] = [];
  try {
    await inSavepoint(ctx.tx, () => followDirectory({ ...ctx, audit: (draft) => void drafts.push(draft) }, directory, person, userId));
    for (const draft of drafts) ctx.audit(draft);
  } catch (error) {
    // The last administrator stays one: that is what was refused.
    if (!(error instanceof AppError)) throw error;
  }
}

/** The attributes of a new user that are not undefined. */
const firstAttributes = ({ provider }: Directory, { claims }: Person): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(mappedAttributes(provider.mappers, claims, true)).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

/** Grants of mappers to new users: roles with the user, the rest by one statement per table. */
async function grantsForNew(ctx: Ctx, { provider }: Directory) {
  const grants = await grantsOfMappers(ctx, provider, true);
  return {
    rolesOf: ({ claims }: Person): readonly string[] => (grants.isEmpty ? [] : grants.of(claims).roles),
    async complete(
      people: readonly { readonly userId: string; readonly person: Person; readonly usualRoles: readonly string[] }[],
    ): Promise<void> {
      if (grants.isEmpty || people.length === 0) return;
      const given = people.map(({ userId, person, usualRoles }) => ({ userId, usualRoles, ...grants.of(person.claims) }));
      const members = given.flatMap(({ userId, groups }) => groups.map((groupId) => ({ userId, groupId })));
      await insertMembers(ctx.tx, ctx.realm, members, ctx.now);
      // The default role is the user's own, whatever a mapper says.
      const made = given.flatMap(({ userId, usualRoles, followed }) =>
        followed.filter(({ targetId }) => !usualRoles.includes(targetId)).map((grant) => ({ userId, ...grant })),
      );
      await recordNewGrants(ctx.tx, ctx.realm, provider.providerId, made);
    },
  };
}

/** Roles and groups of a user who is here follow the directory. Answers whether any changed. */
async function followDirectory(ctx: Ctx, { provider, source }: Directory, { claims }: Person, userId: string): Promise<boolean> {
  const changed = await followGrants(ctx, provider, claims, userId, false);
  if (changed)
    ctx.audit({
      category: "ADMIN",
      type: "ADMIN_UPDATE",
      resourceType: "users",
      resourceId: userId,
      detail: `roles and groups by ${source}`,
    });
  return changed;
}
