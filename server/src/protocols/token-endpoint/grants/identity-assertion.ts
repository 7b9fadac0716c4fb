import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { clock } from "../../../kernel/clock.ts";
import { isId } from "../../../kernel/ids.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { systemActor } from "../../../platform/context.ts";
import { findSessionBehind, type LiveSession } from "../../../signin/sessions/index.ts";
import { ASSERTION_LIFETIME, grantsOfSession, signIdentityAssertion, type VerifiedJwt, verifyIdToken } from "../../tokens/index.ts";
import { assertSessionStands } from "../exchange.ts";
import type { Grant, Parameters, Presented, Source } from "../grant.ts";
import type { TokenEndpointParts } from "../parts.ts";

export const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";

interface AssertionSource extends Source {
  readonly record: null;
  readonly session: LiveSession;
  readonly claims: VerifiedJwt["payload"];
  readonly server: ClientSnapshot["settings"]["crossAppAccess"][number];
}

/**
 * draft-ietf-oauth-identity-assertion-authz-grant §4: issues an assertion about a user who is signed in to the client, for another
 * authorization server. The user is not asked, because the realm's administrators have allowed the client that server.
 */
export const identityAssertion: Grant<AssertionSource> = {
  parameters: ["subject_token", "subject_token_type", "actor_token", "requested_token_type", "scope", "audience", "resource"],
  lists: ["audience", "resource"],
  hasForeignScopes: true,

  async find({ parts, client }, { params, lists }) {
    // The receiver would not see that an agent acts for the user.
    if (client.agent) throw oauthErrors.unauthorizedClient("an agent's client gets no assertion about users for other servers");
    if (params.actor_token !== undefined) throw oauthErrors.invalidRequest("actor_token is not for identity assertions");
    const server = serverOf(client, lists.audience ?? []);
    return { record: null, grant: null, server, ...(await subjectOf(parts, client, params)) };
  },

  async issue({ parts, client }, { session, claims, server }, { params, lists }) {
    await assertSessionStands(parts, client, session);
    const scope = scopeWithin(server.scopes, params.scope) || undefined;
    const access_token = await signIdentityAssertion(parts, client, claims, { ...server, scope, resource: resourceOf(lists) });
    const body = { issued_token_type: ID_JAG, access_token, token_type: "N_A", expires_in: ASSERTION_LIFETIME, scope };
    // An administrator who acts as the user may do so only in this realm.
    return { kind: "decision", userId: session.userId, impersonator: session.impersonator, body };
  },

  async record({ parts, client, sourceIp, requestId }, { session: { userId, username }, server }) {
    const { realmId } = parts.realm;
    await parts.work.transact({ realm: realmId, actor: systemActor(realmId), sourceIp, requestId }, async (ctx) =>
      ctx.audit({
        actor: { id: userId, name: username },
        ...{ category: "SECURITY", type: "IDENTITY_ASSERTION_ISSUED", resourceType: "clients", resourceId: client.id },
        detail: `${client.clientId} for ${server.issuer}`,
      }),
    );
  },
};

/** §4.3: returns the one server that the assertion is for, by its issuer identifier. */
function serverOf({ settings }: ClientSnapshot, audience: readonly string[]): AssertionSource["server"] {
  if (audience.length !== 1) throw oauthErrors.invalidRequest("audience must name one authorization server");
  const server = settings.crossAppAccess.find(({ issuer }) => issuer === audience[0]);
  if (!server) throw oauthErrors.invalidTarget("this client may not act for users there");
  return server;
}

/** Returns the subject of an ID token that this client got, if its session is live and the client still has the user's grant in it. */
async function subjectOf(
  parts: TokenEndpointParts,
  client: ClientSnapshot,
  { subject_token: token, subject_token_type: type }: Parameters,
): Promise<Pick<AssertionSource, "session" | "claims">> {
  if (!token || !type) throw oauthErrors.invalidRequest("subject_token and subject_token_type are needed");
  if (type !== ID_TOKEN) throw oauthErrors.invalidRequest("subject_token_type must be an ID token for identity assertions");
  const refused = () => oauthErrors.invalidRequest("subject_token is not an ID token of this client, or no longer valid");
  const { payload } = verifyIdToken(parts, client, token) ?? {};
  if (!payload || typeof payload.sid !== "string" || !isId(payload.sid)) throw refused();
  const { db, realm } = parts;
  const session = await findSessionBehind(db, realm.realmId, payload.sid, clock.now());
  if (!session || (await parts.subjectOf(realm.realmId, client, session.userId)) !== payload.sub) throw refused();
  if (payload.act !== undefined) throw refused();
  const grants = await grantsOfSession(db, { realm: realm.realmId, sessionId: session.sessionId });
  if (!grants.some(({ clientId }) => clientId === client.clientId)) throw refused();
  return { session, claims: payload };
}

function scopeWithin(allowed: readonly string[], scope: string | undefined): string {
  const requested = scope === undefined ? allowed : [...new Set(scope.split(" "))];
  const beyond = requested.find((name) => !allowed.includes(name));
  if (beyond !== undefined) throw oauthErrors.invalidScope("this client may not request this scope there", { scope: beyond });
  return requested.join(" ");
}

/** RFC 8707 §2: returns the API at the other server, which decides about it. */
function resourceOf({ resource = [] }: Presented["lists"]): string | undefined {
  if (resource.length > 1) throw oauthErrors.invalidTarget("only one resource can be requested with an assertion");
  const [uri] = resource;
  if (uri !== undefined && (uri.length > 2048 || !URL.canParse(uri) || uri.includes("#"))) throw oauthErrors.invalidTarget();
  return uri;
}
