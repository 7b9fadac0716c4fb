import { insertMembers } from "../../directory/groups/index.ts";
import { insertNewUsers, type NewUser } from "../../directory/import/index.ts";
import { shareDefaultRole } from "../../directory/roles/index.ts";
import { deleteUser, fittingAttributes, refusalOfUsername } from "../../directory/users/index.ts";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import { readUserProfile } from "../../tenancy/settings/index.ts";
import { recordNewGrants } from "../providers/links.store.ts";
import type { MapperGrants } from "../providers/mapper-grants.ts";
import { mappedAttributes } from "../providers/mapping.ts";
import type { Directory } from "./directory.ts";
import { insertEntries } from "./entries.store.ts";
import type { Person } from "./person.ts";

export type Outcome = "created" | "updated" | "unchanged" | "disabled" | "taken" | { readonly message: string };

export const ownerOf = (ctx: Ctx, { provider }: Directory) => ({ realm: ctx.realm, providerId: provider.providerId });

/** Creates users for entries that have none, with one statement per table; `grants` are those of the mappers. `taken`: another user has the name or address. */
export async function createPeople(
  ctx: Ctx,
  directory: Directory,
  people: readonly Person[],
  grants: MapperGrants,
): Promise<Map<Person, Outcome>> {
  const usual = await shareDefaultRole(ctx.tx, ctx.realm);
  const usualRoles = usual ? [usual.roleId] : [];
  const rolesOf = ({ claims }: Person) => [...new Set([...usualRoles, ...(grants.isEmpty ? [] : grants.of(claims).roles)])];
  const profile = await readUserProfile(ctx);
  const users = new Map(
    people.flatMap((person) => {
      if (refusalOfUsername(person.username)) return [];
      const user = newUser(ctx, directory, person, rolesOf(person));
      return [[person, { ...user, attributes: fittingAttributes(profile, user.attributes) }] as const];
    }),
  );
  const inserted = await insertNewUsers(ctx.tx, ctx.realm, [...users.values()], ctx.now);
  const entries = [...users].filter(([, { userId }]) => inserted.has(userId)).map(([person, { userId }]) => ({ person, userId }));
  const linked = await insertEntries(ctx.tx, ownerOf(ctx, directory), entries, ctx.now);
  const outcomes = new Map<Person, Outcome>(people.map((person) => [person, refusalOfUsername(person.username) ?? "taken"]));
  for (const { person, userId } of entries) {
    // A sign-in on another node created the user in the meantime.
    if (!linked.has(person.subject)) {
      await deleteUser(ctx.tx, ctx.realm, userId);
      outcomes.set(person, "unchanged");
      continue;
    }
    ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", resourceType: "users", resourceId: userId, detail: directory.source });
    outcomes.set(person, "created");
  }
  const kept = entries.filter(({ person }) => linked.has(person.subject));
  await giveRest(ctx, directory, grants, kept, usualRoles);
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

/** Returns the attributes that mappers give to a new user, without undefined ones. */
const firstAttributes = ({ provider }: Directory, { claims }: Person): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(mappedAttributes(provider.mappers, claims, true)).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

/** Gives new users, who already have their roles, the groups of mappers, and records the grants that follow the directory. */
async function giveRest(
  ctx: Ctx,
  { provider }: Directory,
  grants: MapperGrants,
  people: readonly { readonly userId: string; readonly person: Person }[],
  usualRoles: readonly string[],
): Promise<void> {
  if (grants.isEmpty || people.length === 0) return;
  const given = people.map(({ userId, person }) => ({ userId, ...grants.of(person.claims) }));
  const members = given.flatMap(({ userId, groups }) => groups.map((groupId) => ({ userId, groupId })));
  await insertMembers(ctx.tx, ctx.realm, members, ctx.now);
  // The default role belongs to the user, even if a mapper gives it too.
  const made = given.flatMap(({ userId, followed }) =>
    followed.filter(({ targetId }) => !usualRoles.includes(targetId)).map((grant) => ({ userId, ...grant })),
  );
  await recordNewGrants(ctx.tx, ctx.realm, provider.providerId, made);
}
