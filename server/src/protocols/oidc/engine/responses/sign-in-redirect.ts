import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { askToSignIn, type Pending, signInPath } from "../../authorize/index.ts";
import type { RealmParts } from "../../parts.ts";
import { requestOf } from "../context.ts";
import { snapshotOf } from "../models/client.ts";

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
