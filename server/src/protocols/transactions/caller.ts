import type { FastifyRequest } from "fastify";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import type { Actor } from "../../platform/context.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import type { LiveSession } from "../../signin/sessions/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { type Audience, mayReadAccount } from "../gate/index.ts";
import type { Transaction } from "./schema.ts";

/** Accepts access tokens for the realm itself, or for the resource `{issuer}/tx`. */
export const transactionAudience: Audience = {
  names: (issuer) => [issuer, `${issuer}/tx`],
  invalid: "Send an access token of this realm: Authorization: Bearer <token>",
};

/** The caller: a user, by a client's token or by the session, or a client by its own token. */
export interface TransactionCaller {
  readonly realm: RealmSnapshot;
  readonly actor: Actor;
  /** The user, or null for a client credentials token. */
  readonly user: { readonly userId: string; readonly username: string; readonly amr: readonly string[] } | null;
  /** The user's session, of this browser or of the token, or null for offline access. */
  readonly session: LiveSession | { readonly sessionId: string } | null;
  readonly userAgent: string | null;
  /** The client of the token, or null for a session. */
  readonly client: ClientSnapshot | null;
  /** True if the client may see and sign all transactions of the user, not only its own. */
  readonly isTrusted: boolean;
  readonly sourceIp: string;
  readonly requestId: string;
}

export function callerOf({ realm, actor, client, accessToken, visitor, ip, id, headers }: FastifyRequest): TransactionCaller {
  const user = accessToken ? accessToken.holder : visitor.session!;
  const behind = accessToken?.holder?.sessionId ?? null;
  return {
    ...{ realm, client, actor: actor!, ...requestSource({ ip, id }), userAgent: headers["user-agent"] ?? null },
    session: accessToken ? (behind === null ? null : { sessionId: behind }) : visitor.session,
    user: user && { userId: user.userId, username: user.username, amr: user.amr },
    isTrusted: client === null || (accessToken !== null && mayReadAccount({ live: accessToken, client })),
  };
}

/** Tells whether the caller may see a transaction: the client that created it, or the user, by the session or through a trusted client. */
export function maySee({ user, client, isTrusted }: TransactionCaller, transaction: Transaction): boolean {
  const isCreator = client?.clientId === transaction.clientId;
  return user ? user.userId === transaction.userId && (isCreator || isTrusted) : isCreator;
}
