import type { ReadCtx } from "../../platform/context.ts";
import type { Page } from "../../platform/paging/index.ts";
import { readUser } from "../users/index.ts";
import { listOrganizationsOfUser } from "./of-user.store.ts";
import type { MemberQuery, UserOrganization } from "./schema.ts";

export async function searchOrganizationsOfUser(ctx: ReadCtx, id: string, query: MemberQuery): Promise<Page<UserOrganization>> {
  const { userId } = await readUser(ctx, id);
  return listOrganizationsOfUser(ctx.tx, ctx.realm, userId, query);
}
