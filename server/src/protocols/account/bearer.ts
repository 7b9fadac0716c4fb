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
  const live = await tokens.verifyAccessToken(realm, token);
  const client = live && (await clients.get(realm, live.clientId));
  if (!client || !isMeantForUs(live, issuer)) throw accountErrors.bearer(issuer);
  if (!tokens.isBroughtByOwner(live, request))
    throw accountErrors.bearer(issuer, UNPROVEN[live.confirmation?.jkt ? "proof" : "certificate"]);
  if (!live.holder) throw accountErrors.bearer(issuer, "The token stands for an application, not for a user");
  if (!mayManage(live, client, issuer)) throw accountErrors.insufficient_scope(issuer);
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

const accountOf = (issuer: string): string => `${issuer}/account`;

const isMeantForUs = ({ audience }: LiveToken, issuer: string): boolean =>
  audience.includes(issuer) || audience.includes(accountOf(issuer));

/**
 * Every client gets tokens for the realm itself, if only for userinfo: that alone must not let it change the user. It may if it was allowed
 * the resource `{issuer}/account` by name, if the user's token has the scope `account`, or if it is one of the realm's own applications.
 */
const mayManage = ({ audience, scopes }: LiveToken, { settings }: ClientSnapshot, issuer: string): boolean =>
  audience.includes(accountOf(issuer)) || scopes.includes("account") || settings.firstParty;
