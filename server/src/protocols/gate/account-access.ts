import type { LiveToken } from "../tokens/index.ts";
import type { PresentedAccess } from "./access-token.ts";

/** The scope by which an application acts on a user's whole account. Only an administrator gives it to a client. */
export const ACCOUNT_SCOPE = "account";

/** The parts of a token that matter here. */
type AccountToken = Pick<PresentedAccess, "client"> & { readonly live: Pick<LiveToken, "scopes"> };

/**
 * Tells whether a token may change the user. Every client gets tokens for the realm itself, if only for userinfo, so an administrator must
 * have given the client itself the scope. A token outlives that by minutes, and a scope that the realm gives to every client is not enough.
 */
export const mayChangeAccount = ({ live, client }: AccountToken): boolean =>
  live.scopes.includes(ACCOUNT_SCOPE) && client.scopes.includes(ACCOUNT_SCOPE);

/** Tells whether a token may read the account: it may change it, or is of the realm's own application, unless that is an agent's. */
export const mayReadAccount = (token: AccountToken): boolean =>
  mayChangeAccount(token) || (token.client.settings.firstParty && token.client.agent === null);
