import type { Account, Client, KoaContextWithOIDC } from "oidc-provider";
import { type Impersonator, sessionOf, userClaims } from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";
import { snapshotOf } from "./client.ts";
import { liveGrantOf } from "./grant.ts";
import { liveSessionOf } from "./session.ts";

/** Returns the engine's account, the user of an authorization request. The live session implies that the user is enabled. */
export function accountOf(parts: RealmParts, ctx: KoaContextWithOIDC, userId: string): Account {
  return {
    accountId: userId,
    async claims(use, scope, claims) {
      const target = use === "id_token" ? "idToken" : "userinfo";
      const client = snapshotOf(ctx.oidc.client as Client);
      // OpenID Connect Core §5.4: if an access token is issued, userinfo returns the claims of scopes.
      const isAlone = (ctx.oidc.params as { response_type?: string }).response_type === "id_token";
      const scopes = target === "idToken" && !isAlone && !client.settings.claimsInIdToken ? [] : scope.split(" ");
      const request = { target, scopes, requested: Object.keys(claims ?? {}) } as const;
      const about = {
        userId,
        user: liveGrantOf(ctx.oidc.grant)?.user,
        session: sessionOf(authenticationOf(ctx), impersonatorOf(ctx)?.name ?? null),
      };
      const found = await userClaims(parts, client, about, [request]);
      if (!found) throw new Error("The user of a session was deleted while a token was made");
      return { ...found[0], sub: userId };
    },
  };
}

/** Returns the authentication of the user of an authorization request. */
export const authenticationOf = ({ oidc: { acr, amr, session, client } }: KoaContextWithOIDC) => ({
  acr,
  amr,
  authTime: session?.authTime(),
  sid: session?.sidFor(client!.clientId),
});

/** Returns the administrator who impersonates the user, or null if there is none. */
export function impersonatorOf({ oidc }: KoaContextWithOIDC): Impersonator | null {
  const { impersonator = null, impersonatedFrom = null } = liveSessionOf(oidc.session) ?? {};
  return impersonator === null || !impersonatedFrom
    ? null
    : { realm: impersonatedFrom.realm, userId: impersonatedFrom.userId, name: impersonator };
}
