import { deleteMember, existingGroups, insertMember, rolesGrantedBy } from "../../directory/groups/index.ts";
import { changingGrants, shareRolesByName } from "../../directory/roles/index.ts";
import { addRoles, dropRoles } from "../../directory/users/index.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import { sourceOf } from "./control.ts";
import { assertMayLetGive } from "./grants.ts";
import { grantsMadeBy, type MadeGrant, recordGrants } from "./links.store.ts";
import type { MapperState } from "./mappers.schema.ts";
import { type Claims, countsNow, says } from "./mapping.ts";
import type { ProviderSnapshot } from "./provider.ts";

const isGranting = ({ type }: MapperState): boolean => type === "role" || type === "group";
const namesOf = (value: unknown): string[] => (value ?? []) as string[];

/** The ids of the roles and groups that mappers give for these claims. `followed` are those that a later answer may withdraw. */
export interface Given {
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly followed: readonly MadeGrant[];
}

/** Reads what `mappers` give, once for many users; `of` returns the grants for the claims of one user. Roles are kept from being deleted until commit. */
export async function grantsOfMappers(ctx: Ctx, { mappers, config }: Pick<ProviderSnapshot, "mappers" | "config">, isFirst: boolean) {
  const granting = mappers.filter((mapper) => isGranting(mapper) && countsNow(isFirst)(mapper));
  const firstRoles = isFirst ? namesOf(config.defaultRoles) : [];
  const firstGroups = isFirst ? namesOf(config.defaultGroups) : [];
  const roleNames = [...granting.flatMap(({ role }) => role ?? []), ...firstRoles];
  const groupIds = [...granting.flatMap(({ group }) => group ?? []), ...firstGroups];
  const roles = new Map((await shareRolesByName(ctx.tx, ctx.realm, roleNames)).map(({ name, roleId }) => [loginKey(name), roleId]));
  const groups = new Set(await existingGroups(ctx.tx, ctx.realm, groupIds));
  const rolesNamed = (names: readonly string[]) => [...new Set(names.flatMap((name) => roles.get(loginKey(name)) ?? []))];
  const groupsKnown = (ids: readonly string[]) => [...new Set(ids.map((id) => id.toLowerCase()).filter((id) => groups.has(id)))];
  return {
    isEmpty: roles.size === 0 && groups.size === 0,
    of(claims: Claims): Given {
      const matching = granting.filter((mapper) => says(mapper, claims));
      // A grant of an `import` mapper belongs to the user from then on.
      const forced = matching.filter(({ sync }) => sync === "force");
      return {
        roles: rolesNamed([...matching.flatMap(({ role }) => role ?? []), ...firstRoles]),
        groups: groupsKnown([...matching.flatMap(({ group }) => group ?? []), ...firstGroups]),
        followed: [
          ...rolesNamed(forced.flatMap(({ role }) => role ?? [])).map((targetId) => ({ kind: "role" as const, targetId })),
          ...groupsKnown(forced.flatMap(({ group }) => group ?? [])).map((targetId) => ({ kind: "group" as const, targetId })),
        ],
      };
    },
  };
}

export type MapperGrants = Awaited<ReturnType<typeof grantsOfMappers>>;

/**
 * Returns the roles and groups that the mappers of a directory or an identity provider grant to one user, by the user's present claims. Every way in which such
 * a source decides roles and groups uses it: sign-in, sync, link, and a move to a directory entry.
 */
const grantsFrom = async (
  ctx: Ctx,
  provider: Pick<ProviderSnapshot, "mappers" | "config">,
  claims: Claims,
  isFirst: boolean,
): Promise<Given> => (await grantsOfMappers(ctx, provider, isFirst)).of(claims);

/**
 * The escalation rule for an administrator who chooses a user's account at an outside source: the choice gives what the source will give. A person who signs in
 * there chooses nothing, nor does a sync: the administrator who saved the mappers needed the permissions that they give.
 */
export const assertMayChoose = async (ctx: Ctx, provider: Pick<ProviderSnapshot, "mappers" | "config">, claims: Claims): Promise<void> =>
  assertMayLetGive(ctx, await grantsFrom(ctx, provider, claims, false));

/**
 * Gives an existing user what the mappers give now, and withdraws what they gave before and no longer give. Roles and groups that the user already had stay.
 * The administrator who saved the mappers needed the permissions that they give. Records a change, and tells whether there was one.
 */
export async function followGrants(
  ctx: Ctx,
  provider: Pick<ProviderSnapshot, "providerId" | "protocol" | "alias" | "mappers" | "config">,
  claims: Claims,
  userId: string,
  isFirst: boolean,
): Promise<boolean> {
  const { providerId, protocol, alias } = provider;
  const made = await grantsMadeBy(ctx.tx, ctx.realm, providerId, userId);
  if (made.length === 0 && !isFirst && !provider.mappers.some(isGranting)) return false;
  const given = await grantsFrom(ctx, provider, claims, isFirst);
  const before = (kind: MadeGrant["kind"]) => made.filter((grant) => grant.kind === kind).map(({ targetId }) => targetId);
  const newRoles = await addRoles(ctx.tx, ctx.realm, userId, given.roles);
  const newGroups: string[] = [];
  for (const groupId of given.groups) if (await insertMember(ctx.tx, ctx.realm, groupId, userId, ctx.now)) newGroups.push(groupId);
  const lostRoles = before("role").filter((id) => !given.roles.includes(id));
  const lostGroups = before("group").filter((id) => !given.groups.includes(id));
  if (lostRoles.length + lostGroups.length > 0) {
    const asSystem = { ...ctx, actor: systemActor(ctx.realm) };
    const held = [...lostRoles, ...(await rolesGrantedBy(ctx.tx, ctx.realm, lostGroups))];
    await changingGrants(asSystem, held, async () => {
      await dropRoles(ctx.tx, ctx.realm, userId, lostRoles);
      for (const groupId of lostGroups) await deleteMember(ctx.tx, ctx.realm, groupId, userId);
    });
  }
  const isOurs = ({ kind, targetId }: MadeGrant) =>
    before(kind).includes(targetId) || (kind === "role" ? newRoles : newGroups).includes(targetId);
  const kept = given.followed.filter(isOurs);
  const isSame = kept.length === made.length && kept.every(({ kind, targetId }) => before(kind).includes(targetId));
  if (!isSame) await recordGrants(ctx.tx, ctx.realm, providerId, userId, kept);
  if (newRoles.length + newGroups.length + lostRoles.length + lostGroups.length === 0) return false;
  const detail = `roles and groups by ${sourceOf(protocol, alias)}`;
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail });
  return true;
}
