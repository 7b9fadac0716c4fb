import { DAY, SECOND } from "../../../kernel/clock.ts";
import { isId } from "../../../kernel/ids.ts";
import { randomToken, sha256 } from "../../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../../platform/context.ts";
import type { ListQuery, Page } from "../../../platform/paging/index.ts";
import { registrationErrors } from "../errors.ts";
import { deleteToken, findToken, insertToken, listTokens } from "./initial-tokens.store.ts";
import type { CreatedInitialAccessToken, CreateInitialAccessToken, InitialAccessToken } from "./provisioning.schema.ts";

const about = { resourceType: "provisioning" } as const;
const named = ({ id, name }: InitialAccessToken) => `initial access token ${name ?? id}`;

export const searchTokens = (ctx: ReadCtx, query: ListQuery): Promise<Page<InitialAccessToken>> => listTokens(ctx.tx, ctx.realm, query);

export async function readToken(ctx: ReadCtx, id: string): Promise<InitialAccessToken> {
  const token = isId(id) ? await findToken(ctx.tx, ctx.realm, id) : null;
  if (!token) throw registrationErrors.token_not_found();
  return token;
}

/** The token is only in this response; its hash is stored. */
export async function createToken(ctx: Ctx, input: CreateInitialAccessToken): Promise<CreatedInitialAccessToken> {
  const { count = 1, lifetime = DAY / SECOND, name = null } = input ?? {};
  const token = randomToken();
  const expiresAt = ctx.now + lifetime * SECOND;
  const made = await insertToken(ctx.tx, ctx.realm, { hash: sha256(token), name, count, now: ctx.now, expiresAt });
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", ...about, resourceId: made.id, detail: named(made) });
  return { ...made, token };
}

/** Clients registered with the token stay. */
export async function removeToken(ctx: Ctx, id: string): Promise<void> {
  const deleted = isId(id) ? await deleteToken(ctx.tx, ctx.realm, id) : null;
  if (!deleted) throw registrationErrors.token_not_found();
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", ...about, resourceId: deleted.id, detail: named(deleted) });
}
