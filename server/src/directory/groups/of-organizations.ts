import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { findGroupId, groupPath } from "./paths.store.ts";
import { createGroup } from "./service.ts";

/** Begins the names of groups at the top below which organizations name groups themselves. */
const PREFIX = "organization:";

/** The group below which the organization of this alias names groups. It is made where there is none. */
export async function groupOfOrganization(ctx: Ctx, alias: string): Promise<string> {
  // Two that create the first group of an organization take turns.
  await lockRealm(ctx.tx, ctx.realm);
  const name = PREFIX + alias;
  const known = await findGroupId(ctx.tx, ctx.realm, groupPath([name]));
  return known ?? (await createGroup(ctx, { name, description: `The groups that ${alias} provisions` })).groupId;
}

/** The last of the names from the top down; the whole path where an organization has chosen it, and it may be the name of another group. */
export const groupName = (names: readonly string[]): string =>
  names.length > 1 && loginKey(names[0]!).startsWith(PREFIX) ? groupPath(names) : names.at(-1)!;
