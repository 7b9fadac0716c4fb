import type { IncomingMessage } from "node:http";
import type { ClientSnapshot, Clients } from "../../applications/clients/index.ts";
import type { Actor } from "../../platform/context.ts";
import type { TokenReader } from "../gate/index.ts";
import type { LiveToken } from "../tokens/index.ts";
import { accountErrors } from "./errors.ts";

export interface BearerParts {
  readonly tokens: TokenReader;
  readonly clients: Clients;
}

/** Whom a token stands for, and which application brought it. */
export interface Brought {
  readonly actor: Actor;
  readonly client: ClientSnapshot;
}

/** Throws the refusal that fits. */
export async function enterByToken(
  { tokens, clients }: BearerParts,
  realm: string,
  issuer: string,
  token: string,
  request: IncomingMessage,
): Promise<Brought> {
  const isWrite = !["GET", "HEAD"].includes(request.method ?? "");
  const live = await tokens.verifyAccessToken(realm, token);
  const client = live && (await clients.get(realm, live.clientId));
  if (!client || !live.audience.includes(issuer)) throw accountErrors.bearer(issuer);
  if (!tokens.isBroughtByOwner(live, request))
    throw accountErrors.bearer(issuer, UNPROVEN[live.confirmation?.jkt ? "proof" : "certificate"]);
  if (!live.holder) throw accountErrors.bearer(issuer, "The token stands for an application, not for a user");
  if (!(isWrite ? mayChange(live) : mayRead(live, client))) throw accountErrors.insufficient_scope(issuer);
  const { userId, username, sessionId, impersonator } = live.holder;
  return {
    client,
    actor: {
      ...{ id: userId, name: username, realm, sessionId },
      // Whatever the user administers is no matter here.
      permissions: new Set(),
      // RFC 8693 §4.1: whoever acts for the user is not the user.
      impersonator: impersonator ?? (live.actor === null ? null : String(live.actor.sub)),
    },
  };
}

const UNPROVEN = {
  proof: "The token is bound to a key and cannot be used as a bearer token",
  certificate: "The token is bound to a certificate, which was not shown with this request",
} as const;

/** Every client gets tokens for the realm itself, if only for userinfo: none of them changes the user, unless it was given the scope for it. */
const mayChange = ({ scopes }: LiveToken): boolean => scopes.includes("account");

/** Nor does every client read what the account has: only those that may change it, and the realm's own. */
const mayRead = (token: LiveToken, { settings }: ClientSnapshot): boolean => mayChange(token) || settings.firstParty;
