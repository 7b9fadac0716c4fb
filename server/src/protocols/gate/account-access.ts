import type { LiveToken } from "../tokens/index.ts";
import type { PresentedAccess } from "./access-token.ts";

/** The scope by which an application acts on the whole account of a user. Only an administrator gives it to a client. */
export const ACCOUNT_SCOPE = "account";

/** A token with what counts of it here. */
type AccountToken = Pick<PresentedAccess, "client"> & { readonly live: Pick<LiveToken, "scopes"> };

/**
 * Every client gets tokens for the realm itself, if only for userinfo: none of them changes the user, unless an administrator gave the client itself
 * the scope for it. A token outlives that by minutes, and a scope that the realm gives to every client is not enough.
 */
export const mayChangeAccount = ({ live, client }: AccountToken): boolean =>
  live.scopes.includes(ACCOUNT_SCOPE) && client.scopes.includes(ACCOUNT_SCOPE);

/** Nor does every client see what the account has: only those that may change it, and the realm's own, unless an agent's, which acts by itself. */
export const mayReadAccount = (token: AccountToken): boolean =>
  mayChangeAccount(token) || (token.client.settings.firstParty && token.client.agent === null);
