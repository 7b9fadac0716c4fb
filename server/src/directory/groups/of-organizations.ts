import { loginKey } from "../../kernel/text.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { findGroupId, groupPath, ORGANIZATION as PREFIX } from "./paths.store.ts";
import { createGroup } from "./service.ts";

/** Finds the group below which the organization of this alias names groups. Returns null if it has named none. */
export const findGroupOfOrganization = ({ tx, realm }: ReadCtx, alias: string): Promise<string | null> =>
  findGroupId(tx, realm, groupPath([PREFIX + alias]));

/** Returns the same group, which is created if there is none. */
export async function groupOfOrganization(ctx: Ctx, alias: string): Promise<string> {
  // Two requests that create the first group of an organization take turns.
  await lockRealm(ctx.tx, ctx.realm);
  const known = await findGroupOfOrganization(ctx, alias);
  return known ?? (await createGroup(ctx, { name: PREFIX + alias, description: `The groups that ${alias} provisions` })).groupId;
}

/** Returns the last name of a path. For a group that an organization named, returns the whole path, because other groups may have the same name. */
export const groupName = (names: readonly string[]): string =>
  names.length > 1 && loginKey(names[0]!).startsWith(PREFIX) ? groupPath(names) : names.at(-1)!;
