import type { IncomingMessage } from "node:http";
import {
  adminAudience,
  type ClientSnapshot,
  type Clients,
  findServiceAccountPermissions,
  getsUserTokens,
} from "../../applications/clients/index.ts";
import { permissionsOfUser } from "../../directory/roles/index.ts";
import type { Actor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { TokenReader } from "../../protocols/gate/index.ts";
import type { LiveToken } from "../../protocols/tokens/index.ts";
import { MASTER } from "../../tenancy/realms/index.ts";

/** Whom a bearer token stands for in this realm; null when it is not valid there. */
export type BearerAuthenticator = (token: string, realm: string, request: IncomingMessage) => Promise<Actor | null>;

export interface BearerParts {
  readonly db: Db;
  readonly clients: Clients;
  readonly tokens: TokenReader;
  readonly baseUrl: string;
}

/** Access tokens for `{base_url}/admin`: of the realm itself, or of `master`, whose administrators work in every realm. */
export function createAdminBearer({ db, clients, tokens, baseUrl }: BearerParts): BearerAuthenticator {
  const audience = adminAudience(baseUrl);
  return async (token, realm, request) => {
    const live =
      (await tokens.verifyAccessToken(realm, token)) ?? (realm === MASTER ? null : await tokens.verifyAccessToken(MASTER, token));
    if (!live?.audience.includes(audience) || live.isFromFrontChannel || !tokens.isBroughtByOwner(live, request)) return null;
    const client = await clients.get(live.realm, live.clientId);
    if (!client || !mayCall(client, live, audience)) return null;
    const spell = (name: string) => (live.realm === realm ? name : `${live.realm}/${name}`);
    const permissions = new Set<string>(await permissionsOf(db, live, client));
    const { holder, actor } = live;
    if (!holder)
      return {
        id: client.id,
        name: spell(client.clientId),
        realm: live.realm,
        permissions,
        sessionId: null,
        impersonator: null,
        isClient: true,
      };
    return {
      id: holder.userId,
      name: spell(holder.username),
      realm: live.realm,
      permissions,
      sessionId: holder.sessionId,
      // RFC 8693 §4.1: the trail names who acts for the user, too.
      impersonator: holder.impersonator ?? (actor === null ? null : String(actor.sub)),
    };
  };
}

/** Tokens outlive what a client may ask for by minutes; a client that may not ask any more is not let in by an old one. */
function mayCall({ grantTypes, allowedResources, settings }: ClientSnapshot, { holder }: LiveToken, audience: string): boolean {
  const mayAsk = allowedResources.includes(audience) || settings.audience.includes(audience);
  const { responseTypes } = settings;
  return mayAsk && (holder !== null ? getsUserTokens({ grantTypes, responseTypes }) : grantTypes.includes("client_credentials"));
}

/**
 * Read fresh, as with a session. A user's permissions are for the user alone: an impersonator, an actor (RFC 8693 §4.1) and an agent that
 * acts for them have none of these.
 */
async function permissionsOf(db: Db, live: LiveToken, client: ClientSnapshot): Promise<readonly string[]> {
  const { realm, holder, actor, payload } = live;
  if (!holder) return findServiceAccountPermissions(db, realm, client.id);
  const isActedFor = holder.impersonator !== null || actor !== null || (payload.nhi !== undefined && payload.nhi !== false);
  return isActedFor ? [] : permissionsOfUser(db, realm, holder.userId);
}
