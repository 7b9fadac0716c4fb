import { type Client, type KoaContextWithOIDC, Provider } from "oidc-provider";
import * as tokens from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";
import { authenticationOf, impersonatorOf } from "./account.ts";
import { snapshotOf } from "./client.ts";
import { liveGrantOf } from "./grant.ts";

interface IdTokenModel {
  prototype: {
    available: Record<string, unknown>;
    extra: Record<string, unknown>;
    client: Client;
    issue(options: { use: string }): Promise<string>;
  };
  validate(jwt: string, client: Client): Promise<{ header: object; payload: object }>;
}

interface AccessTokenModel {
  accountId: string;
  grantId: string;
  scope?: string;
  aud: string;
  client: Client;
}

/** Lets protocols/tokens make the tokens of authorization responses, too: the engine has neither keys nor claims. */
export function overrideTokens(provider: Provider, parts: RealmParts): void {
  const idToken = provider.IdToken as unknown as IdTokenModel;
  idToken.prototype.issue = async function ({ use }) {
    const client = snapshotOf(this.client);
    if (use === "authorization") return tokens.signAuthorizationResponse(parts, client, this.extra);
    if (use !== "idtoken") throw new Error(`The engine does not make tokens for ${use}`);
    const impersonator = impersonatorOf(Provider.ctx!);
    if (tokens.impersonatorAt(client, impersonator)) throw tokens.accessError("impersonated");
    const { sub, ...available } = this.available;
    const { at_hash, c_hash, ...extra } = this.extra;
    const alg = tokens.idTokenAlgOf(parts, client);
    return tokens.signIdToken(parts, client, {
      ...available,
      act: tokens.actOf(parts, impersonator),
      sub: await parts.subjectOf(parts.realm.realmId, client, String(sub)),
      ...extra,
      ...(typeof at_hash === "string" && { at_hash: tokens.halfHash(at_hash, alg) }),
      ...(typeof c_hash === "string" && { c_hash: tokens.halfHash(c_hash, alg) }),
    });
  };
  idToken.validate = async (jwt, client) => {
    const verified = tokens.verifyIdTokenHint(parts, jwt);
    if (verified?.payload.aud !== client.clientId) throw new Error("no ID token of this client");
    return verified;
  };
  (provider.AccessToken.prototype as unknown as { save(this: AccessTokenModel): Promise<string> }).save = async function () {
    return frontChannelToken(parts, Provider.ctx!, this);
  };
}

/** OpenID Connect Core §3.2.2.5: issues the access token of an authorization response. */
async function frontChannelToken(parts: RealmParts, ctx: KoaContextWithOIDC, token: AccessTokenModel): Promise<string> {
  const client = snapshotOf(token.client);
  const issue = {
    grantId: token.grantId,
    userId: token.accountId,
    user: liveGrantOf(ctx.oidc.grant)?.user,
    impersonator: impersonatorOf(ctx),
    scopes: (token.scope ?? "").split(" "),
    audience: tokens.audienceOf(client, token.aud),
    authentication: authenticationOf(ctx),
    idToken: null,
    claims: ctx.oidc.claims as { userinfo?: Record<string, unknown> },
    authorizationDetails: undefined,
    isFromFrontChannel: true,
  };
  await tokens.assertAccess(parts, client, { userId: token.accountId, impersonator: tokens.impersonatorAt(client, issue.impersonator) });
  return (await tokens.userTokens(parts, client, issue, {})).access.jwt;
}
