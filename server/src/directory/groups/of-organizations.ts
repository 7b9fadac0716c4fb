import { loginKey } from "../../kernel/text.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { findGroupId, groupPath, ORGANIZATION as PREFIX } from "./paths.store.ts";
import { createGroup } from "./service.ts";

/** The group below which the organization of this alias names groups; null: it has named none. */
export const findGroupOfOrganization = ({ tx, realm }: ReadCtx, alias: string): Promise<string | null> =>
  findGroupId(tx, realm, groupPath([PREFIX + alias]));

/** It is made where there is none. */
export async function groupOfOrganization(ctx: Ctx, alias: string): Promise<string> {
  // Two that create the first group of an organization take turns.
  await lockRealm(ctx.tx, ctx.realm);
  const known = await findGroupOfOrganization(ctx, alias);
  return known ?? (await createGroup(ctx, { name: PREFIX + alias, description: `The groups that ${alias} provisions` })).groupId;
}

/** The last of the names from the top down; the whole path where an organization has chosen it, and it may be the name of another group. */
export const groupName = (names: readonly string[]): string =>
  names.length > 1 && loginKey(names[0]!).startsWith(PREFIX) ? groupPath(names) : names.at(-1)!;
