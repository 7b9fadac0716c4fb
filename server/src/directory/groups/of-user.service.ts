import type { ReadCtx } from "../../platform/context.ts";
import type { Page } from "../../platform/paging/index.ts";
import { readUser } from "../users/index.ts";
import { listGroupsOfUser } from "./of-user.store.ts";
import type { UserGroup, UserGroupQuery } from "./schema.ts";

export async function searchGroupsOfUser(ctx: ReadCtx, id: string, query: UserGroupQuery): Promise<Page<UserGroup>> {
  const { userId } = await readUser(ctx, id);
  return listGroupsOfUser(ctx.tx, ctx.realm, userId, query);
}
