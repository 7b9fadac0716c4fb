import type { FastifyRequest } from "fastify";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { permissionsOfUser } from "../../directory/roles/index.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { isWrite } from "../../platform/http/index.ts";
import { ACCOUNT_SCOPE, type Audience, mayChangeAccount, mayReadAccount } from "../gate/index.ts";
import { accountErrors } from "./errors.ts";

/** The access tokens that the account API accepts: a user's tokens for the realm itself. */
export const accountAudience: Audience = {
  names: (issuer) => [issuer],
  invalid: "The token is not valid for this realm's account, or not any more",
  session: "if-any",
  check(token, request) {
    if (!token.live.holder) return { error: "invalid_token", description: "The token stands for an application, not for a user" };
    return (isWrite(request) ? mayChangeAccount(token) : mayReadAccount(token)) ? null : NEEDS_SCOPE;
  },
};

const NEEDS_SCOPE = {
  error: "insufficient_scope",
  description: "The token needs the scope account: an administrator adds it to the client, which then requests it",
  scope: ACCOUNT_SCOPE,
} as const;

/** Requires the scope for data that a token may not even read without it, although it is the realm's own application's. */
export function assertHasScope({ accessToken, client }: Pick<FastifyRequest, "accessToken" | "client">): void {
  if (!accessToken || !client || !mayChangeAccount({ live: accessToken, client })) throw accountErrors.scope();
}

/**
 * Applies the escalation rule: an administrator of an application could use its tokens to change how a user signs in, and so become that
 * user. Users with admin permissions cannot change that through an application.
 */
export async function assertMayChangeSignIn({ tx, realm, actor }: ReadCtx, client: ClientSnapshot | null): Promise<void> {
  if (client && (await permissionsOfUser(tx, realm, actor.id)).length > 0) throw accountErrors.administrator();
}

export const changeSignIn = <T>(req: FastifyRequest, change: (ctx: Ctx) => Promise<T>): Promise<T> =>
  req.transact(async (ctx) => {
    await assertMayChangeSignIn(ctx, req.client);
    return change(ctx);
  });
