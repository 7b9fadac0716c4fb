import {
  adminAudience,
  type ClientSnapshot,
  findServiceAccountPermissions,
  getsUserTokens,
  mayAddress,
} from "../../applications/clients/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Audience, PresentedAccess, SessionRules } from "../../protocols/gate/index.ts";
import type { LiveToken } from "../../protocols/tokens/index.ts";
import { actorOfSession, type LiveSession } from "../../signin/sessions/index.ts";
import { MASTER, type RealmSnapshots } from "../../tenancy/realms/index.ts";

/** Returns the realms whose administrators may work in this one: the realm itself, and `master`. */
const administering = (realm: string) => (realm === MASTER ? [realm] : [realm, MASTER]);

/** The audience of access tokens for `{base_url}/admin`. */
export function adminTokens({ db, baseUrl }: { readonly db: Db; readonly baseUrl: string }): Audience {
  const audience = adminAudience(baseUrl);
  const invalid = "The bearer token is not valid for this realm's admin API";
  return {
    names: () => [audience],
    realms: administering,
    invalid,
    isBare: true,
    allowsOrigins: false,
    check: ({ live, client }) =>
      live.isFromFrontChannel || !mayCall(client, live, audience) ? { error: "invalid_token", description: invalid } : null,
    // A user's token works as long as their session does, and with what the session has proven.
    session: "required",
    permissions: (access, session) => permissionsOf(db, access, session),
  };
}

/** Prefers the realm's own session. That of `master` counts if there is none, or if it gives no admin permission. */
export const adminSessions = (realms: RealmSnapshots): SessionRules => ({
  realms: async (realm) =>
    Promise.all(administering(realm.realmId).map(async (name) => (name === MASTER ? (await realms.get(name))! : realm))),
  // An impersonated session never reaches the admin API, whatever the user may do.
  fits: (session) => session.impersonator === null && session.permissions.size > 0,
  actorOf: actorOfSession,
});

/** Tells whether the client may still request such a token. Tokens live for some minutes: an old one does not admit a client that may not. */
function mayCall(client: ClientSnapshot, { holder }: LiveToken, audience: string): boolean {
  const { grantTypes, settings } = client;
  if (!mayAddress(client, audience)) return false;
  return holder !== null
    ? getsUserTokens({ grantTypes, responseTypes: settings.responseTypes })
    : grantTypes.includes("client_credentials");
}

/**
 * Reads the permissions fresh, as for a session. A user's permissions are for the user alone: an impersonator, an actor (RFC 8693 §4.1) and an agent
 * that acts for the user have none of them.
 */
async function permissionsOf(db: Db, { live, client }: PresentedAccess, session: LiveSession | null): Promise<readonly string[]> {
  const { realm, holder, actor, payload } = live;
  if (!holder) return findServiceAccountPermissions(db, realm, client.id);
  const isActedFor = holder.impersonator !== null || actor !== null || (payload.nhi !== undefined && payload.nhi !== false);
  return isActedFor || !session ? [] : [...session.permissions];
}
