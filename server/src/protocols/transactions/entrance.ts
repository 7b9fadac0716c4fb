import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientSnapshot, Clients } from "../../applications/clients/index.ts";
import type { Actor } from "../../platform/context.ts";
import type { Cookies, LiveSession } from "../../signin/sessions/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { allowOrigin, type TokenReader } from "../gate/index.ts";
import { issuerOf } from "../tokens/index.ts";
import { transactionErrors } from "./errors.ts";
import type { Transaction } from "./schema.ts";

export interface BearerParts {
  readonly tokens: TokenReader;
  readonly clients: Clients;
  readonly cookies: Cookies;
  readonly baseUrl: string;
}

/** Who comes: a user, by an application's token or from our own page, or an application in its own name. */
export interface Comer {
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

const nothing = { permissions: new Set<string>(), sessionId: null, impersonator: null };

/** By `Authorization: Bearer`; throws the refusal that fits. */
export async function comeByToken(parts: BearerParts, request: FastifyRequest, reply: FastifyReply, realm: RealmSnapshot): Promise<Comer> {
  const issuer = issuerOf(parts.baseUrl, realm.realmId);
  if (parts.cookies.sessionToken(request, realm.realmId) !== undefined) throw transactionErrors.two_credentials();
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? "")?.[1];
  const live = token === undefined ? null : await parts.tokens.verifyAccessToken(realm.realmId, token);
  const client = live && (await parts.clients.get(realm.realmId, live.clientId));
  if (!client || !(live.audience.includes(issuer) || live.audience.includes(`${issuer}/tx`))) throw transactionErrors.bearer(issuer);
  // RFC 9449 §7.2: what was bound to a key is worth nothing without the proof, which this API does not take.
  if (live.confirmation !== null)
    throw transactionErrors.bearer(issuer, "The token is bound to a key and cannot be used as a bearer token");
  allowOrigin(request, reply, client);
  const { holder } = live;
  const common = { realm, client, sourceIp: request.ip, isTrusted: client.settings.firstParty || live.scopes.includes("account") };
  if (!holder) return { ...common, user: null, actor: { id: client.id, name: client.clientId, realm: realm.realmId, ...nothing } };
  const { userId, username, amr, sessionId, impersonator } = holder;
  return {
    ...common,
    user: { userId, username, amr },
    actor: {
      ...{ id: userId, name: username, realm: realm.realmId, permissions: new Set(), sessionId },
      // RFC 8693 §4.1: whoever acts for the user is not the user.
      impersonator: impersonator ?? (live.actor === null ? null : String(live.actor.sub)),
    },
  };
}

/** From our own page. */
export const comeBySession = (realm: RealmSnapshot, session: LiveSession, sourceIp: string): Comer => ({
  realm,
  client: null,
  isTrusted: true,
  sourceIp,
  user: { userId: session.userId, username: session.username, amr: session.amr },
  actor: {
    ...{ id: session.userId, name: session.username, realm: realm.realmId, permissions: new Set<string>() },
    ...{ sessionId: session.sessionId, impersonator: session.impersonator },
  },
});

/** The application that created it, in its own name or for its user; and the user, where they are asked by somebody they trust. */
export function maySee({ user, client, isTrusted }: Comer, transaction: Transaction): boolean {
  const isCreator = client?.clientId === transaction.clientId;
  return user ? user.userId === transaction.userId && (isCreator || isTrusted) : isCreator;
}
