import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { clock } from "../../../../kernel/clock.ts";
import { inTransaction } from "../../../../platform/db/index.ts";
import { joinSession } from "../../../../signin/sessions/index.ts";
import { writeGrant } from "../../../tokens/index.ts";
import { askToSignIn, type Pending, signInPath } from "../../authorize/index.ts";
import type { RealmParts } from "../../parts.ts";
import { requestOf } from "../context.ts";
import { snapshotOf } from "../models/client.ts";
import { draftOf } from "../models/grant.ts";

/**
 * Redirects a login prompt directly to the sign-in page instead of `/interaction/{uid}`, which saves a round trip.
 */
export function redirectToSignIn(provider: Provider, { db, cookies, realm: { realmId } }: RealmParts): void {
  provider.use(async (koa, next) => {
    await next();
    const ctx = koa as unknown as KoaContextWithOIDC;
    const { route, client, entities } = ctx.oidc ?? {};
    const request = requestOf(ctx);
    const interaction = entities?.Interaction;
    if (route !== "authorization" || interaction?.prompt.name !== "login" || !client || !request) return;
    const pending = { uid: interaction.uid, interaction, client: snapshotOf(client), params: interaction.params as Pending["params"] };
    const reply = {
      setCookie(name: string, value: string, options?: object) {
        ctx.append("set-cookie", request.server.serializeCookie(name, value, options));
        return this as never;
      },
    };
    const browser = cookies.preSession(request, reply, realmId);
    const signIn = await askToSignIn(db, realmId, pending, { browser });
    ctx.redirect(signInPath(realmId, pending, signIn, cookies.language(request)));
    ctx.status = 303;
  });
}

/**
 * Stores the grant of an authorization response with tokens and without a code, and adds the client to the session's participants, before
 * the response is sent.
 */
export function storeFrontChannelGrants(provider: Provider, { db, realm: { realmId } }: RealmParts): void {
  const withTokens = new WeakSet<KoaContextWithOIDC>();
  provider.on("authorization.success", (ctx, answer) => {
    if (answer && "id_token" in answer && !("code" in answer)) withTokens.add(ctx);
  });
  provider.use(async (ctx, next) => {
    await next();
    if (!withTokens.has(ctx as unknown as KoaContextWithOIDC)) return;
    const { client, session, entities } = (ctx as unknown as KoaContextWithOIDC).oidc;
    const grant = draftOf(entities.Grant);
    const now = clock.now();
    await inTransaction(db, async (tx) => {
      if (grant) await writeGrant(tx, realmId, grant);
      await joinSession(tx, realmId, { sessionId: session!.uid, protocol: "oidc", clientId: client!.clientId, now });
    });
  });
}
