import type { FastifyRequest } from "fastify";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import type { Actor } from "../../platform/context.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { Audience } from "../gate/index.ts";
import type { Transaction } from "./schema.ts";

/** The access tokens that this API takes: for the realm itself, or for the resource `{issuer}/tx`. */
export const transactionAudience: Audience = {
  names: (issuer) => [issuer, `${issuer}/tx`],
  invalid: "Send an access token of this realm: Authorization: Bearer <token>",
};

/** A user, by an application's token or from our own page, or an application in its own name. */
export interface TransactionCaller {
  readonly realm: RealmSnapshot;
  readonly actor: Actor;
  /** Null: an application in its own name. */
  readonly user: { readonly userId: string; readonly username: string; readonly amr: readonly string[] } | null;
  /** Null: from our own page. */
  readonly client: ClientSnapshot | null;
  /** It may see and sign whatever waits for the user, not only what it asked for itself. */
  readonly isTrusted: boolean;
  readonly sourceIp: string;
}

export function callerOf({ realm, actor, client, accessToken, visitor, ip }: FastifyRequest): TransactionCaller {
  const user = accessToken ? accessToken.holder : visitor.session!;
  return {
    ...{ realm, client, actor: actor!, sourceIp: ip },
    user: user && { userId: user.userId, username: user.username, amr: user.amr },
    isTrusted: client === null || client.settings.firstParty || (accessToken?.scopes.includes("account") ?? false),
  };
}

/** The application that created it, in its own name or for its user; and the user, by their session or through a trusted application. */
export function maySee({ user, client, isTrusted }: TransactionCaller, transaction: Transaction): boolean {
  const isCreator = client?.clientId === transaction.clientId;
  return user ? user.userId === transaction.userId && (isCreator || isTrusted) : isCreator;
}
