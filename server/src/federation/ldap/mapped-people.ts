import { insertMembers } from "../../directory/groups/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { recordNewGrants } from "../providers/links.store.ts";
import { followGrants, grantsOfMappers } from "../providers/mapper-grants.ts";
import { mappedAttributes } from "../providers/mapping.ts";
import type { Directory } from "./directory.ts";
import type { Person } from "./person.ts";

/** The attributes of a new user that are not undefined. */
export const firstAttributes = ({ provider }: Directory, { claims }: Person): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(mappedAttributes(provider.mappers, claims, true)).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

/** Grants of mappers to new users: roles with the user, the rest by one statement per table. */
export async function grantsForNew(ctx: Ctx, { provider }: Directory) {
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
export async function followDirectory(ctx: Ctx, { provider, source }: Directory, { claims }: Person, userId: string): Promise<boolean> {
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
