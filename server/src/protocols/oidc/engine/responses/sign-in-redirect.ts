import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { askToSignIn, signInPath, type Waiting } from "../../authorize/interaction.service.ts";
import type { RealmParts } from "../../parts.ts";
import { snapshotOf } from "../models/client.ts";
import { requestOf } from "./error-page.ts";

/**
 * Nearly all requests that wait for anything wait for somebody to sign in. Their browser is sent to that page at once, not by way of the
 * one that finds out what is to be asked: that is one round trip less before people see something.
 */
export function signInAtOnce(provider: Provider, { db, cookies, realm: { realmId } }: RealmParts): void {
  provider.use(async (koa, next) => {
    await next();
    const ctx = koa as unknown as KoaContextWithOIDC;
    const { route, client, entities } = ctx.oidc ?? {};
    const request = requestOf(ctx);
    const interaction = entities?.Interaction;
    if (route !== "authorization" || interaction?.prompt.name !== "login" || !client || !request) return;
    const waiting = { uid: interaction.uid, interaction, client: snapshotOf(client), params: interaction.params as Waiting["params"] };
    const reply = {
      setCookie(name: string, value: string, options?: object) {
        ctx.append("set-cookie", request.server.serializeCookie(name, value, options));
        return this as never;
      },
    };
    const browser = cookies.preSession(request, reply, realmId);
    const signIn = await askToSignIn(db, realmId, waiting, { browser });
    ctx.redirect(signInPath(realmId, waiting, signIn, cookies.language(request)));
    ctx.status = 303;
  });
}
