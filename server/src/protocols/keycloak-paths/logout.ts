import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { newId } from "../../kernel/ids.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { anonymousActor } from "../../platform/context.ts";
import type { RequestSource } from "../../platform/unit-of-work.ts";
import type { SingleLogout } from "../../signin/login/index.ts";
import { endSession } from "../../signin/sessions/index.ts";
import { findRefreshToken, type TokenEndpointParts } from "../token-endpoint/index.ts";
import { deleteGrant } from "../tokens/index.ts";

/** Ends the session of a client's refresh token, as Keycloak does, or the grant of an offline token. Applications are notified. */
export async function signOutByToken(
  parts: TokenEndpointParts & { readonly singleLogout: Pick<SingleLogout, "begin"> },
  client: ClientSnapshot,
  token: string,
  from: RequestSource,
): Promise<void> {
  const { grant } = (await findRefreshToken(parts, client, token)) ?? {};
  if (!grant) throw oauthErrors.invalidGrant("the refresh_token is not one of this client, or has ended");
  const { realmId: realm } = parts.realm;
  const { grantId, sessionId, userId, user } = grant;
  await parts.work.transact({ realm, actor: anonymousActor(realm, client.clientId), ...from }, async (ctx) => {
    if (sessionId === null) return void (await deleteGrant(ctx.tx, realm, grantId));
    // The session's grants end with it.
    const ended = await endSession(ctx, sessionId, { askedBy: client.clientId, user: { id: userId, name: user.username } });
    if (ended) await parts.singleLogout.begin(ctx, ended, { logoutId: newId(), browser: null, next: "", frames: [] });
  });
}
